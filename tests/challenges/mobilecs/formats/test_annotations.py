from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.mobilecs.formats.annotations import TurnAnnotations, read_annotations
from duologue.challenges.mobilecs.formats.issues import Issues

TEXTS = ["您好_套餐十元", "要套餐"]
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, 1, 2, -1, 10**9, 1.0, "", "NA", "套餐", [], [1, 3, 5], [[1, 3, 5]], [[2, 0, 9]], {}]
)
PLACES = st.sampled_from(
    [[1, 3, 5], [2, 1, 3], [1, 5, 7], [1, 0, 1], [1, 3, 5, 7], [3, 3, 5], [True, 3, 5], [1, 3.0, 5]]
)


def changed(usual: dict[str, st.SearchStrategy[Any]], names: dict[str, str]) -> st.SearchStrategy[dict[str, Any]]:
    """Return records in which values are odd, or keys missing or exchanged, now and then."""

    @st.composite
    def draw(choose: st.DrawFn) -> dict[str, Any]:
        made = {}
        for key, values in usual.items():
            how = choose(st.integers(0, 11))
            if how:
                made[names.get(key, key) if how == 1 else key] = choose(ODD if how == 2 else values)
        return made

    return draw()


ENTITIES = changed(
    {
        "name": st.just("套餐"),
        "id": st.sampled_from(["ent-1", "ent-2"]),
        "type": st.just("套餐"),
        "pos": st.lists(PLACES, max_size=2),
    },
    {"name": "ent-name", "id": "ent-id"},
)
TRIPLES = changed(
    {
        "ent-id": st.sampled_from(["ent-1", "NA"]),
        "ent-name": st.just("套餐"),
        "prop": st.just("业务费用"),
        "value": st.sampled_from(["十元", "套餐", "二"]),
        "pos": PLACES,
    },
    {"ent-name": "name", "ent-id": "id", "pos": "position"},
)
INFOS = st.one_of(
    ODD,
    st.fixed_dictionaries(
        {"ents": st.one_of(st.lists(ENTITIES, max_size=3), ODD)},
        optional={"triples": st.one_of(st.lists(TRIPLES, max_size=3), ODD)},
    ),
)


def read(info: Any, *, whole: bool) -> tuple[TurnAnnotations, list[Any]]:
    issues = Issues()
    issues.whole = whole
    mentions, values = read_annotations(info, 2, TEXTS, issues)
    return TurnAnnotations(list(mentions), list(values)), list(issues.problems)


@given(INFOS)
def test_the_quick_reading_of_usual_forms_says_what_the_reading_piece_by_piece_says(info: Any) -> None:
    assert read(info, whole=True) == read(info, whole=False)


def test_a_usual_turn_gives_mentions_and_values_with_their_utterances() -> None:
    info = {
        "ents": [{"name": "套餐", "id": "ent-1", "type": "主套餐", "pos": [[1, 3, 5], [2, 1, 3]]}],
        "triples": [
            {"ent-id": "ent-1", "ent-name": "套餐", "prop": "业务费用", "value": "十元"},
            {"ent-id": "NA", "prop": "用户需求", "value": "要", "pos": [2, 0, 1]},
        ],
    }
    (mentions, values), problems = read(info, whole=True)
    assert not problems
    spans = [one.span for one in mentions] + [one.span for one in values]
    assert [(span.turn, span.start, span.end) for span in spans if span is not None] == [
        (4, 3, 5),
        (5, 1, 3),
        (4, 5, 7),
        (5, 0, 1),
    ]
    assert [one.entity for one in values] == ["ent-1", None]
