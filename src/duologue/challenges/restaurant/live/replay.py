"""A talk with the booking bot as one request: the user's lines are said to a live partner again, in their order.

What the bot said before is not taken from the request: the same seed and the same lines give the same replies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.restaurant.live.partner import RestaurantPartner
from duologue.challenges.restaurant.schema import templates
from duologue.core.errors import RequestError
from duologue.core.records import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import System, TaskInfo, World
    from duologue.core.records import Record, Sample

MAX_LINES = 100
"""Lines of the user that are said again at most."""


class _Prepared:
    """A system that is prepared already: partners prepare theirs."""

    def __init__(self, system: System) -> None:
        self._system = system
        self.Recipe: type[Record] = system.Recipe
        self.seen = system.seen

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Do nothing."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Answer as the system does."""
        return self._system.answer(samples)


def replay(system: System, sample: Sample, world: World, *, seed: int) -> Answer:
    """Return what the bot says to the last line of a talk that its user typed: a text without calls and facts.

    Raises `RequestError` for more than `MAX_LINES` lines.
    """
    lines = [turn.text for turn in sample.history if turn.speaker == "user"]
    if len(lines) > MAX_LINES:
        raise RequestError(f"a booking of {len(lines)} lines; {MAX_LINES} are the most")
    partner = RestaurantPartner(_Prepared(system), world, seed=seed, name=sample.dialogue_id)
    shown = [partner.reply(line) for line in lines]
    said = [turn.text for turn in (shown[-1] if shown else ()) if turn.speaker == "system"]
    return Answer(text="\n".join(text for text in said if not text.startswith(templates.API_CALL)))
