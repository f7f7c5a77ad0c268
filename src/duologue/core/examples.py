"""Merging the examples of several files: references by id, or ids kept apart by a prefix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Example


def merge_references(files: Sequence[Iterable[Example]]) -> list[Example]:
    """Return the examples of several files: those of one id become one, with the references of all files.

    Examples that one file holds twice stay two.
    """
    found = list(files[0]) if files else []
    for examples in files[1:]:
        places = {example.sample.id: place for place, example in enumerate(found)}
        for example in examples:
            place = places.get(example.sample.id)
            if place is None:
                found.append(example)
            else:
                here = found[place]
                found[place] = msgspec.structs.replace(here, references=(*here.references, *example.references))
    return found


def merge_with_new_ids(files: Iterable[tuple[str, Iterable[Example]]]) -> list[Example]:
    """Return the examples of several files; ids that clash with those of an earlier file get this file's prefix."""
    found: list[Example] = []
    for prefix, examples in files:
        found += with_new_ids(list(examples), found, prefix)
    return found


def with_new_ids(examples: list[Example], others: Sequence[Example], prefix: str) -> list[Example]:
    """Return examples with `prefix` before their ids where one of these is an id among the others; else as they are."""
    dialogues = {example.sample.dialogue_id for example in others}
    samples = {example.sample.id for example in others}
    if not any(one.sample.dialogue_id in dialogues or one.sample.id in samples for one in examples):
        return examples
    return [renamed(example, prefix) for example in examples]


def renamed(example: Example, prefix: str) -> Example:
    """Return an example with `prefix` before the ids of its sample and dialogue."""
    sample = example.sample
    named = msgspec.structs.replace(sample, id=prefix + sample.id, dialogue_id=prefix + sample.dialogue_id)
    return msgspec.structs.replace(example, sample=named)
