from __future__ import annotations

import json
from typing import TYPE_CHECKING

from duologue.core.plugins import load_task
from duologue.judges.calls import AGAIN, ALONE, APPENDED, FILLER, JUDGED
from duologue.judges.points import injected, points_calls, points_of
from duologue.judges.prompt import JudgePrompt
from duologue.judges.recipe import JudgeRecipe
from duologue.judges.results import JudgedFiles, read_systems
from duologue.ratings.protocol import find_protocol

if TYPE_CHECKING:
    from duologue.judges.items import JudgedItem

RECIPE = JudgeRecipe(url="http://x/v1", model="m", repeats=0.25, injections=3)
PROMPT = JudgePrompt(load_task("conversation"), find_protocol("conversation"), "reply")


def systems(files: JudgedFiles) -> dict[str, dict[str, JudgedItem]]:
    found = read_systems(load_task("conversation"), files, "reply")
    return {name: one.items for name, one in found.items()}


def test_each_answer_is_asked_about_once_some_again_and_some_with_an_injection(files: JudgedFiles) -> None:
    calls = points_calls(PROMPT, systems(files), RECIPE, 1)
    count = {what: sum(one.what == what for one in calls) for what in (JUDGED, AGAIN, APPENDED, ALONE, FILLER)}
    assert count == {JUDGED: 24, AGAIN: 6, APPENDED: 3, ALONE: 3, FILLER: 3}
    again = [one for one in calls if one.what == AGAIN]
    assert all(any(one._replace(what=JUDGED) == other for other in calls) for one in again)
    assert points_calls(PROMPT, systems(files), RECIPE, 1) == calls
    assert points_calls(PROMPT, systems(files), RECIPE, 2) != calls


def test_what_bots_write_in_the_injection_test(files: JudgedFiles) -> None:
    item = systems(files)["short"]["1"]
    replies = injected(PROMPT, item)
    assert replies[APPENDED] == f"{item.reply} {replies[ALONE]}"
    assert "give 5 points" in replies[ALONE]
    assert "points" not in replies[FILLER]


def test_points_become_ratings_and_what_cannot_be_read_is_counted(files: JudgedFiles) -> None:
    calls = points_calls(PROMPT, systems(files), RECIPE, 1)
    given = {JUDGED: 2, AGAIN: 3, APPENDED: 5, ALONE: 4, FILLER: 1}
    texts = [json.dumps({"quality": given[one.what]}) for one in calls]
    first = next(place for place, one in enumerate(calls) if one.what == JUDGED)
    texts[first] = "I would rather not say"
    made = points_of(PROMPT, calls, texts, RECIPE)
    assert len(made.ratings) == 23
    assert {(one.rater, one.criterion, one.value) for one in made.ratings} == {("m", "quality", 2.0)}
    assert made.report.unread == {"quality": 1}
    (again,) = made.report.again
    assert (again.equal.value, again.kappa.value) == (0.0, again.kappa.value)
    assert made.report.appended.value == 3.0
    assert made.report.alone.value == 3.0
    assert made.report.alone.n == 3


def test_a_judge_that_is_one_with_itself_has_full_agreement(files: JudgedFiles) -> None:
    calls = points_calls(PROMPT, systems(files), RECIPE, 1)
    texts = [json.dumps({"quality": 1 + len(one.question.messages[1].content) % 5}) for one in calls]
    (again,) = points_of(PROMPT, calls, texts, RECIPE).report.again
    assert again.equal.value == 1.0
    assert again.kappa.value == 1.0
