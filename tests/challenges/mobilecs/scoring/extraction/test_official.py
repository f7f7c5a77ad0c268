from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import LINEAR, growth

from duologue.challenges.mobilecs.scoring.extraction import official
from duologue.challenges.mobilecs.scoring.official_errors import OfficialError
from duologue.challenges.mobilecs.task import ExtractionTask
from duologue.core.errors import FormatError
from duologue.core.records import Scoring

if TYPE_CHECKING:
    from pathlib import Path

OFFICIAL = Scoring(variant="official")


def check_case(case: dict[str, Any], folder: Path) -> None:
    """Demand that every figure of a golden case comes out, through files as through the bare scorer."""
    expected = case["expected"]
    gold, pred = folder / "gold.json", folder / "pred.json"
    gold.write_text(json.dumps(case["gold"]), encoding="utf-8")
    pred.write_text(json.dumps(case["submission"]), encoding="utf-8")
    task = ExtractionTask()
    report = task.score(list(task.load(gold)), task.read(pred), OFFICIAL)
    found = {score.name: score.value for score in report.scores}
    assert found["entity-f1"] == pytest.approx(expected["entity_f1"], abs=1e-12)
    assert found["triple-f1"] == pytest.approx(expected["triple_f1"], abs=1e-12)
    assert found["ranking"] == pytest.approx(expected["ranking_score"], abs=1e-12)
    outcome = official.score(case["gold"], case["submission"])
    for what in ("entity", "triple"):
        sums = {part: sum(one[f"{what} {part}"] for one in outcome.documents.values()) for part in PARTS}
        assert [sums[part] for part in PARTS] == [expected[f"{what}_counts"][part] for part in ("tp", "pred", "gold")]
    made = [{"id": name, "assign": [list(pair) for pair in pairs]} for name, pairs in outcome.assignment]
    assert made == expected["assignment"]


PARTS = ("right", "said", "wanted")


def test_cases_of_our_own_give_the_official_figures(golden: Path, tmp_path: Path) -> None:
    cases = json.loads((golden / "official" / "track1.json").read_bytes())
    assert len(cases) == 6
    for case in cases:
        check_case(case, tmp_path)


@pytest.mark.real_data(twin="test_cases_of_our_own_give_the_official_figures")
def test_cases_of_real_dialogues_give_the_official_figures(real: Path, tmp_path: Path) -> None:
    cases = json.loads((real / "golden" / "track1_cases.json").read_bytes())
    assert len(cases) == 12
    for case in cases:
        check_case(case, tmp_path)


def gold(*ents: dict[str, Any], triples: tuple[dict[str, Any], ...] = ()) -> list[dict[str, Any]]:
    turn = {"[SPEAKER 1]": "好", "[SPEAKER 2]": "嗯", "info": {"ents": list(ents), "triples": list(triples)}}
    return [{"id": "d", "content": [turn]}]


def row(*entities: dict[str, Any], triples: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return {"id": "d", "entities": list(entities), "triples": list(triples)}


ENTITY = {"id": "e", "name": "套餐", "type": "套餐", "position": [0, 2], "turn_id": 0}
TRIPLE = {"ent-id": "e", "prop": "业务费用", "value": "十元", "position": [0, 2], "turn_id": 0}


def without(record: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != key}


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([row(without(ENTITY, "turn_id"))], "KeyError: 'turn_id'"),
        ([row(without(ENTITY, "position"))], "KeyError: 'position'"),
        ([row(ENTITY, triples=(without(TRIPLE, "position"),))], "KeyError: 'position'"),
        ([row(ENTITY, triples=({**TRIPLE, "ent-id": "f"},))], "KeyError: 'f'"),
        ([row({**ENTITY, "name": None})], "AttributeError"),
        ([row({**ENTITY, "position": ["0", 2]})], "TypeError"),
        ([{"entities": [], "triples": []}], "KeyError: 'id'"),
        ({"a": 1}, "TypeError"),
        (None, "TypeError"),
    ],
)
def test_what_the_official_program_crashes_on_is_an_error_that_names_it(rows: Any, kind: str) -> None:
    with pytest.raises(OfficialError, match=kind):
        official.score(gold(), rows)


@pytest.mark.parametrize(
    ("triple", "error"), [({**TRIPLE, "ent-id": "f"}, "KeyError: 'f'"), ({**TRIPLE, "prop": 5}, "TypeError: sequence")]
)
def test_a_triple_that_would_crash_the_program_does_so_without_the_truth_too(
    triple: dict[str, Any], error: str
) -> None:
    official.replay_without_gold([row(ENTITY, triples=(TRIPLE,))])
    with pytest.raises(OfficialError, match=error):
        official.replay_without_gold([row(ENTITY, triples=(TRIPLE, triple))])


def test_a_flat_position_in_the_truth_crashes_the_official_program_alone(tmp_path: Path) -> None:
    flat = gold({"id": "ent-1", "name": "好", "type": "套餐", "pos": [1, 0, 1]})
    (tmp_path / "gold.json").write_text(json.dumps(flat), encoding="utf-8")
    (tmp_path / "pred.json").write_text(json.dumps([row()]), encoding="utf-8")
    task = ExtractionTask()
    examples, submission = list(task.load(tmp_path / "gold.json")), task.read(tmp_path / "pred.json")
    with pytest.raises(FormatError, match="official track 1 scorer ends with TypeError"):
        task.score(examples, submission, OFFICIAL)
    strict = task.score(examples, submission, Scoring(variant="strict"))
    assert dict(zip(strict.columns, strict.items[0][1], strict=True))["entity wanted"] == 1


def test_ids_are_sorted_as_texts_where_entities_are_equally_alike() -> None:
    names = [f"ent-{number}" for number in (1, 2, 10)]
    truth = gold(*({"id": name, "name": "好", "type": "套餐", "pos": [[1, 0, 1]]} for name in names))
    said = row(*({**ENTITY, "id": name} for name in names))
    assert official.score(truth, [said]).assignment == [
        ("d", [("ent-1", "ent-1"), ("ent-10", "ent-10"), ("ent-2", "ent-2")])
    ]


def test_one_entity_that_is_all_alike_outweighs_two_that_are_a_third_alike() -> None:
    values = {"ent-1": "1234", "ent-2": "15"}
    ents = [{"id": name, "name": "好", "type": "套餐", "pos": [[1, 0, 1]]} for name in values]
    told = [{"ent-id": name, "prop": "业务费用", "value": one} for name, several in values.items() for one in several]
    said = {"ent-8": "1234", "ent-9": "27"}
    mentions = [{**ENTITY, "id": name} for name in said]
    triples = [{**TRIPLE, "ent-id": name, "value": one} for name, several in said.items() for one in several]
    outcome = official.score(gold(*ents, triples=tuple(told)), [row(*mentions, triples=tuple(triples))])
    assert outcome.assignment == [("d", [("ent-8", "ent-1"), ("ent-9", "ent-2")])]


def test_a_mention_that_bears_the_users_id_is_assigned_by_the_users_triples() -> None:
    names = ("ent-1", "ent-2")
    ents = [{"id": name, "name": "好", "type": "套餐", "pos": [[1, 0, 1]]} for name in names]
    told = [{"ent-id": name, "prop": "业务费用", "value": name} for name in names]
    truth = gold(*ents, triples=tuple(told))
    said = row({**ENTITY, "id": "NA"}, triples=({**TRIPLE, "ent-id": "NA", "value": "ent-2"},))
    outcome = official.score(truth, [said])
    assert outcome.assignment == [("d", [("NA", "ent-2")])]
    assert outcome.documents["d"]["triple right"] == 0  # the triple itself stays the user's


mentions = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["a", "b", "c"]),
        "name": st.sampled_from(["套餐", "_套 餐", "手机报", "流量"]),
        "type": st.sampled_from(["套餐", "业务"]),
        "position": st.just([0, 9]) | st.just([2, 4]),
        "turn_id": st.integers(0, 1),
    }
)


@given(st.lists(mentions, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_mentions_never_matters(found: list[dict[str, Any]], chance: Any) -> None:
    truth = gold({"id": "ent-1", "name": "套餐", "type": "套餐", "pos": [[1, 0, 2], [2, 2, 4]]})
    turned = list(found)
    chance.shuffle(turned)
    assert official.score(truth, [row(*found)]).documents == official.score(truth, [row(*turned)]).documents


@given(st.lists(mentions, max_size=6))
def test_never_more_is_right_than_is_said_or_wanted(found: list[dict[str, Any]]) -> None:
    truth = gold({"id": "ent-1", "name": "套餐", "type": "套餐", "pos": [[1, 0, 2], [2, 2, 4]]})
    counts = official.score(truth, [row(*found)]).documents["d"]
    assert 0 <= counts["entity right"] <= min(counts["entity said"], counts["entity wanted"])


def test_a_text_loses_its_noise_and_anything_else_fails_as_in_the_program() -> None:
    assert official._bare("a b_c") == "abc"
    with pytest.raises(AttributeError, match="'int' object has no attribute 'translate'"):
        official._bare(3)  # type: ignore[arg-type]  # a file of strangers


def test_an_entity_of_very_many_values_is_compared_in_the_time_of_one_pass() -> None:
    """Each value once was looked for in the list of all."""

    def values(n: int) -> list[str]:
        return [str(number) for number in range(n)]

    assert official._similarity(["a", "a", "b"], ["a", "c", "a", "a"]) == pytest.approx(4 / 7)
    assert growth(values, lambda told: official._similarity(told[::-1], told), 1_000) < LINEAR


@pytest.mark.parametrize("name", [ENTITY["name"], " _", ""])
def test_a_type_that_is_no_text_crashes_the_program_whatever_the_name(name: str) -> None:
    """Also where nothing of the name is left without its noise."""
    with pytest.raises(OfficialError, match="TypeError: sequence item 4: expected str instance, int found"):
        official.replay_without_gold([row({**ENTITY, "name": name, "type": 5})])
