from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.arena.annotation.items import (
    AnnotationItem,
    ItemLayer,
    annotated,
    items_of,
    items_of_annotation,
    pack,
    read_items,
    states,
    tally_states,
    undecided,
    unpack,
)
from duologue.core.errors import RequestError
from duologue.core.records import Annotation, Dialogue, Mention, Span, Turn
from tests.growth import LINEAR, growth

DIALOGUE = Dialogue(id="a", turns=(Turn(speaker="system", text="您好😀请讲"), Turn(speaker="user", text="套餐多少钱")))
LAYERS: tuple[ItemLayer, ...] = ("mention", "value", "intent")
LABELS = st.sampled_from(["套餐", "流量包", "a b"])


@st.composite
def marks(draw: st.DrawFn, ids: str = "m", most: int = 6) -> list[AnnotationItem]:
    """Return items of the dialogue above, none twice."""
    made: dict[tuple[object, ...], AnnotationItem] = {}
    for number in range(draw(st.integers(0, most))):
        turn = draw(st.integers(0, 1))
        length = len(DIALOGUE.turns[turn].text)
        start = draw(st.integers(0, length - 1))
        layer: ItemLayer = draw(st.sampled_from(LAYERS))
        owners = ["ent-1", "ent-2"] if layer == "mention" else ["ent-1", None]
        one = AnnotationItem(
            id=f"{ids}{number}",
            layer=layer,
            turn=turn,
            label=draw(LABELS),
            start=0 if layer == "intent" else start,
            end=0 if layer == "intent" else draw(st.integers(start + 1, length)),
            entity=None if layer == "intent" else draw(st.sampled_from(owners)),
            args=tuple(draw(st.lists(st.sampled_from(["ent-1-业务费用", "短信"]), max_size=2)))
            if layer == "intent"
            else (),
            confirmed=draw(st.booleans()),
        )
        made.setdefault(one.content, one)
    return list(made.values())


@given(marks())
def test_marks_become_annotation_and_marks_again(items: list[AnnotationItem]) -> None:
    again = items_of(annotated(DIALOGUE, items), "x", confirmed=True)
    assert sorted(str(one.content) for one in again) == sorted(str(one.content) for one in items)


@given(marks())
def test_marks_survive_the_way_to_the_page_and_back(items: list[AnnotationItem]) -> None:
    assert read_items(pack(items), DIALOGUE) == unpack(pack(items)) == items


@given(marks(), marks(), st.data())
def test_states_follow_from_what_the_marks_say(
    suggested: list[AnnotationItem], others: list[AnnotationItem], data: st.DataObject
) -> None:
    suggested = [msgspec.structs.replace(one, confirmed=False) for one in suggested]
    added = [msgspec.structs.replace(one, id=f"n{one.id}") for one in others]
    kept: list[AnnotationItem] = []
    expected = dict.fromkeys((one.id for one in added), "added")
    for one in suggested:
        what = data.draw(st.sampled_from(["suggested", "confirmed", "changed", "removed"]))
        expected[one.id] = what
        if what != "removed":
            label = "其他" if what == "changed" else one.label
            kept.append(msgspec.structs.replace(one, label=label, confirmed=what == "confirmed"))
    assert states(suggested, [*kept, *added]) == expected
    total = tally_states(suggested, [*kept, *added])
    assert sum(total[one] for one in ("suggested", "confirmed", "changed", "removed")) == len(suggested)
    assert undecided(suggested, [*kept, *added]) == sum(what == "suggested" for what in expected.values())


MARK = {"id": "m1", "layer": "mention", "turn": 1, "label": "套餐", "start": 0, "end": 2, "entity": "ent-1"}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"turn": 2}, "in utterance 3 of 2"),
        ({"end": 6}, "covers 0 to 6 of an utterance of 5"),
        ({"start": 2}, "covers 2 to 2"),
        ({"start": -1}, "covers -1"),
        ({"label": ""}, "a text that is empty"),
        ({"label": "x" * 201}, "longer than 200"),
        ({"label": "\ud800"}, "a text that is empty"),
        ({"entity": None}, "belongs to no entity"),
        ({"layer": "value", "entity": ""}, "without a name"),
        ({"layer": "poem"}, "cannot be read"),
        ({"extra": 1}, "cannot be read"),
        ({"turn": "0"}, "cannot be read"),
        ({"args": ["x"] * 201}, "more than 200 arguments"),
    ],
)
def test_marks_that_cannot_be_are_refused(change: dict[str, object], told: str) -> None:
    assert read_items([MARK], DIALOGUE)
    with pytest.raises(RequestError, match=told):
        read_items([{**MARK, **change}], DIALOGUE)


def test_too_many_marks_and_ids_given_twice_are_refused() -> None:
    with pytest.raises(RequestError, match="same id"):
        read_items([MARK, MARK], DIALOGUE)
    with pytest.raises(RequestError, match="too many"):
        read_items([{**MARK, "id": str(number)} for number in range(5_001)], DIALOGUE)
    with pytest.raises(RequestError, match="cannot be read"):
        read_items({"items": 1}, DIALOGUE)


def test_a_dialogue_of_very_many_utterances_and_marks_is_gone_through_once() -> None:
    """Each utterance once asked all marks whether they are in it."""

    def found(n: int) -> tuple[Annotation, Dialogue]:
        turns = tuple(Turn(speaker="user", text="x") for _ in range(n))
        places = [Span(turn=at, start=0, end=1) for at in range(n)]
        mentions = tuple(Mention(label="套餐", text="x", entity="e", span=place) for place in places)
        return Annotation(mentions=mentions), Dialogue(id="d", turns=turns)

    def there_and_back(given: tuple[Annotation, Dialogue]) -> Dialogue:
        return annotated(given[1], items_of_annotation(*given, "s"))

    made = there_and_back(found(3))
    assert [turn.annotation.mentions for turn in made.turns if turn.annotation] == [
        (one,) for one in found(3)[0].mentions
    ]
    assert growth(found, there_and_back, 500) < LINEAR
