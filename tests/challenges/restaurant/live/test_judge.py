from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.challenges.restaurant.live.scenes import make_stage
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.systems.solver.solver import Solver
from duologue.challenges.restaurant.task import RestaurantTask
from duologue.core.errors import UsageError
from duologue.core.records import Dialogue, Scoring, Turn
from duologue.knowledge.base import KnowledgeBase
from duologue.metrics.conversation_report import VARIANT
from duologue.run.saved import formulas_of
from duologue.run.simulate import simulate

if TYPE_CHECKING:
    from duologue.core.optional_protocols import Stage


@cache
def stage() -> Stage:
    return make_stage(KnowledgeBase("kb1", make_kb(1, 1)), (), n=20, seed=3, max_turns=None)


@cache
def played() -> tuple[Dialogue, ...]:
    return tuple(simulate(RestaurantTask(), Solver(), stage(), name="solver", seed=3).dialogues)


def judged(dialogue: Dialogue) -> dict[str, float]:
    return {one.name: one.value for one in stage().judge([dialogue]).scores}


def said_otherwise(dialogue: Dialogue, old: str, new: str) -> Dialogue:
    turns = [
        msgspec.structs.replace(turn, text=turn.text.replace(old, new)) if turn.speaker == "system" else turn
        for turn in dialogue.turns
    ]
    return msgspec.structs.replace(dialogue, turns=tuple(turns))


def test_a_wrong_call_is_counted_and_the_table_judged_by_itself() -> None:
    call = next(turn.text for turn in played()[0].turns if turn.text.startswith("api_call"))
    found = judged(said_otherwise(played()[0], call, call.replace(call.split()[3], "no-such-number")))
    assert found["calls-as-wanted"] == 0.5
    assert found["success"] == found["tables-as-wanted"] == 1


def test_a_wrong_phone_is_no_success() -> None:
    dialogue = next(one for one in played() if any(turn.text.endswith("_phone") for turn in one.turns[-8:]))
    found = judged(said_otherwise(dialogue, "here it is ", "here it is not_"))
    assert (found["success"], found["tables-as-wanted"], found["items-told"]) == (0, 1, 0)
    (problem,) = stage().judge([said_otherwise(dialogue, "here it is ", "here it is not_")]).problems
    assert "items were not told as the base has them" in problem.message


def test_a_dialogue_that_breaks_off_is_no_success() -> None:
    cut = msgspec.structs.replace(played()[1], turns=played()[1].turns[:3])
    assert judged(cut)["success"] == 0
    alone = msgspec.structs.replace(played()[1], turns=(Turn(speaker="user", text="hi"),))
    assert "turns" in judged(alone)


def test_reports_total_again_with_the_formulas_of_the_task() -> None:
    report = stage().judge(played())
    names = {one.name for one in RestaurantTask().metrics(Scoring(variant=VARIANT))}
    assert {one.name for one in report.scores} == names - {"user-leaks", "user-not-understood"}
    assert {one.name for one in report.scores} == {one.name for one in formulas_of(report)}
    assert report.signature.hashes.keys() == {"kb"}
    with pytest.raises(UsageError, match="no dialogues"):
        stage().judge([])
