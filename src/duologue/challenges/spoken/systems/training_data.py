"""What the systems share in reading training data: gold facts and the split into training and held-out dialogues."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from duologue.core.held_out import draw_order, split_by_group

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
    ordered = draw_order(dialogues, seed, joint=" ")
    return set(ordered[: max(1, min(round(share * len(ordered)), len(ordered) - 1))])


def split_by_dialogue(
    items: Sequence[T], dialogue_of: Callable[[T], str], share: float, seed: int
) -> tuple[list[T], list[T]]:
    """Return the items to train on, and the held-out ones: about this share of the dialogues."""
    return split_by_group(items, dialogue_of, held_out_dialogues(map(dialogue_of, items), share, seed))
