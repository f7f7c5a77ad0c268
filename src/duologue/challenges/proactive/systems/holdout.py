"""Held-out splits that share no pair of topics with the training data, for early stopping and tuning.

Sessions about the same two topics, in either order, stay together. Single topics may be on both sides, as in the
official splits. Pairs are ordered by a hash of seed and names: neither the order of the examples nor other pairs change
the order, only the size at which the split is full.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.proactive.knowledge import topics_of
from duologue.core.errors import UsageError
from duologue.core.held_out import draw_order, split_by_group

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Example, Sample

Pair = tuple[str, ...]
"""Names of both topics, sorted."""


def pair_of(sample: Sample) -> Pair:
    """Return the unordered pair of a sample's topics. Raises `UsageError` for a sample without two topics."""
    return tuple(sorted(topics_of(sample)))


def split(examples: Sequence[Example], share: float, seed: int) -> tuple[list[Example], list[Example]]:
    """Split examples into training and held-out data without a common pair of topics, each in the order given.

    The held-out part is filled pair by pair until it has `share` of the examples (0 < share < 1) or all pairs but one.
    Raises `UsageError` for another share, a sample without two topics, and fewer than two pairs.
    """
    if not 0 < share < 1:
        raise UsageError(f"the held-out share is {share}; expected a number between 0 and 1, such as 0.05")
    sizes: dict[Pair, int] = {}
    for one in examples:
        pair = pair_of(one.sample)
        sizes[pair] = sizes.get(pair, 0) + 1
    if len(sizes) < 2:
        raise UsageError(
            f"{len(examples)} examples about {len(sizes)} pair(s) of topics cannot be split; give more of them, or "
            "held-out examples of your own"
        )
    kept: set[Pair] = set()
    count = 0
    for pair in _drawn(sizes, seed)[:-1]:
        if count >= share * len(examples):
            break
        kept.add(pair)
        count += sizes[pair]
    return _apart(examples, kept)


def carve(examples: Sequence[Example], dialogues: int, seed: int) -> tuple[list[Example], list[Example]]:
    """Split off exactly `dialogues` dialogues without a common pair of topics; return the rest and that part.

    A pair with more dialogues than there is room for stays with the rest. Raises `UsageError` if no set of pairs has
    exactly as many dialogues, or nothing would be left.
    """
    groups: dict[Pair, set[str]] = {}
    for one in examples:
        groups.setdefault(pair_of(one.sample), set()).add(one.sample.dialogue_id)
    kept: set[Pair] = set()
    room = dialogues
    for pair in _drawn(groups, seed):
        if 0 < len(groups[pair]) <= room:
            kept.add(pair)
            room -= len(groups[pair])
    if room or len(kept) == len(groups):
        total = sum(map(len, groups.values()))
        raise UsageError(f"{dialogues} of {total} dialogues cannot be put aside so that no pair of topics is divided")
    return _apart(examples, kept)


def _drawn(pairs: Iterable[Pair], seed: int) -> list[Pair]:
    """Return the pairs in a pseudo-random order of the seed."""
    by_name = {"\n".join(pair): pair for pair in pairs}
    return [by_name[name] for name in draw_order(by_name, seed)]


def _apart(examples: Sequence[Example], kept: set[Pair]) -> tuple[list[Example], list[Example]]:
    return split_by_group(examples, lambda one: pair_of(one.sample), kept)
