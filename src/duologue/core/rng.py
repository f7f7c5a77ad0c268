"""Random numbers that are the same for a key on every version of Python.

Python guarantees only `random.Random(int).random()` and hashes across versions, so every draw is built from them.
"""

from __future__ import annotations

import hashlib
import math
import random
from typing import TYPE_CHECKING, TypeVar

from duologue.core.seeds import seed_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

T = TypeVar("T")


def digest(*key: object) -> bytes:
    """Return the SHA-256 of the key's parts."""
    return hashlib.sha256(_joined(key).encode()).digest()


def _joined(key: Iterable[object]) -> str:
    return "|".join(map(str, key))


def identifier(*key: object) -> str:
    """Return an id of the shape of a uuid4 that depends on the key alone.

    >>> identifier("seed", 1)
    'eb1e6076-8783-452e-bfd7-88d88a651657'
    """
    text = digest(*key).hex()
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{'89ab'[int(text[16], 16) & 3]}{text[17:20]}-{text[20:32]}"


class Rng:
    """Random number stream seeded by a key."""

    __slots__ = ("unit",)

    def __init__(self, *key: object) -> None:
        self.unit = random.Random(seed_of(_joined(key))).random
        """A number from 0 to below 1."""

    def happens(self, probability: float) -> bool:
        """Return True with the probability given."""
        return self.unit() < probability

    def below(self, limit: int) -> int:
        """Return one of 0 .. limit - 1, equally likely."""
        return int(self.unit() * limit)

    def choice(self, choices: Sequence[T]) -> T:
        """Return one of the choices, equally likely. There must be one."""
        return choices[int(self.unit() * len(choices))]

    def other(self, choices: Sequence[T], *taken: T) -> T:
        """Return one of the choices that are not taken, equally likely. There must be one."""
        return self.choice([choice for choice in choices if choice not in taken])

    def weighted_choice(self, choices: Sequence[T], weights: Sequence[float]) -> T:
        """Return one of the choices, as likely as its weight says. The weights must not all be zero."""
        point = self.unit() * math.fsum(weights)  # sum() of floats differs between versions of Python
        for choice, weight in zip(choices, weights, strict=True):
            point -= weight
            if point < 0:
                return choice
        return [choice for choice, weight in zip(choices, weights, strict=True) if weight > 0][-1]

    def weighted_key(self, weights: Mapping[T, float]) -> T:
        """Return one of the keys, as likely as its weight says. The weights must not all be zero."""
        return self.weighted_choice(tuple(weights), tuple(weights.values()))

    def sample(self, choices: Sequence[T], count: int) -> list[T]:
        """Return `count` of the choices (at most all) in random order, none twice."""
        pool = list(choices)
        count = min(count, len(pool))
        for place in range(count):
            other = place + int(self.unit() * (len(pool) - place))
            pool[place], pool[other] = pool[other], pool[place]
        return pool[:count]

    def shuffled(self, choices: Sequence[T]) -> list[T]:
        """Return all choices in random order."""
        return self.sample(choices, len(choices))
