"""Threads of posts as dialogues (specification, section 1.3, step 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence


class Change(NamedTuple):
    """What becomes of an account's dialogues."""

    removed: Sequence[int]
    """Keys of dialogues that are no more, or went on and stand under a later key now."""
    added: dict[int, tuple[int, ...]]
    """Key -> ids, oldest first."""


def rebuild(
    stored: Mapping[int, Collection[int]], timeline: Iterable[int], parents: Mapping[int, int | None]
) -> Change:
    """Return how new posts of an account change its stored dialogues.

    `stored`: key -> ids. `timeline`: the account's new replies, newest first. `parents`: every known post -> what it
    answers. A reply that no later one goes on from ends a dialogue: the chain of posts up to the first that answers
    nothing known. Stored dialogues that the chain runs through the end of were unfinished and go; a chain of one is no
    dialogue. Replies that stand in a stored dialogue end none, so that doing the same twice changes nothing.

    >>> rebuild({11: (10, 11)}, [13], {13: 12, 12: 11, 11: 10, 10: None})
    Change(removed=[11], added={13: (10, 11, 12, 13)})
    """
    visited = {number for ids in stored.values() for number in ids}
    removed: dict[int, None] = {}
    added: dict[int, tuple[int, ...]] = {}
    for last in timeline:
        if last in visited:
            continue
        chain = _chain(last, parents)
        visited.update(chain)
        removed.update((number, None) for number in chain if number in stored)
        if len(chain) > 1:
            added[last] = tuple(reversed(chain))
    return Change(list(removed), added)


def _chain(last: int, parents: Mapping[int, int | None]) -> list[int]:
    """Return a post and what it answers, as far as it is known, newest first."""
    chain = [last]
    seen = {last}
    parent = parents[last]
    while parent is not None and parent in parents and parent not in seen:
        chain.append(parent)
        seen.add(parent)
        parent = parents[parent]
    return chain
