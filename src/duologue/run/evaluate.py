"""Score an official result file against the truth; the file is what is ranked, never answers in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.core.errors import FormatError, UsageError, did_you_mean
from duologue.core.protocols import Naming
from duologue.core.recipe import read_toml
from duologue.run.predict import provenance_path

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.protocols import Task
    from duologue.core.records import Example, Problem, Report, Submission


def pick_variant(task: Task, variant: str | None) -> str:
    """Return the score variant asked for, or the task's default; an unknown one is a `UsageError`."""
    if variant is None:
        return task.brief.variants[0]
    if variant not in task.brief.variants:
        raise UsageError(f"{task.brief.name} has no variant '{variant}'{did_you_mean(variant, task.brief.variants)}")
    return variant


def join(data: Sequence[Example], truth: Sequence[Example]) -> list[Example]:
    """Return the truth with the samples of the data file put in, so that slices can be made.

    Truth rows that the data does not know keep their own bare sample.
    """
    samples = {example.sample.id: example.sample for example in data}
    return [
        msgspec.structs.replace(example, sample=samples.get(example.sample.id, example.sample)) for example in truth
    ]


def check(task: Task, result: Path, data: Path | None, variant: str) -> tuple[Submission, tuple[Problem, ...]]:
    """Return a result file as read and all its problems, measured against the data file when given."""
    submission = task.read(result)
    examples = list(task.load(data)) if data is not None else None
    return submission, task.check(submission, examples, variant)


def score(
    task: Task,
    gold: Path,
    result: Path,
    variant: str,
    *,
    data: Path | None = None,
    partial: bool = False,
    test_set: str | None = None,
) -> Report:
    """Return the report of a result file against a truth file.

    `data` (the data file with texts and candidates) adds slices by answer type and the check for unknown
    candidates. Raises `FormatError` for a file that the variant does not accept, unless `partial`.
    """
    examples: Sequence[Example] = list(task.load(gold))
    if data is not None:
        examples = join(list(task.load(data)), examples)
    report = task.score(examples, task.read(result), variant, partial=partial)
    system, seen = _provenance(result)
    named = test_set or (task.test_set(gold) if isinstance(task, Naming) else None) or _stem(gold)
    meta = {**report.meta, "test_set": named}
    return msgspec.structs.replace(report, system=report.system or system, seen=report.seen or seen, meta=meta)


def _stem(path: Path) -> str:
    """Return a file's name without what every file of its kind ends in."""
    return path.name.removesuffix(".gz").removesuffix(".json").removesuffix(".answers")


def _provenance(result: Path) -> tuple[str, str]:
    """Return system and training data from the note beside a result file, or the file's name and nothing."""
    path = provenance_path(result)
    if not path.is_file():
        return _stem(result), ""
    try:
        note = read_toml(path)
    except FormatError:
        return _stem(result), ""
    return str(note.get("system", result.name)), str(note.get("seen", ""))
