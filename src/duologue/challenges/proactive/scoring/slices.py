"""Slices of the data for scores: by turn, by the domains of the two topics, by how the goal links them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.proactive.knowledge import domains_of
from duologue.challenges.proactive.schema import FILM
from duologue.metrics.reports import rows_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Example, Sample

_LAST_TURN = 7
"""Agent turns from this one on form one slice; few dialogues are that long."""


def cuts_of(examples: Sequence[Example], by: str) -> dict[str, list[int]]:
    """Return slice name -> indices of its examples, sorted by name."""
    part_of = {"turn": _turn, "domains": _domains, "relation": _relation}[by]
    return rows_by([part_of(one.sample) for one in examples])


def _turn(sample: Sample) -> str:
    """Return the number of the agent turn to be predicted, from 1."""
    turn = len(sample.history) // 2 + 1
    return f"{turn}" if turn < _LAST_TURN else f"{_LAST_TURN}+"


def _domains(sample: Sample) -> str:
    """Return the domains of topics A and B, such as `film-person`."""
    if sample.goal is None:
        return "unknown"
    kinds = domains_of(sample.knowledge)
    names = [
        ("film" if kinds[topic] == FILM else "person") if topic in kinds else "unknown" for topic in sample.goal.topics
    ]
    return "-".join(names)


def _relation(sample: Sample) -> str:
    """Return how the goal links its topics: by one direct fact or by a shared value."""
    count = len(sample.goal.relations) if sample.goal is not None else 0
    return {1: "direct", 2: "shared value"}.get(count, f"{count} facts")
