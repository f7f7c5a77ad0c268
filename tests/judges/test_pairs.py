from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.judges.judge_stub import chooses, first_wins, longer_wins

from duologue.core.plugins import load_task
from duologue.judges.calls import AGAIN, APPENDED, JUDGED, JudgeCall
from duologue.judges.pairs import JudgedPairs, pairs_calls, pairs_of
from duologue.judges.prompt import JudgePrompt
from duologue.judges.recipe import JudgeRecipe
from duologue.judges.results import JudgedFiles, read_systems
from duologue.ratings.protocol import find_protocol

if TYPE_CHECKING:
    from collections.abc import Callable

RECIPE = JudgeRecipe(url="http://x/v1", model="m", repeats=0.25, injections=4)
PROMPT = JudgePrompt(load_task("conversation"), find_protocol("conversation"), "reply")


def asked(call: JudgeCall) -> dict[str, Any]:
    return {"messages": [one._asdict() for one in call.question.messages]}


def judged(files: JudgedFiles, brain: Callable[[JudgeCall], str]) -> JudgedPairs:
    short, long = (one.items for one in read_systems(load_task("conversation"), files, "reply").values())
    calls = pairs_calls(PROMPT, short, long, RECIPE, 1)
    assert [sum(one.what == what for one in calls) for what in (JUDGED, AGAIN, APPENDED)] == [24, 6, 8]
    return pairs_of(PROMPT, calls, [brain(one) for one in calls], RECIPE, ("short", "long"), (short, long))


def test_a_judge_that_takes_the_longer_reply_is_told_by_its_slope(files: JudgedFiles) -> None:
    made = judged(files, lambda call: longer_wins(asked(call)))
    winners = [one.outcome for one in made.preferences]
    short, long = (one.items for one in read_systems(load_task("conversation"), files, "reply").values())
    assert winners == [
        "a" if len(short[one.item].reply) > len(long[one.item].reply) else "b" for one in made.preferences
    ]
    assert {(one.a, one.b, one.rater) for one in made.preferences} == {("short", "long", "m")}
    report = made.report
    assert (report.flips.value, report.half_flips.value, report.unread) == (0.0, 0.0, 0)
    assert report.first_share.value == 0.5
    assert report.again.value == 1.0
    assert report.plea.value == 0.5  # the reply with the request is the longer one
    assert "without an exception" in report.length.why


def test_a_judge_that_takes_what_is_first_decides_nothing(files: JudgedFiles) -> None:
    made = judged(files, lambda call: first_wins(asked(call)))
    assert {one.outcome for one in made.preferences} == {"tie"}
    assert made.report.flips.value == made.report.first_share.value == 1.0
    assert made.report.plea.value == 0.0
    assert "says the same of all pairs" in made.report.length.why


def test_one_order_that_is_a_tie_makes_a_tie_and_is_no_flip(files: JudgedFiles) -> None:
    made = judged(files, lambda call: chooses("tie" if call.swapped else "B"))
    assert {one.outcome for one in made.preferences} == {"tie"}
    assert (made.report.flips.value, made.report.half_flips.value) == (0.0, 1.0)
    assert made.report.first_share.value == 0.0


@pytest.mark.parametrize("words", ["", "neither, I would say", '{"better": "C"}'])
def test_a_pair_of_which_one_order_cannot_be_read_is_left_out(files: JudgedFiles, words: str) -> None:
    made = judged(files, lambda call: words if call.swapped and call.item == "3" else chooses("A"))
    assert "3" not in {one.item for one in made.preferences}
    assert (made.report.pairs, made.report.unread, made.report.flips.n) == (12, 1, 11)
