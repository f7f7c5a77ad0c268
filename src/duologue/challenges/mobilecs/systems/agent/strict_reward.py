"""Reward of answering as strict success wants it: soon, in one or two replies, not among many values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.ontology import STAFF_TEXT, USER_INTENT, USER_TEXT
from duologue.challenges.mobilecs.scoring.dialogue import strict

if TYPE_CHECKING:
    from collections.abc import Mapping


class StrictReward:
    """Follows one call of a goal with its knowledge base."""

    def __init__(self, row: Mapping[str, Any], amount: float) -> None:
        """Take the official `goal` and `KB`, and what strict success is worth."""
        self._row, self._amount = row, amount
        self._content: list[dict[str, str]] = []
        self._values = [one.values for one in strict.requested_items({**row, "content": []})]
        self._is_spoilt = False

    def of_turn(self, user: str, intent: str, reply: str) -> float:
        """Return the reward of a turn: less where a requested value is said in one reply too many, once in a call."""
        self._content.append({USER_TEXT: user, USER_INTENT: intent, STAFF_TEXT: reply})
        if self._is_spoilt or not self._amount:
            return 0.0
        replies = [turn[STAFF_TEXT].casefold() for turn in self._content]
        times = (sum(any(value in one for value in values) for one in replies) for values in self._values)
        self._is_spoilt = max(times, default=0) > strict.MAX_REPLIES
        return -self._amount if self._is_spoilt else 0.0

    def of_end(self) -> float:
        """Return the reward of the end: that of strict success."""
        if not self._amount or self._is_spoilt:
            return 0.0
        row = {**self._row, "content": self._content}
        answered = strict.answered_items(row, [turn[STAFF_TEXT] for turn in self._content])
        return self._amount if all(answered.values()) else 0.0
