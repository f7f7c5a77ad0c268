"""What stands behind the figures of a system, in words: its training data, and what casts doubt on the whole result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.amounts import amount
from duologue.core.problems import total
from duologue.core.records import Problem
from duologue.report.numbers import percent

if TYPE_CHECKING:
    from duologue.core.records import Report

UNDECLARED = "not declared"
TRAINING_RULES = ("seen-in-training", "training-unknown")
"""Rules of the problems that say that a truth was, or may have been, seen in training."""
_DOUBT_RULES = ("result-equals-truth", "note-of-another-result", "result-of-another-task")
"""Rules of the problems that say that a result may be no system's, or not that of the system that it is called by."""


def doubts(report: Report) -> list[Problem]:
    """Return the problems that say that a result may not be what it stands for, whatever its figures are.

    >>> from duologue.core.records import Problem, Report
    >>> found = Problem(rule="result-equals-truth", message="it is the truth", severity="warning")
    >>> doubts(Report(task="t", variant="v", n=0, scores=(), rank_by="", problems=(found,))) == [found]
    True
    """
    found = [problem for problem in report.problems if problem.rule in _DOUBT_RULES]
    errors = [problem for problem in report.problems if problem.severity == "error"]
    if errors:
        number, first = total(errors), errors[0]
        told = f"{first.place}: {first.message}" if first.place else first.message
        message = f"its file has {amount(number, 'error')} and was scored all the same: {told}"
        found.append(
            Problem(rule="scored-with-errors", severity="warning", message=message, advice="have the file mended")
        )
    return found


def external_data(report: Report) -> str:
    """Return the declared external data of a system by name, with the challenge's track that it belongs to, if any.

    >>> from duologue.core.records import Report
    >>> plain = Report(task="t", variant="v", n=0, scores=(), rank_by="")
    >>> external_data(plain)
    'not declared'
    """
    if report.external is None:
        return UNDECLARED
    track = report.meta.get("track")
    return ", ".join(report.external or ("none",)) + (f" ({track})" if track else "")


def overlap_with_training(report: Report) -> str:
    """Return which shares of the truth were in the training data; nothing where that is not known."""
    found = report.exposure
    if found is None or not found.samples:
        return ""
    said = (
        f"{percent(found.samples_seen / found.samples)} % of {amount(found.samples, 'sample')} (context and reply; "
        f"{percent(found.by_chance)} % to be expected)"
    )
    if found.replies:
        said += f", {percent(found.replies_seen / found.replies)} % of {found.replies:,} longer replies"
    return said
