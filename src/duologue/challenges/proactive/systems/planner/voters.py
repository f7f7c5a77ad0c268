"""Overlap of replies with voters: other replies to the same state, each with a weight.

A reply is worth what it would score, on the mean, if one of the voters were the reference.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.proactive.systems.planner.slots import Tokens

    Floats = NDArray[np.float32]

SHARED = tuple(f"{what} shared, {how}" for what in ("characters", "words", "pairs") for how in ("F1", "of all"))
"""What `VoterOverlap.shared` tells, by each of the `KEYS`."""


class VoterOverlap:
    """Overlap with the voters of one kind of keys (characters, words, or pairs of words)."""

    def __init__(self, voters: Sequence[Sequence[Hashable]], weights: Floats) -> None:
        numbers: dict[Hashable, int] = {}
        for voter in voters:
            for key in voter:
                numbers.setdefault(key, len(numbers))
        counts = np.zeros((len(voters), len(numbers)), dtype=np.int16)
        for place, voter in enumerate(voters):
            for key in voter:
                counts[place, numbers[key]] += 1
        columns = [(key, times) for key in range(len(numbers)) for times in range(1, int(counts[:, key].max()) + 1)]
        self._numbers, self._weights = numbers, weights
        self._keys = np.array([key for key, _ in columns], dtype=np.int64)
        self._times = np.array([times for _, times in columns], dtype=np.int16)
        self._table = (counts[:, self._keys] >= self._times).T.astype(np.float32)
        self._sizes = np.array([len(voter) for voter in voters], dtype=np.float32)

    def vector(self, keys: Sequence[Hashable]) -> NDArray[np.int16]:
        """Return how often each known key occurs, and last the number of all keys."""
        made = np.zeros(len(self._numbers) + 1, dtype=np.int16)
        for key in keys:
            place = self._numbers.get(key)
            if place is not None:
                made[place] += 1
        made[-1] = len(keys)
        return made

    def agreement(self, counts: NDArray[np.int16], pooled: float, price: float) -> Floats:
        """Return the weighted mean agreement with the voters of each row of counts, (rows,)."""
        shared = 2 * (counts[:, self._keys] >= self._times).astype(np.float32) @ self._table
        sizes = counts[:, -1:].astype(np.float32)
        f1 = shared / np.maximum(1, sizes + self._sizes)
        gain = (shared - price * sizes) / max(1.0, 2 * float(self._sizes @ self._weights))
        found: Floats = ((1 - pooled) * f1 + pooled * gain) @ self._weights
        return found

    def shared(self, counts: NDArray[np.int16]) -> list[Floats]:
        """Return the F1 with the voters, and how much of all that they say is shared, (rows,) each."""
        return [self.agreement(counts, 0.0, 0.0), self.agreement(counts, 1.0, 0.0)]


def _characters(words: Tokens) -> Sequence[Hashable]:
    return "".join(words)


def _words(words: Tokens) -> Sequence[Hashable]:
    return words


def _pairs(words: Tokens) -> Sequence[Hashable]:
    return list(pairwise(words))


KEYS: tuple[Callable[[Tokens], Sequence[Hashable]], ...] = (_characters, _words, _pairs)
"""What of a reply is compared: its characters, words, and pairs of words."""


def agreement_with(voters: Sequence[Tokens], replies: Sequence[Tokens]) -> NDArray[np.float64]:
    """Return what replies share with voters of equal weight (replies, `SHARED`); zeros where there are none."""
    if not voters:
        return np.zeros((len(replies), len(SHARED)))
    weights = np.full(len(voters), 1 / len(voters), dtype=np.float32)
    columns: list[Floats] = []
    for keys in KEYS:
        overlap = VoterOverlap([keys(one) for one in voters], weights)
        columns += overlap.shared(np.stack([overlap.vector(keys(one)) for one in replies]))
    return np.array(columns, dtype=np.float64).T
