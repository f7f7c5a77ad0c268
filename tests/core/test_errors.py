from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from duologue.core import errors
from duologue.core.errors import DuologueError, FormatError, TruthError, UsageError, describe_problems, did_you_mean
from duologue.core.records import Problem


def test_all_errors_have_one_root_and_an_exit_code() -> None:
    defined = [kind for kind in vars(errors).values() if isinstance(kind, type) and kind.__module__ == errors.__name__]
    kinds = [kind for kind in defined if issubclass(kind, DuologueError)]
    assert kinds == defined
    assert {kind.exit_code for kind in kinds} == {1, 2}
    assert UsageError.exit_code == 2


def test_a_format_error_carries_every_problem_and_says_it() -> None:
    problems = [
        Problem(rule="rank-missing", place="sample '17'", message="no candidate with rank 1", advice="add one"),
        Problem(rule="byte-order-mark", message="starts with a mark", severity="warning"),
    ]
    error = FormatError("result.json", problems, transcript=["[Error] x"])
    assert error.problems == tuple(problems)
    assert error.transcript == ("[Error] x",)
    assert str(error).splitlines() == [
        "result.json has 2 problems:",
        "  sample '17': no candidate with rank 1; add one [rank-missing]",
        "  (warning) starts with a mark [byte-order-mark]",
    ]


def test_one_problem_is_singular() -> None:
    assert describe_problems("x", [Problem(rule="r", message="m")]).startswith("x has 1 problem:")


def test_many_problems_are_cut_and_counted() -> None:
    text = describe_problems("x", [Problem(rule="r", message=str(n)) for n in range(25)], limit=20)
    assert text.splitlines()[-1] == "  ... and 5 more (all of them with --json)"
    assert len(text.splitlines()) == 22


def test_problems_that_are_only_counted_are_part_of_the_number() -> None:
    rest = Problem(rule="too-many-problems", message="and 9,000 more", stands_for=9_000)
    text = describe_problems("x", [*(Problem(rule="r", message=str(n)) for n in range(1000)), rest])
    assert text.splitlines()[0] == "x has 10,000 problems:"
    assert text.splitlines()[-1] == "  ... and 9,980 more (the first 1,000 with --json)"


@pytest.mark.parametrize(
    ("word", "known", "said"),
    [
        ("widht", ["width", "depth"], "; did you mean 'width'?"),
        ("zzz", ["width", "depth"], "; known are depth, width"),
        ("zzz", [], ""),
    ],
)
def test_a_near_miss_is_suggested_else_what_is_known(word: str, known: list[str], said: str) -> None:
    assert did_you_mean(word, known) == said


def test_a_word_of_no_text_is_told_what_is_known() -> None:
    word: Any = None
    assert did_you_mean(word, ["width"]) == "; known are width"


@pytest.mark.parametrize(
    "error",
    [
        FormatError("a.json", [Problem(rule="r", message="m")], transcript=["t"]),
        TruthError([Problem(rule="r", message="m")], ["gold.json"]),
        UsageError("wrong"),
    ],
)
def test_errors_travel_between_processes_as_they_are(error: DuologueError) -> None:
    """One with problems was made from its message alone: a pool of processes broke, or waited for ever."""
    error.add_note("in sample 3")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_twenty_problems_are_told_whole() -> None:
    found = [Problem(rule="r", message=str(n)) for n in range(21)]
    assert describe_problems("x", found[:20]).splitlines()[-1] == "  19 [r]"
    assert describe_problems("x", found).splitlines()[-2:] == ["  19 [r]", "  ... and 1 more (all of them with --json)"]
