"""Training data of a system in words: external data, and its overlap with the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.report.numbers import percent

if TYPE_CHECKING:
    from duologue.core.records import Report

UNDECLARED = "not declared"
TRAINING_RULES = ("seen-in-training", "training-unknown")
"""Rules of the problems that say that a truth was, or may have been, seen in training."""


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
        f"{percent(found.samples_seen / found.samples)} % of {found.samples:,} samples (context and reply; "
        f"{percent(found.by_chance)} % to be expected)"
    )
    if found.replies:
        said += f", {percent(found.replies_seen / found.replies)} % of {found.replies:,} longer replies"
    return said
