"""Examples and answers behind a saved report, as far as its files are still there and unchanged."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.errors import DuologueError, FormatError
from duologue.core.plugins import load_task, names
from duologue.run import evaluate
from duologue.run.stored import files_of, locate, told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import Task
    from duologue.core.records import Answer, Example, Report
    from duologue.run.stored import StoredFile


class Context(NamedTuple):
    """What a report was made from."""

    examples: Sequence[Example]
    answers: Mapping[str, Answer]
    missing: str
    """Why there is nothing to show, in words; empty where there is."""
    names: Mapping[str, str] = MappingProxyType({})
    """English names of the labels of the task."""


def context_of(report: Report, beside: Path | None = None, folders: Sequence[Path] = ()) -> Context:
    """Return the examples and answers behind a report, whose files are looked for as `stored.locate` does.

    `beside` is the report's own file. Raises `FormatError` where the report's list of files is damaged.
    """
    files = files_of(report, beside or report.system or report.task)
    if report.task not in names("tasks") or files is None:
        return Context((), {}, "the report does not name its files")
    task = load_task(report.task)
    try:
        golds, data, pred = (
            [_same_file(one, beside, folders) for one in listed] for listed in (files.gold, files.input, files.pred)
        )
        if golds:
            examples: Sequence[Example] = evaluate.Truth.of(task, golds, data[0] if data else None).examples
        else:
            examples = _own_examples(task, report, pred[0])
        answers = task.answers(task.read(pred[0]), examples)
        missing = "" if examples else "its items are lines of the result file, without context"
        return Context(examples, answers, missing, task.info.english)
    except DuologueError as error:
        return Context((), {}, str(error).partition("\n")[0])


def _own_examples(task: Task, report: Report, result: Path) -> Sequence[Example]:
    """Return the samples in a result file that has its references itself; none where its items are something else.

    Items may be runs of lines, or lines that are paired by their order whatever dialogue they stand in.
    """
    if report.n != len(report.items):
        return ()
    try:
        found = list(task.load(result))
    except FormatError:  # such a file is no data file in every task
        return ()
    own = [example for example in found if example.references]
    return own if [example.sample.id for example in own] == [name for name, _ in report.items] else ()


def _same_file(one: StoredFile, beside: Path | None, folders: Sequence[Path]) -> Path:
    """Return where a stored file is. Raises `DuologueError` when it is not to be found or holds something else."""
    found = locate(one, beside, folders)
    if found.path is None:
        raise DuologueError(told(one, found))
    return found.path
