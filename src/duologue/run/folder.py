"""Score every result file in a folder against one truth, which is read once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.core.errors import FormatError, StorageError, UsageError
from duologue.run import evaluate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.protocols import Progress, Task
    from duologue.core.records import Report, Scoring

_NOTES = (".run.toml", ".report.json", ".html", ".md")
"""Ends of file names that stand beside result files and are none."""


class Refusal(NamedTuple):
    """A file that could not be scored."""

    file: str
    problems: int
    first: str
    """The first problem, in words."""


class Scored(NamedTuple):
    """What came of a folder."""

    reports: tuple[Report, ...]
    refused: tuple[Refusal, ...]


def result_files(folder: Path, but: Sequence[Path] = ()) -> list[Path]:
    """Return the files directly in a folder, sorted, without hidden ones, notes, reports, pages, and those of `but`.

    Raises `StorageError` when there is no such folder, `UsageError` when it holds no file of this kind.
    """
    if not folder.is_dir():
        raise StorageError(f"cannot read {folder}: it is not a folder; a folder of result files is expected")
    other = {path.resolve() for path in but}
    found = [
        path
        for path in sorted(folder.iterdir())
        if path.is_file() and not path.name.startswith(".") and not path.name.endswith(_NOTES)
        if path.resolve() not in other
    ]
    if not found:
        raise UsageError(f"{folder} holds no result files")
    return found


def score_folder(
    task: Task,
    golds: Sequence[Path],
    folder: Path,
    how: Scoring,
    *,
    data: Path | None = None,
    progress: Progress | None = None,
) -> Scored:
    """Score every result file of a folder, values without intervals; files that are refused are noted.

    Raises `StorageError` and `UsageError` as `result_files` does, and what reading the truth raises.
    """
    from duologue.metrics.significance import values_only  # numpy only where it is needed

    paths = result_files(folder, [*golds, *([data] if data else [])])
    reports, refused = [], []
    truth = evaluate.Truth.of(task, golds, data)
    with values_only():
        for number, path in enumerate(paths, start=1):
            try:
                reports.append(evaluate.score_against(task, truth, path, how))
            except FormatError as error:
                refused.append(Refusal(path.name, len(error.problems), _first(error)))
            if progress is not None:
                progress(number, len(paths), "scoring")
    return Scored(tuple(_told_apart(reports)), tuple(refused))


def _told_apart(reports: Sequence[Report]) -> Iterator[Report]:
    """Yield the reports; where two systems have one name, each is called by its file instead."""
    times = Counter(report.system for report in reports)
    for report in reports:
        name = report.system if times[report.system] == 1 else Path(report.meta["files"]["pred"][0]["path"]).name
        yield msgspec.structs.replace(report, system=name)


def _first(error: FormatError) -> str:
    return next(_words(error), str(error))


def _words(error: FormatError) -> Iterator[str]:
    for problem in error.problems:
        if problem.severity == "error":
            yield f"{problem.place}: {problem.message}" if problem.place else problem.message
