"""Data sets of a challenge: fetched where that is free, and checked against what is known of their files."""

from __future__ import annotations

import hashlib
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal, NamedTuple

from duologue.core.capabilities import lacking_capability
from duologue.core.disk import Source, regular
from duologue.core.errors import DuologueError, FormatError, StorageError, UsageError, did_you_mean
from duologue.core.folder_files import all_files
from duologue.core.optional_protocols import Grounded
from duologue.core.plugins import challenges, load_task, names
from duologue.run.download import download

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from duologue.core.citations import Citation
    from duologue.core.data_sets import DataFile, DataSet
    from duologue.core.protocols import Progress, Task

_ANY = "*"
"""In the name of a file: it is not known, and whatever fits is read."""

State = Literal["ok", "missing", "differs", "unreadable"]


class Content(NamedTuple):
    """What a file holds when it is unpacked."""

    path: Path
    size: int
    sha256: str
    problem: str = ""
    """Why it cannot be read; empty where it can."""


class FileVerdict(NamedTuple):
    """What a check says of one expected file."""

    data_set: str
    name: str
    state: State
    told: str
    """In words: what was found, or why it is not good."""
    path: Path | None = None


def data_sets_of(challenge: str, only: Sequence[str] = ()) -> list[tuple[str, DataSet]]:
    """Return the data sets of a challenge or of one of its tasks, each with the task that lists it.

    `only` names those that are wanted. Raises `UsageError` for an unknown challenge or data set.
    """
    known = challenges()
    tasks = known.get(challenge) or [name for name in names("tasks") if name == challenge]
    if not tasks:
        raise UsageError(f"there is no challenge '{challenge}'{did_you_mean(challenge, known)}")
    found: dict[str, tuple[str, DataSet]] = {}
    for name in tasks:
        for one in load_task(name).data_sets():
            found.setdefault(one.name, (name, one))
    for name in only:
        if name not in found:
            raise UsageError(f"'{challenge}' has no data set '{name}'{did_you_mean(name, found)}")
    return [pair for name, pair in found.items() if not only or name in only]


def citations_of(chosen: Sequence[tuple[str, DataSet]]) -> list[Citation]:
    """Return what data sets ask to cite, each once, in their order."""
    return list({one.key: one for _, data_set in chosen for one in data_set.cite}.values())


def fetch(one: DataSet, folder: Path, *, progress: Progress | None = None) -> list[Path]:
    """Fetch the files of a data set into a folder and return their paths; what is there already is not fetched again.

    A file appears only when its checksum is right; what a broken connection left is gone on with. Raises
    `DuologueError` for a server that cannot be asked or sends something else, and `StorageError`, before
    any is fetched, where another file is in the way.
    """
    paths = [folder / one.name / file.name for file in one.files]
    there = {path for path in paths if path.exists()}
    for path, file in zip(paths, one.files, strict=True):
        if path in there and _content(path).sha256 != file.sha256:
            raise StorageError(f"{path} is there already and holds something else; remove it, or give another --out")
    for number, (path, file) in enumerate(zip(paths, one.files, strict=True)):
        if progress is not None:
            progress(number, len(paths), one.name)
        if path not in there:
            download(one.url.rstrip("/") + "/" + file.name, path, file)
    return paths


def check(
    chosen: Sequence[tuple[str, DataSet]], folder: Path, *, progress: Progress | None = None
) -> list[FileVerdict]:
    """Say of each file of the data sets whether it lies in a folder, is the one that is known, and can be read.

    Files are found by their content, else by their name, at any depth and packed or not. Raises `StorageError` for a
    folder that cannot be read.
    """
    if not folder.is_dir():
        raise StorageError(f"cannot read {folder}: it is not a folder; a folder of data is expected")
    paths = [path for path in all_files(folder) if path.is_file() and not path.name.startswith(".")]
    held: list[Content] = []
    for number, path in enumerate(paths):
        if progress is not None:
            progress(number, len(paths), "files")
        held.append(_content(regular(path)))
    others = {file.sha256 for name, _ in chosen for _, one in data_sets_of(name) for file in one.files if file.sha256}
    found: list[FileVerdict] = []
    for name, one in chosen:
        for file in one.files:
            if _ANY in file.name:
                found += _verdicts(one, file, [content for content in held if content.sha256 not in others], name)
                continue
            task, read = file.task or one.task or name, file.read or one.read
            found.append(_verdict(one.name, file, _candidates(file, held, others), task=task, read=read))
    return found


def _verdicts(data_set: DataSet, file: DataFile, held: Iterable[Content], name: str) -> list[FileVerdict]:
    """Return a verdict on each file that a pattern fits: which task of the challenge reads it, and how many rows."""
    tasks = [file.task or data_set.task] if file.task or data_set.task else _tasks_beside(name)
    fitting = [one for one in held if fnmatchcase(one.path.name.removesuffix(".gz"), file.name)]
    if not fitting:
        return [FileVerdict(data_set.name, file.name, "missing", "there is no such file")]
    return [_read_by_any(data_set.name, one, tasks) for one in fitting]


def _tasks_beside(name: str) -> list[str]:
    return next(tasks for tasks in challenges().values() if name in tasks)


def _read_by_any(data_set: str, one: Content, tasks: Sequence[str]) -> FileVerdict:
    """Return the verdict on a file of which it is not known what it holds."""
    problem = one.problem
    for task in tasks:
        if one.problem:
            break
        try:
            count, what = _count(load_task(task), one.path, "data")
        except DuologueError as error:
            problem = problem or f"no task reads it; {task}: {_first_line(error)}"
            continue
        if count:
            told = f"{one.size:,} bytes, {count:,} {what} of {task}; its checksum is not known"
            return FileVerdict(data_set, one.path.name, "ok", told, one.path)
    return FileVerdict(data_set, one.path.name, "unreadable", problem or "it holds nothing", one.path)


def _content(path: Path) -> Content:
    digest, size = hashlib.sha256(), 0
    try:
        for piece in Source(path).pieces():
            digest.update(piece)
            size += len(piece)
    except (FormatError, StorageError) as error:
        return Content(path, size, "", _first_line(error))
    return Content(path, size, digest.hexdigest())


def _candidates(file: DataFile, held: Iterable[Content], others: set[str]) -> list[Content]:
    """Return what may be a file, the likeliest first: its content, or its name with the content of no other file."""
    same = [one for one in held if file.sha256 and one.sha256 == file.sha256]
    wanted = PurePosixPath(file.name).parts
    named = [
        one
        for one in held
        if one.path.with_name(one.path.name.removesuffix(".gz")).parts[-len(wanted) :] == wanted
        and one.sha256 not in others
    ]
    return same or named


def _verdict(data_set: str, file: DataFile, found: Sequence[Content], *, task: str, read: str) -> FileVerdict:
    def verdict(state: State, told: str) -> FileVerdict:
        return FileVerdict(data_set, file.name, state, told, found[0].path if found else None)

    if not found:
        return verdict("missing", "there is no such file")
    one = found[0]
    if one.problem:
        return verdict("unreadable", one.problem)
    if file.sha256 and one.sha256 != file.sha256:
        size = f", {file.bytes:,} bytes expected" if file.bytes not in {None, one.size} else ""
        return verdict(
            "differs", f"{one.size:,} bytes{size}; SHA-256 {one.sha256[:16]}..., {file.sha256[:16]}... expected"
        )
    try:
        count, what = _count(load_task(task), one.path, read)
    except DuologueError as error:
        return verdict("unreadable", _first_line(error))
    if count is not None and file.rows not in {None, count}:
        return verdict("differs", f"{count:,} {what}, {file.rows:,} expected")
    proved = "as published" if file.sha256 else "its checksum is not known"
    return verdict("ok", f"{one.size:,} bytes{'' if count is None else f', {count:,} {what}'}; {proved}")


def _count(task: Task, path: Path, read: str) -> tuple[int | None, str]:
    """Return how many rows or facts a file holds; `None` for one that is not read."""
    if read == "knowledge":
        if not isinstance(task, Grounded):
            raise lacking_capability(task.info.name, "Grounded")
        return sum(1 for _ in task.world(path)), "facts"
    if read == "data":
        return sum(1 for _ in task.rows(path).rows()), "rows"  # which reads and checks the file as `load` does
    return None, ""


def _first_line(error: DuologueError) -> str:
    lines = str(error).splitlines()
    return " ".join(line.strip() for line in lines[:2])
