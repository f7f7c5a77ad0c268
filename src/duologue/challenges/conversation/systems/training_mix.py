"""How much of each training file is learned: small files are not drowned by large ones.

Talks of several files have the number of their file before their ids (`task.lessons`). A few hundred talks in the words
that will be asked for are worth more than their share beside thousands of others.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.conversation.formats.training_pairs import Talk


def some(talks: Sequence[Talk], most: int, seed: int) -> list[Talk]:
    """Return at most so many talks (0: all), drawn by the seed, in their order.

    Each file may fill an equal part; what a small one leaves is shared among the larger ones.
    """
    if not most or len(talks) <= most:
        return list(talks)
    files = sorted(_files(talks), key=len)
    kept: set[int] = set()
    for number, places in enumerate(files):
        room = (most - len(kept)) // (len(files) - number)
        chance = Random(seed)
        kept |= set(sorted(places, key=lambda _: chance.random())[:room])
    return [talk for place, talk in enumerate(talks) if place in kept]


def repeated(talks: Sequence[Talk], times: int) -> list[Talk]:
    """Return talks with those of small files up to so many times, as far as no file outgrows the largest."""
    files = _files(talks)
    largest = max(map(len, files), default=0)
    found = list(talks)
    for places in files:
        found += [talks[place] for place in places] * (min(times, largest // len(places)) - 1)
    return found


def _files(talks: Sequence[Talk]) -> list[list[int]]:
    """Return the places of the talks of each file."""
    found: dict[str, list[int]] = {}
    for place, talk in enumerate(talks):
        found.setdefault(talk.id.rpartition(":")[0], []).append(place)
    return list(found.values())
