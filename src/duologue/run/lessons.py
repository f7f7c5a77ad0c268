"""The examples of training files: those of different dialogues have different ids, whatever file they are from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.core.protocols import Gathering, Teaching

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.protocols import Task
    from duologue.core.records import Example


def lessons(task: Task, paths: Sequence[Path]) -> list[Example]:
    """Return the examples of all files as the task reads them for training.

    A task that reads several files in its own way does so; else the ids of a file that clash with those of an earlier
    one get the file's name in front. Raises `FormatError` for a file that is not as it should be.
    """
    if isinstance(task, Teaching):
        return task.lessons(paths)
    if len(paths) > 1 and isinstance(task, Gathering):
        return task.gather(paths)
    found: list[Example] = []
    for number, path in enumerate(paths, start=1):
        found += told_apart(list(task.load(path)), found, f"{path.name}({number}):")
    return found


def told_apart(examples: list[Example], others: Sequence[Example], prefix: str) -> list[Example]:
    """Return examples with `prefix` before their ids where one of these is an id among the others; else as they are."""
    dialogues = {example.sample.dialogue_id for example in others}
    samples = {example.sample.id for example in others}
    if not any(one.sample.dialogue_id in dialogues or one.sample.id in samples for one in examples):
        return examples
    return [_named(example, prefix) for example in examples]


def _named(example: Example, prefix: str) -> Example:
    sample = example.sample
    renamed = msgspec.structs.replace(sample, id=prefix + sample.id, dialogue_id=prefix + sample.dialogue_id)
    return msgspec.structs.replace(example, sample=renamed)
