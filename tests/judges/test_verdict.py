"""Verdicts in words: read where they say one thing alone, else not at all."""

from __future__ import annotations

import pytest

from duologue.judges.verdict import choice_in, points_in
from duologue.ratings.protocol import Criterion

QUALITY = Criterion(name="quality", zh="质量", low=0, high=3)
CLARITY = Criterion(name="goal-clarity", zh="清晰度", low=1, high=5)


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("**A**\nIt answers the question, the other does not.", "a"),
        ("**A**\r\n\r\nIt answers the question.", "a"),
        ("[[B]]", "b"),
        ("`b`", "b"),
        ("Reply B.", "b"),
        ("B because it answers the question", "b"),
        ("**B**, since the other one is rude.", "b"),
        ("A. It is the better one.", "a"),
        ("B；回答了问题", "b"),
        ("回复A，因为它回答了问题", "a"),
        ("Verdict: **A**", "a"),
        ("**Final verdict:** B", "b"),
        ("The first is polite, the second is rude.\n\n**Better: A**", "a"),
        ("- Winner: Response A\n- Why: it answers", "a"),
        ("最终答案：B", "b"),
        ("Tie\nNeither answers.", "tie"),
        ("Verdict: tie", "tie"),
        ("平局。两者都没有回答。", "tie"),
    ],
)
def test_a_choice_that_stands_apart_is_read(text: str, choice: str) -> None:
    assert choice_in(text) == choice


@pytest.mark.parametrize(
    "text",
    [
        "A or B",
        "A and B are equally good",
        "**A**\nB is worse",
        "A: short and wrong\nB: answers the question",
        "A. It is better than B.",
        "Better: A\nWorse: B",
        "Better: a\nBetter: b",
        "**A** is worse",
        "**A**, while polite, is worse",
        "A: vague and",
        "(A) vague",
        "A reply that is good",
        "A.I. is not asked",
        "I choose A",
        "Not A",
        "Verdict: not A",
        "Verdict: C",
        "**A**\nIt could be a tie",
        "水平不错",
        "AB",
        "",
    ],
)
def test_no_choice_is_guessed(text: str) -> None:
    assert choice_in(text) is None


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("2", 2),
        ("**2**", 2),
        ("**2**\nIt answers a part of it.", 2),
        ("2\nIt answers a part of it.", 2),
        ("2/3", 2),
        ("3 out of 3, as it answers all", 3),
        ("Score: 2/3", 2),
        ("Score: **2**", 2),
        ("**Rating:** [[1]]", 1),
        ("Quality: 2 - it answers a part", 2),
        ("The reply names 5 shops.\nScore: 2", 2),
        ("评分：3分，因为回答了问题", 3),
        ("质量：0", 0),
        ("2.0 points", 2),
    ],
)
def test_points_that_stand_apart_are_read(text: str, points: int) -> None:
    assert points_in(text, [QUALITY]) == {"quality": points}


@pytest.mark.parametrize(
    "text",
    [
        "2/5",
        "4",
        "-1",
        "2.5",
        "2-3",
        "2 or 3",
        "**2**, perhaps 3",
        "Score: 2 or 3",
        "Score: 2\nScore: 1",
        "2. It names the shop",
        "1. It is polite\n2. It answers",
        "it has 2 faults",
        "Score: high",
        "Score:",
        "1e2",
        "",
    ],
)
def test_no_points_are_guessed(text: str) -> None:
    assert points_in(text, [QUALITY]) == {}


def test_several_criteria_are_read_by_their_names_alone() -> None:
    both = [QUALITY, CLARITY]
    assert points_in("Quality: 2/3\n**Goal clarity**: 5", both) == {"quality": 2, "goal-clarity": 5}
    assert points_in("质量：1\n清晰度：3分", both) == {"quality": 1, "goal-clarity": 3}
    assert points_in("Quality: 2\nScore: 3", both) == {"quality": 2}
    assert points_in("2", both) == {}
    assert points_in("Quality: 2\nQuality: 3\nGoal_clarity: 4", both) == {"goal-clarity": 4}
