"""The files that a system is trained on, read by what each is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.core.errors import UsageError
from duologue.core.examples import with_new_ids
from duologue.run.contamination import HELD_OUT, TRAIN, UNLABELLED, training_files
from duologue.run.predict import in_world

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.protocols import Task, World
    from duologue.core.records import Example
    from duologue.run.contamination import TrainingFile


class TrainingParts(NamedTuple):
    """Examples to learn from, to choose by and without labels, whose ids differ, and the files that they are from."""

    examples: list[Example] | None
    """`None` where no file was given: the task's simulator makes them."""
    held_out: list[Example]
    unlabelled: list[Example]
    files: list[TrainingFile]


def read_training_parts(
    task: Task,
    world: World | None,
    *,
    data: Sequence[Path],
    held_out: Sequence[Path] = (),
    unlabelled: Sequence[Path] = (),
) -> TrainingParts:
    """Return the parts of training data that lie in files of a task; samples name `world`.

    Ids that are those of an earlier part get the part's name in front. Raises `UsageError` for parts beside no
    training files, and `FormatError` with all problems of a file.
    """
    for option, paths in (("--held-out", held_out), ("--unlabelled", unlabelled)):
        if paths and not data:
            raise UsageError(f"{option} needs training files beside it; give them with --train, or leave it out")
    examples = in_world(task.load_training(data), world) if data else None
    kept_back = with_new_ids(in_world(task.load_training(held_out), world), examples or (), "held-out:")
    bare = in_world(task.load_training(unlabelled), world)
    files = [
        one
        for paths, part in ((data, TRAIN), (held_out, HELD_OUT), (unlabelled, UNLABELLED))
        for one in training_files(paths, part)
    ]
    return TrainingParts(examples, kept_back, with_new_ids(bare, [*(examples or ()), *kept_back], "unlabelled:"), files)
