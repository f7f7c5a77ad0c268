"""The data and the answers behind a saved report, as far as its files are still there and still the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core import disk
from duologue.core.errors import DuologueError
from duologue.core.plugins import load_task, names
from duologue.core.protocols import Legible
from duologue.run import evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
        truth = evaluate.Truth.of(task, golds, data[0] if data else None)
        submission = task.read(pred[0])
        return Context(truth.examples, task.answers(submission, truth.examples), "")
    except DuologueError as error:
        return Context((), {}, str(error).partition("\n")[0])


_KINDS = ("gold", "input", "pred")


def _same_file(stored: Any, beside: Path | None) -> Path:
    """Return where a stored file is. Raises `DuologueError` when it is gone or holds something else."""
    path = locate(Path(str(stored["path"])), beside)
    if path is None:
        raise DuologueError(f"{stored['path']} is gone")
    if disk.sha256(disk.read_bytes(path)) != stored["sha256"]:
        raise DuologueError(f"{path} has changed since it was scored")
    return path


def locate(named: Path, beside: Path | None) -> Path | None:
    """Return a file that a report names: as it was given, else below or in the folder of the report; `None`: gone."""
    folders = [] if beside is None else [beside.parent / named, beside.parent / named.name]
    return next((path for path in (named, *folders) if path.is_file()), None)
