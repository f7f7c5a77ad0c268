from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.mobilecs.formats.annotation_check import RULES, check_annotation
from duologue.challenges.mobilecs.formats.issues import Issues
from duologue.challenges.mobilecs.formats.raw import read_dialogues
from duologue.challenges.mobilecs.simulator.call_generator import CallGenerator
from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe
from duologue.core.records import Dialogue

if TYPE_CHECKING:
    from collections.abc import Callable


def call() -> dict[str, Any]:
    """Return a call of two turns: one plan with its fee, asked for by the user."""
    fee = {"ent-id": "ent-1", "ent-name": "NA", "prop": "业务费用", "value": "十元", "pos": [1, 0, 2]}
    plan = {"name": "套餐", "id": "ent-1", "type": "套餐", "pos": [[2, 0, 2]]}
    return {
        "id": "a",
        "content": [
            {
                "[SPEAKER 1]": "您好", "[SPEAKER 2]": "套餐多少钱", "客服意图": "问候",
                "用户意图": "询问(ent-1-业务费用)", "info": {"ents": [plan], "triples": []},
            },
            {
                "[SPEAKER 1]": "十元", "[SPEAKER 2]": "", "客服意图": "通知", "用户意图": "",
                "info": {"ents": [], "triples": [fee]},
            },
        ],
    }  # fmt: skip


def found(row: dict[str, Any]) -> list[tuple[str, int | None]]:
    (dialogue,) = read_dialogues([row], Issues())
    return [(one.problem.rule, one.turn) for one in check_annotation(dialogue)]


def test_what_the_simulator_annotates_has_no_problem() -> None:
    generator = CallGenerator(CallCorpusRecipe(argument_rate=0.5), 3)
    for number in range(20):
        (dialogue,) = read_dialogues([generator.call("train", number).row], Issues())
        assert [one for one in check_annotation(dialogue) if one.problem.severity == "error"] == []
    assert found(call()) == [], "an utterance without words needs no intent"


def test_a_bare_call_lacks_its_intents() -> None:
    turns = read_dialogues([call()], Issues())[0].turns
    bare = Dialogue(id="a", turns=tuple(type(turn)(speaker=turn.speaker, text=turn.text) for turn in turns))
    assert [(one.problem.rule, one.turn) for one in check_annotation(bare)] == [
        ("intent-none", 0),
        ("intent-none", 1),
        ("intent-none", 2),
    ]


def plan(row: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = row["content"][0]["info"]["ents"][0]
    return found


def triples(row: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = row["content"][1]["info"]["triples"]
    return found


def two_types(row: dict[str, Any]) -> None:
    row["content"][0]["info"]["ents"].append({**plan(row), "type": "主套餐", "pos": [[2, 1, 3]], "name": "餐多"})


CASES: dict[str, tuple[Callable[[dict[str, Any]], object], int]] = {
    "intent-none": (lambda row: row["content"][1].update({"客服意图": ""}), 2),
    "intent-unknown": (lambda row: row["content"][1].update({"客服意图": "取消"}), 2),
    "intent-repeated": (lambda row: row["content"][0].update({"客服意图": "问候,问候"}), 0),
    "arguments-unusual": (lambda row: row["content"][1].update({"客服意图": "通知(业务)"}), 2),
    "argument-form": (lambda row: row["content"][0].update({"用户意图": "询问(ent-7-业务费用)"}), 1),
    "type-unknown": (lambda row: plan(row).update(type="手机"), 1),
    "slot-unknown": (lambda row: row["content"][1]["info"]["triples"][0].update(prop="短信"), 2),
    "entity-types": (two_types, 1),
    "mention-repeated": (lambda row: plan(row)["pos"].append([2, 0, 2]), 1),
    "value-repeated": (lambda row: triples(row).append(triples(row)[0]), 2),
    "value-owner": (lambda row: row["content"][1]["info"]["triples"][0].update({"ent-id": "ent-2"}), 2),
    "value-early": (
        lambda row: row["content"][0]["info"].update(
            ents=[], triples=[{"ent-id": "ent-1", "prop": "业务费用", "value": "您", "pos": [1, 0, 1]}]
        )
        or row["content"][1]["info"].update(ents=[{**plan(call()), "name": "十", "pos": [[1, 0, 1]]}]),
        0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", sorted(CASES))
def test_each_rule_is_broken_by_one_change_and_told_beside_its_utterance(rule: str) -> None:
    row = call()
    spoil, turn = CASES[rule]
    spoil(row)
    assert (rule, turn) in found(row)


def test_an_entity_has_an_id_of_the_official_form() -> None:
    row = call()
    plan(row)["id"] = "plan"
    row["content"][1]["info"]["triples"][0]["ent-id"] = "plan"
    row["content"][0]["用户意图"] = "询问"
    assert found(row) == [("entity-form", 1)]


def test_all_rules_of_the_guideline_are_tested() -> None:
    assert {*CASES, "entity-form"} == set(RULES)


def test_the_readers_own_problems_stand_beside_their_utterance_too() -> None:
    row = call()
    plan(row)["pos"] = [[2, 1, 3]]
    (dialogue,) = read_dialogues([row], Issues())
    assert ("position-text", 0) in [(one.problem.rule, one.turn) for one in check_annotation(dialogue)]
