"""What is told of a system's training beside its figures."""

from __future__ import annotations

from typing import Any

import pytest

from duologue.core.records import Exposure, Problem, Report
from duologue.report.background import doubts, external_data, overlap_with_training


def report_with(**more: Any) -> Report:
    return Report(**{"task": "t", "variant": "v", "n": 0, "scores": (), "rank_by": "", **more})


@pytest.mark.parametrize(
    ("external", "track", "told"),
    [
        (None, None, "not declared"),
        (None, "open", "not declared"),
        ((), None, "none"),
        ((), "closed", "none (closed)"),
        (("sgd", "words"), None, "sgd, words"),
        (("sgd",), "open", "sgd (open)"),
    ],
)
def test_external_data_are_told_by_name_with_their_track(
    external: tuple[str, ...] | None, track: str | None, told: str
) -> None:
    assert external_data(report_with(external=external, meta={"track": track} if track else {})) == told


@pytest.mark.parametrize("exposure", [None, Exposure(), Exposure(unknown="no sketch"), Exposure(files=("t.txt",))])
def test_where_no_sample_tells_anything_no_share_is_told(exposure: Exposure | None) -> None:
    assert overlap_with_training(report_with(exposure=exposure)) == ""


def test_what_was_seen_is_told_by_samples_and_by_longer_replies_where_there_are_some() -> None:
    samples = "12.50 % of 2,000 samples (context and reply; 0.50 % to be expected)"
    seen = Exposure(samples=2000, samples_seen=250, by_chance=0.005)
    assert overlap_with_training(report_with(exposure=seen)) == samples
    seen = Exposure(samples=2000, samples_seen=250, by_chance=0.005, replies=1600, replies_seen=400)
    assert overlap_with_training(report_with(exposure=seen)) == f"{samples}, 25.00 % of 1,600 longer replies"


def test_only_what_makes_a_result_another_than_it_seems_is_a_doubt() -> None:
    rules = ("training-unknown", "result-equals-truth", "odd", "note-of-another-result", "result-of-another-task")
    problems = tuple(Problem(rule=rule, severity="warning", message="m") for rule in rules)
    found = doubts(report_with(problems=problems))
    assert [one.rule for one in found] == ["result-equals-truth", "note-of-another-result", "result-of-another-task"]


def test_a_file_that_was_scored_in_part_is_a_doubt_with_the_number_of_its_errors() -> None:
    missing = Problem(rule="dialog-missing", place="dialogue 'x'", message="the file has no answer", stands_for=400)
    (found,) = doubts(report_with(problems=(missing, Problem(rule="odd", severity="warning", message="m"))))
    assert found.message == "its file has 400 errors and was scored all the same: dialogue 'x': the file has no answer"


def test_of_several_errors_the_first_is_told() -> None:
    errors = tuple(Problem(rule="odd", message=message) for message in ("a line is broken", "another one"))
    (found,) = doubts(report_with(problems=errors))
    assert found.message == "its file has 2 errors and was scored all the same: a line is broken"
    assert (found.rule, found.severity, found.advice) == ("scored-with-errors", "warning", "have the file mended")
