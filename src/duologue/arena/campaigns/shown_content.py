"""What raters see of an item and of a system, as the database keeps it."""

from __future__ import annotations

from duologue.core.records import Record

Utterance = tuple[str, str]
"""Speaker and words."""
Triple = tuple[str, str, str]


class ShownContext(Record, frozen=True, kw_only=True):
    """What raters see beside all answers to an item."""

    turns: tuple[Utterance, ...] = ()
    knowledge: tuple[Triple, ...] = ()
    goal: tuple[str, ...] = ()


class ShownAnswer(Record, frozen=True, kw_only=True):
    """What raters see of one system."""

    turns: tuple[Utterance, ...]
    facts: tuple[Triple, ...] = ()
    """Facts that the system names with its reply."""
