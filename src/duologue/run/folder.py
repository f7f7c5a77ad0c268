"""Score every result file in a folder against one truth, which is read once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.core.disk import resolved
from duologue.core.errors import FormatError, StorageError, TruthError, UsageError
from duologue.core.result_note import NOTE_ENDING
from duologue.run import evaluate
from duologue.run.contamination import BESIDE, SeenError, demand_unseen
from duologue.run.notes import has_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.protocols import Progress, Task
    from duologue.core.records import Report, Scoring

_NOTES = (NOTE_ENDING, BESIDE, ".report.json", ".html", ".md")
"""Ends of file names that stand beside result files and are none."""


class RefusedFile(NamedTuple):
    """A file that could not be scored."""

    file: str
    problems: int
    first: str
    """The first problem, in words."""


class ScoredFolder(NamedTuple):
    """What came of a folder."""

    reports: tuple[Report, ...]
    refused: tuple[RefusedFile, ...]


def is_result(path: Path) -> bool:
    """Tell whether a path may be a result file: no folder, no hidden file, no note, report or page."""
    return path.is_file() and not path.name.startswith(".") and not path.name.endswith(_NOTES)


def result_files(folder: Path, but: Sequence[Path] = ()) -> list[Path]:
    """Return the files directly in a folder, sorted, without hidden ones, notes, reports, pages, and those of `but`.

    Raises `StorageError` when there is no such folder, `UsageError` when it holds no file of this kind.
    """
    if not folder.is_dir():
        raise StorageError(f"cannot read {folder}: it is not a folder; a folder of result files is expected")
    other = {resolved(path) for path in but}
    found = [path for path in sorted(folder.iterdir()) if is_result(path) if resolved(path) not in other]
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
    models: Sequence[Path] = (),
    unseen: bool = False,
    progress: Progress | None = None,
) -> ScoredFolder:
    """Score every result file of a folder, files that are refused are noted.

    With `unseen` also those are refused whose systems may have seen the truth in training; `models` are folders of
    models to look that up in.

    Raises `StorageError` and `UsageError` as `result_files` does, what reading the truth raises, and `TruthError` for
    a truth that no file can be scored against.
    """
    paths = result_files(folder, [*golds, *([data] if data else [])])
    reports, refused, of_truth = [], [], list[TruthError]()
    truth = evaluate.Truth.of(task, golds, data)
    for number, path in enumerate(paths, start=1):
        try:
            report = evaluate.score_against(task, truth, path, how, models=models if has_note(path) else ())
            if unseen:
                demand_unseen(report)
            reports.append(report)
        except FormatError as error:
            refused.append(RefusedFile(path.name, len(error.problems), first_problem(error)))
            of_truth += [error] if isinstance(error, TruthError) else []
        except SeenError as error:
            refused.append(RefusedFile(path.name, 1, str(error)))
        if progress is not None:
            progress(number, len(paths), "scoring")
    if len(of_truth) == len(paths):  # no file is at fault
        raise of_truth[0]
    return ScoredFolder(tuple(_told_apart(reports)), tuple(refused))


def _told_apart(reports: Sequence[Report]) -> Iterator[Report]:
    """Yield the reports; where two systems have one name, each is called by its file instead."""
    times = Counter(report.system for report in reports)
    for report in reports:
        name = report.system if times[report.system] == 1 else Path(report.meta["files"]["pred"][0]["path"]).name
        yield msgspec.structs.replace(report, system=name)


def first_problem(error: FormatError) -> str:
    """Return the first error of a file in words."""
    return next(_words(error), str(error))


def _words(error: FormatError) -> Iterator[str]:
    for problem in error.problems:
        if problem.severity == "error":
            yield f"{problem.place}: {problem.message}" if problem.place else problem.message
