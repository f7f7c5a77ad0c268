"""Mixing of training files: limits and upsampling, so that large files do not drown small in-domain ones.

Dialogue ids begin with the number of their file where there are several (`task.lessons`).
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.conversation.formats.training_pairs import TrainingDialogue


def limited(talks: Sequence[TrainingDialogue], limit: int, seed: int) -> list[TrainingDialogue]:
    """Return a random sample of at most `limit` dialogues (0: all), in order.

    Each file gets an equal share; what a small file leaves is shared among the larger ones.
    """
    if not limit or len(talks) <= limit:
        return list(talks)
    files = sorted(files_of(talks), key=len)
    kept: set[int] = set()
    for number, places in enumerate(files):
        room = (limit - len(kept)) // (len(files) - number)
        rng = Random(seed)
        kept |= set(sorted(places, key=lambda _: rng.random())[:room])
    return [talk for place, talk in enumerate(talks) if place in kept]


def upsampled(talks: Sequence[TrainingDialogue], times: int) -> list[TrainingDialogue]:
    """Repeat the dialogues of small files up to `times`, no file becoming larger than the largest."""
    files = files_of(talks)
    largest = max(map(len, files), default=0)
    found = list(talks)
    for places in files:
        found += [talks[place] for place in places] * (min(times, largest // len(places)) - 1)
    return found


def files_of(talks: Sequence[TrainingDialogue]) -> list[list[int]]:
    """Return the indices of the dialogues of each file."""
    found: dict[str, list[int]] = {}
    for place, talk in enumerate(talks):
        found.setdefault(talk.id.rpartition(":")[0], []).append(place)
    return list(found.values())
