"""Held-out splits by groups of items, such as dialogues: each group is on one side whole.

Groups are drawn by the SHA-256 of seed and name: neither the order of the items nor other groups change the order of
drawing, only where the held-out part ends.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Sequence

T = TypeVar("T")
G = TypeVar("G", bound="Hashable")


def draw_order(names: Iterable[str], seed: int, joint: str = "\n") -> list[str]:
    """Return the distinct names in the order in which a seed draws them; `joint` separates both in what is hashed."""
    return sorted(set(names), key=lambda name: (_digest(name, seed, joint), name))


def draw_rank(name: str, seed: int) -> float:
    """Return the place of a name among all possible ones in the order of `draw_order`, in [0, 1)."""
    return int.from_bytes(_digest(name, seed)[:7], "big") / (1 << 56)


def split_by_group(items: Sequence[T], group_of: Callable[[T], G], held_out: Collection[G]) -> tuple[list[T], list[T]]:
    """Return the items of other groups than those held out, and the items of these, each in their order."""
    kept: list[T] = []
    apart: list[T] = []
    for item in items:
        (apart if group_of(item) in held_out else kept).append(item)
    return kept, apart


def _digest(name: str, seed: int, joint: str = "\n") -> bytes:
    return hashlib.sha256(f"{seed}{joint}{name}".encode("utf-8", "surrogatepass")).digest()
