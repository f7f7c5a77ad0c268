"""The data and the answers behind a saved report, as far as its files are still there and still the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core.disk import Source
from duologue.core.errors import DuologueError, FormatError
from duologue.core.lines import sha256
from duologue.core.plugins import load_task, names
from duologue.core.protocols import Legible
from duologue.run import evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import Task
    from duologue.core.records import Answer, Example, Report


class Context(NamedTuple):
    """What a report was made from."""

    examples: Sequence[Example]
    answers: Mapping[str, Answer]
    missing: str
    """Why there is nothing to show, in words; empty where there is."""


def context_of(report: Report, beside: Path | None = None) -> Context:
    """Return the examples and answers behind a report; `beside` is the report's own file, near which to look too."""
    files = report.meta.get("files")
    if report.task not in names("tasks") or not isinstance(files, dict):
        return Context((), {}, "the report does not name its files")
    task = load_task(report.task)
    if not isinstance(task, Legible):
        return Context((), {}, f"answers of {report.task} cannot be shown")
    try:
        golds, data, pred = ([_same_file(one, beside) for one in files.get(kind, ())] for kind in _KINDS)
        if golds:
            examples: Sequence[Example] = evaluate.Truth.of(task, golds, data[0] if data else None).examples
        else:
            examples = _own_examples(task, report, pred[0])
        answers = task.answers(task.read(pred[0]), examples)
        return Context(examples, answers, "" if examples else "its items are lines of the result file, without context")
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


_KINDS = ("gold", "input", "pred")


def _same_file(stored: Any, beside: Path | None) -> Path:
    """Return where a stored file is. Raises `DuologueError` when it is gone or holds something else."""
    path = locate(Path(str(stored["path"])), beside)
    if path is None:
        raise DuologueError(f"{stored['path']} is gone")
    if sha256(Source(path)) != stored["sha256"]:
        raise DuologueError(f"{path} has changed since it was scored")
    return path


def locate(named: Path, beside: Path | None) -> Path | None:
    """Return a file that a report names: as it was given, else below or in the folder of the report; `None`: gone."""
    folders = [] if beside is None else [beside.parent / named, beside.parent / named.name]
    return next((path for path in (named, *folders) if path.is_file()), None)
