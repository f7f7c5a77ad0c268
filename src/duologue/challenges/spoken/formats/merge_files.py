"""Merging of training files whose dialogue ids overlap: each file numbers its dialogues from 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.spoken.formats import files
from duologue.core.examples import renamed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from duologue.core.records import Example


def side_by_side(paths: Sequence[Path], gather: Callable[[Sequence[Path]], list[Example]]) -> list[Example]:
    """Return the examples of several files; `gather` puts samples (test.json) and gold together by their ids.

    Where there are several, before the ids of a file of dialogues stands its name, and its number among the files where
    two share a name.
    Raises `FormatError` for a file that is not as it should be.
    """
    names = [path.name for path in paths]
    made: list[Example] = []
    halves: list[Path] = []
    for number, path in enumerate(paths):
        examples = files.load(path)
        if not all(example.sample.history and example.references for example in examples):
            halves.append(path)
            continue
        prefix = f"{path.name}:" if names.count(path.name) == 1 else f"{path.name}({number + 1}):"
        made += [renamed(example, prefix) for example in examples] if len(paths) > 1 else examples
    return made + (gather(halves) if halves else [])
