from __future__ import annotations

from typing import Any

import pytest

from duologue.challenges.mobilecs.formats import track2
from duologue.challenges.mobilecs.formats.issues import Issues
from duologue.core.records import Fact

TURN = {"用户": "多少钱", "客服": "十元", "用户意图": "询问", "客服意图": "通知"}


def row(**changes: Any) -> dict[str, Any]:
    made = {"id": "d", "KB": {"ent-1": {"name": "套餐"}}, "goal": {}, "content": [TURN], **changes}
    return {key: value for key, value in made.items() if value is not ...}


BROKEN: dict[str, Any] = {
    "not-a-list": row(),
    "item-not-object": ["x"],
    "raw-file": [[TURN]],
    "dialog-id-missing": [row(id=...)],
    "dialog-id-type": [row(id="")],
    "dialog-id-repeated": [row(), row()],
    "base-type": [row(KB={"ent-1": {"name": ["套餐"]}})],
    "goal-type": [row(goal={"ent-1": "套餐"})],
    "content-type": [row(content=...)],
    "turn-type": [row(content=["好"])],
    "dialogue-long": [row(content=[TURN] * 2_501)],
    "user-text": [row(content=[{"客服": "十元"}])],
    "truth-type": [row(content=[{**TURN, "客服": None}])],
}


def read(rows: Any) -> tuple[list[Any], list[tuple[str, str]]]:
    issues = Issues()
    return track2.read_examples(rows, issues), [(problem.rule, problem.severity) for problem in issues.problems]


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_is_broken_by_its_own_file_alone(rule: str) -> None:
    severity = "warning" if "(a warning" in track2.RULES[rule] else "error"
    assert read(BROKEN[rule])[1] == [(rule, severity)]


def test_a_raw_dialogue_is_told_once() -> None:
    turn = {"[SPEAKER 1]": "您好", "[SPEAKER 2]": "喂"}
    assert read([{"id": "d", "content": [turn, turn, turn]}])[1] == [("raw-file", "error")]


def test_it_is_told_what_makes_track_2_data_of_a_raw_dialogue() -> None:
    turn = {"[SPEAKER 1]": "您好", "[SPEAKER 2]": "喂"}
    for more, wanted in (({}, "local-kb"), ({"客服意图": "问候", "用户意图": "问候"}, "data convert")):
        issues = Issues()
        track2.read_examples([{"id": "d", "content": [{**turn, **more}]}], issues)
        assert wanted in issues.problems[0].advice


def test_every_rule_has_its_broken_file() -> None:
    assert set(track2.RULES) == set(BROKEN) | {"too-many-problems"}
    assert read([3] * 1001)[1][-1] == ("too-many-problems", "error")


def test_a_sample_holds_the_users_side_and_the_knowledge_and_nothing_else() -> None:
    rows = [row(content=[TURN, {**TURN, "用户": "好"}], KB={"NA": {"欠费": "有,没有"}}, goal={"NA": {"欠费": "?"}})]
    examples, _ = read(rows)
    assert [one.sample.id for one in examples] == ["d#0", "d#1"]
    assert [[turn.text for turn in one.sample.history] for one in examples] == [["多少钱"], ["多少钱", "好"]]
    assert examples[0].sample.knowledge == (Fact(subject="user", relation="欠费", object=("有", "没有")),)
    assert examples[0].sample.goal is None
    assert examples[0].user_goal.items[0].asked == ("欠费",)


def test_a_second_dialogue_of_an_id_is_told_apart() -> None:
    examples, _ = read([row(), row(), row()])
    assert [one.sample.dialogue_id for one in examples] == ["d", "d~2", "d~3"]


def test_a_test_file_has_no_references() -> None:
    examples, problems = read([row(goal=..., content=[{"用户": "喂", "客服-生成": ""}])])
    assert (examples[0].references, examples[0].user_goal, problems) == ((), None, [])


def test_a_reply_without_intents_is_a_reference_without_annotation() -> None:
    examples, _ = read([row(content=[{"用户": "喂", "客服": "好"}])])
    assert examples[0].references[0].annotation is None


@pytest.mark.parametrize(("name", "place"), [("d#0", ("d", 0)), ("d#x", None), ("#1", ("", 1)), ("d#", None)])
def test_a_sample_id_is_dialogue_and_turn(name: str, place: tuple[str, int] | None) -> None:
    assert track2.place_of(name) == place


@pytest.mark.parametrize("turns", [(0, 1, 0, 0), (1, 0), (0, 1), (0, 0, 2, 1), (2, 0, 1)])
def test_dialogues_without_turns_travel_with_their_neighbours(turns: tuple[int, ...]) -> None:
    rows = [row(id=f"d{number}", content=[TURN] * count) for number, count in enumerate(turns)]
    examples, problems = read(rows)
    assert problems == []
    assert len(examples) == sum(turns)
    sources = {one.sample.dialogue_id: one.source for one in examples}
    found = [pair for name, source in sources.items() for pair in track2.with_neighbours(name, source)]
    assert found == [(one["id"], one) for one in rows]


def test_dialogues_without_turns_alone_give_no_example() -> None:
    assert read([row(content=[])]) == ([], [])


def test_a_reference_names_an_entity_as_no_other_is_named() -> None:
    base = {"ent-1": {"name": "它,冬日包"}, "ent-2": {"name": "它,星光包"}, "ent-3": {"name": "它"}}
    asked = {**TURN, "用户意图": "询问(ent-1-业务费用)(ent-2-业务费用)(ent-3-业务费用)"}
    (example,), _ = read([row(KB=base, content=[asked])])
    assert example.references[0].annotation.acts[0].args == ("冬日包-业务费用", "星光包-业务费用", "它-业务费用")


HALF = "x\ud800"


@pytest.mark.parametrize("key", ["KB", "goal"])
@pytest.mark.parametrize("table", [{HALF: {"name": "a"}}, {"ent-1": {HALF: "a"}}, {"ent-1": {"name": HALF}}])
def test_half_a_surrogate_pair_in_a_table_is_an_error_whose_place_can_be_written(key: str, table: Any) -> None:
    issues = Issues()
    row = {"id": "d", "KB": {}, "goal": {}, "content": [{"用户": "好"}], key: table}
    assert not track2.read_examples([row], issues)
    (problem,) = issues.problems
    assert "expected a text without half surrogate pairs" in problem.message
    assert (problem.place + problem.message).isprintable()
