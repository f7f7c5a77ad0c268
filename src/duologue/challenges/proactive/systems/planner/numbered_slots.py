"""Numbered slots: templates in which the values of one slot are told apart, as the reply generator reads and says them.

`{a.代表作}` is the first of a star's works that nobody has mentioned, `{a.代表作}~1` the second. Templates of the index
leave open which value is meant; a generator that reads the values can say it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.proactive.systems.planner.slots import (
    TOPICS,
    Filler,
    Filling,
    Slotter,
    SlotValue,
    Tokens,
    is_slot,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.challenges.proactive.systems.planner.state import PlannerState

_NUMBER = "~"
_NUMBERED = re.compile(rf"({{.+}}){_NUMBER}([0-9])")
_MOST = 4  # values of a slot that are told apart


class FilledReply(NamedTuple):
    """A template without numbers, and its words."""

    template: Tokens
    filling: Filling


class NumberedSlots:
    """The slots of one state, with a number for each value."""

    def __init__(self, state: PlannerState) -> None:
        self._options = Filler(state.values, state.said).options
        self._numbers = {value: number for values in self._options.values() for number, value in enumerate(values)}
        self._slotter = Slotter(state.values)

    def name(self, value: SlotValue) -> str | None:
        """Return the numbered slot of a value; `None` for one beyond those that are told apart."""
        number = self._numbers[value]
        if number >= _MOST:
            return None
        return f"{value.slot}{_NUMBER}{number}" if number else value.slot

    def template(self, words: Sequence[str]) -> list[str]:
        """Return words with values replaced by numbered slots, those beyond the ones told apart by the plain slot."""
        return [
            (self.name(one) or one.slot) if isinstance(one, SlotValue) else one for one in self._slotter.matched(words)
        ]

    def filled(self, numbered: Iterable[str], *, facts: bool = True) -> FilledReply | None:
        """Return a numbered template filled; `None` where a slot has no value of that number, or nothing is said.

        Without `facts`, topics are the only slots that are filled.
        """
        template: list[str] = []
        words: list[str] = []
        used: list[SlotValue] = []
        for one in numbered:
            named = _NUMBERED.fullmatch(one)
            slot, place = (one, 0) if named is None else (named[1], int(named[2]))
            template.append(slot)
            if not is_slot(slot):
                words.append(one)
                continue
            values = self._options.get(slot, ()) if facts or slot in TOPICS else ()
            if place >= len(values):
                return None
            words += values[place].words
            used.append(values[place])
        return FilledReply(tuple(template), Filling(tuple(words), tuple(used))) if words else None
