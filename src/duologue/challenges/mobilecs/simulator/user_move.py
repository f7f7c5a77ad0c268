"""What a simulated user does in a turn, before it is worded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.mobilecs.simulator.agenda import KnownValue
    from duologue.challenges.mobilecs.simulator.requests import Request


BYE = "再见"
"""Intent of the last utterance, and of no other."""


class UserMove(NamedTuple):
    """One intent of a turn with what is said in it."""

    label: str
    """Intent without arguments."""
    kind: str
    """Way of saying it: `question`, `tell`, `answer`, or phrases such as `ack` and `thanks`."""
    asked: tuple[Request, ...] = ()
    """Requests that are made; of one owner."""
    owner: str = ""
    """Whose name is said where values are told."""
    told: tuple[KnownValue, ...] = ()
    """Values that are told."""
    is_again: bool = False
    """The requests were made before."""

    @property
    def intent(self) -> str:
        """The label with its arguments in the notation of the official files."""
        return self.label + "".join(f"({one.argument})" for one in self.asked if one.slot)


def intent_of(moves: Sequence[UserMove]) -> str:
    """Return the intent of a turn, no label twice."""
    return ",".join(dict.fromkeys(move.intent for move in moves))
