"""Habits of the users of annotated dialogues: how they open calls and what they say to what, as often as they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.simulator.habits import BESIDE_KINDS, NEXT_REQUEST, Habits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.challenges.mobilecs.simulator.user_turns import UserTurn
    from duologue.core.rng import Rng

_WEIGHT = 8.0
"""How many turns a rarer context must have seen to count as much as the next more frequent one."""


class LearnedHabits(Habits):
    """Shares counted in dialogues; rare contexts are mixed with less specific ones (Witten and Bell's way)."""

    def __init__(self, dialogues: Sequence[Sequence[UserTurn]]) -> None:
        self._openings = {"bare": 1.0, "other": 1.0, "greeted": 1.0, "direct": 1.0}
        self._contexts: dict[tuple[str, ...], dict[str, float]] = {(): {NEXT_REQUEST: 1.0}}
        self._lengths: list[int] = []
        asked = told = informing = jointly = 0
        for turns in dialogues:
            self._lengths.append(sum(_label(turn) != NEXT_REQUEST for turn in turns[1:-1]))
            before = ""
            for turn in turns:
                if turn.is_first:
                    self._openings[_opening(turn)] += 1
                elif not turn.is_last and _label(turn) is not None:
                    for context in _contexts(turn.staff, before):
                        counts = self._contexts.setdefault(context, {})
                        label = _label(turn) or NEXT_REQUEST
                        counts[label] = counts.get(label, 0.0) + 1
                asked += turn.is_request
                jointly += len(turn.key.asked) > 1
                if turn.labels[-1:] == ("提供信息",) and not turn.is_request:
                    informing += 1
                    told += bool(turn.key.told or turn.key.is_named)
                before = turn.labels[-1] if turn.labels else ""
        self.jointly = (jointly + 0.3) / (asked + 1)
        self.tells = (told + 0.5) / (informing + 1)

    def opening(self, rng: Rng) -> str:
        """Return how the call begins, as the annotated ones do."""
        return rng.weighted_key(self._openings)

    def turns_beside(self, rng: Rng, talk: float) -> int:
        """Return the number of one of the dialogues, in the share of `talk`."""
        return round(talk * rng.choice(self._lengths)) if self._lengths else 0

    def beside(self, rng: Rng, staff: frozenset[str], before: str) -> str:
        """Return an intent as often as it follows these intents of the staff and the user's one before."""
        shares: dict[str, float] = {}
        for context in _contexts(sorted(staff), before):
            counts = self._contexts.get(context)
            if counts:
                seen = sum(counts.values())
                kept = seen / (seen + _WEIGHT) if shares else 1.0
                shares = {label: share * (1 - kept) for label, share in shares.items()}
                for label, count in counts.items():
                    shares[label] = shares.get(label, 0.0) + kept * count / seen
        return rng.weighted_key(shares)


def _contexts(staff: Iterable[str], before: str) -> list[tuple[str, ...]]:
    """Return what a turn may depend on, the most general first."""
    labels = tuple(sorted(set(staff)))
    return [(), labels[-1:], labels, (*labels, "|", before)]


def _label(turn: UserTurn) -> str | None:
    """Return the intent of a turn beside the agenda, or that it is a request; `None` for one that ends the call."""
    if turn.is_request:
        return NEXT_REQUEST
    return next((label for label in reversed(turn.labels) if label in BESIDE_KINDS), None)


def _opening(turn: UserTurn) -> str:
    if set(turn.labels) <= {"问候"}:
        return "bare"
    if set(turn.labels) <= {"其他"}:
        return "other"
    return "greeted" if "问候" in turn.labels else "direct"
