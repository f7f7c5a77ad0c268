"""How people are paired: how long they wait for each other, and how short and long their dialogues are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from duologue.core.bounds import Count, Waited
from duologue.core.errors import UsageError
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence


class PairSettings(Record, frozen=True, kw_only=True):
    """The settings of a campaign in which people are paired."""

    first: Literal["system", "user"] = "system"
    """Who speaks first: whoever is in the system's place, or the other."""
    shortest: Count = 8
    """Utterances of the shortest dialogue that is accepted."""
    longest: Count = 18
    """A dialogue ends by itself after so many."""
    turn_seconds: Waited = 300
    """Whoever is silent for so long leaves the dialogue."""
    seen_seconds: Waited = 30
    """Whoever waits and has not been seen for so long is not paired."""


def checked(settings: PairSettings) -> PairSettings:
    """Return settings. Raises `UsageError` for those that no dialogue can keep."""
    if not 2 <= settings.shortest <= settings.longest:
        raise UsageError(
            f"a dialogue of two people has at least 2 utterances and at most {settings.longest}; the shortest that is "
            f"accepted cannot have {settings.shortest}"
        )
    return settings


def speaker_due(settings: PairSettings, turns: int) -> str:
    """Return who speaks next after so many turns: speakers alternate."""
    other = {"system": "user", "user": "system"}
    return settings.first if turns % 2 == 0 else other[settings.first]


def least_led(first: tuple[str, int], second: tuple[str, int]) -> Sequence[str]:
    """Return who leads and who follows, of two people with the dialogues that they have led: who led less leads."""
    return (first[0], second[0]) if first[1] <= second[1] else (second[0], first[0])
