"""A score of a report as the database keeps it, for entries and boards alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.report.serialize import json_number

if TYPE_CHECKING:
    from duologue.arena.competition.score_shapes import KeptScore
    from duologue.core.records import Score


def kept_score(score: Score) -> KeptScore:
    """Return a score of a report as the database has it."""
    kept: KeptScore = {
        "name": score.name,
        "value": json_number(score.value),
        "low": json_number(score.low),
        "high": json_number(score.high),
        "percent": score.percent,
        "higher_is_better": score.higher_is_better,
    }
    return {**kept, "note": score.note} if score.note else kept
