"""What the systems share in reading training data: gold facts and the split into training and held-out dialogues."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from duologue.core.records import Example, Fact

T = TypeVar("T")


def gold_facts(example: Example) -> tuple[Fact, ...]:
    """Return the facts of an example's reference; none where they are not known."""
    annotation = example.references[0].annotation if example.references else None
    return annotation.facts if annotation is not None else ()


def held_out_dialogues(dialogues: Iterable[str], share: float, seed: int) -> set[str]:
    """Return the ids of the dialogues to hold out, drawn by hash: at least one, and never all of several."""
    ordered = sorted(dict.fromkeys(dialogues), key=lambda name: (_digest(name, seed), name))
    return set(ordered[: max(1, min(round(share * len(ordered)), len(ordered) - 1))])


def split_by_dialogue(
    items: Sequence[T], dialogue_of: Callable[[T], str], share: float, seed: int
) -> tuple[list[T], list[T]]:
    """Return the items to train on, and the held-out ones: about this share of the dialogues."""
    held_out = held_out_dialogues(map(dialogue_of, items), share, seed)
    kept = [item for item in items if dialogue_of(item) not in held_out]
    return kept, [item for item in items if dialogue_of(item) in held_out]


def _digest(name: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed} {name}".encode("utf-8", "surrogatepass")).digest()
