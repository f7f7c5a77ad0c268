"""Note beside a judge's ratings: what was judged by whom, the report, and the files that prove it without the judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.core.amounts import amount
from duologue.core.bounds import Items
from duologue.core.disk import Source, read_bytes, sha256, write_bytes
from duologue.core.errors import DuologueError, FormatError
from duologue.core.lines import sha256 as sha256_of_file
from duologue.core.optional_protocols import Grounded
from duologue.core.plugins import load_task
from duologue.core.recipe import from_table, to_table
from duologue.core.records import Problem, Record
from duologue.core.typed import decode_json
from duologue.core.version import __version__
from duologue.judges.recipe import JudgeRecipe
from duologue.judges.results import JudgedFiles
from duologue.judges.session import JudgeSession, Kind
from duologue.ratings.protocol import RatingProtocol
from duologue.ratings.rows import ratings_text
from duologue.run.stored import StoredFile, locate, told

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.protocols import TaskInfo
    from duologue.judges.session import Judged

ENDING = ".judge.json"
_PLACES = ("record", "replay", "cache")
"""Entries of the recipe that say where calls are kept."""


class JudgeNote(Record, frozen=True, kw_only=True):
    """What a session of a judge was, with its files and their hashes."""

    task: str
    task_version: str
    kind: Kind
    protocol: RatingProtocol
    prompt: str
    """Task, language, version and hash of the texts, protocol and unit."""
    systems: tuple[str, ...]
    whole: bool
    n: Items
    seed: int
    recipe: dict[str, Any]
    results: tuple[StoredFile, ...]
    gold: tuple[StoredFile, ...]
    input: tuple[StoredFile, ...]
    """The data file, at most one."""
    kb: tuple[StoredFile, ...]
    calls: tuple[StoredFile, ...]
    """The recording of all calls."""
    ratings: StoredFile
    missing: dict[str, int]
    report: dict[str, Any]
    usage: dict[str, Any]
    package: str = __version__

    def __post_init__(self) -> None:
        """Refuse lists of files that no session has."""
        if not self.results or (self.kind == "pairs" and len(self.results) != 2):
            raise ValueError(
                f"results has {amount(len(self.results), 'file')}, expected {'2' if self.kind == 'pairs' else 'some'}"
            )
        if len(self.systems) != len(self.results):
            raise ValueError(f"systems has {len(self.systems)} names, expected one for each of results")
        for name, limit in (("input", 1), ("kb", 1), ("calls", 1)):
            found = len(getattr(self, name))
            if found > limit or (name == "calls" and not found):
                raise ValueError(f"{name} has {amount(found, 'file')}, expected 1")


class OpenedNote(NamedTuple):
    """A note with the files that it names."""

    note: JudgeNote
    session: JudgeSession | None
    """Takes all calls from the recording; `None` where a file is not to be had."""
    ratings: Path
    differences: tuple[str, ...]
    """Files that have changed, in words."""
    missing: tuple[str, ...]
    """Files that are not to be had, in words."""


class JudgeVerdict(NamedTuple):
    """What came of judging again from the recording."""

    checked: int
    """Lines of ratings, and figures of the report."""
    differences: tuple[str, ...]
    missing: tuple[str, ...] = ()
    """Files that are not to be had, in words: nothing is judged again without them."""


def note_path(out: Path) -> Path:
    """Return the name of the note beside a file of ratings."""
    return out.with_name(out.name.removesuffix(out.suffix) + ENDING)


def calls_path(out: Path) -> Path:
    """Return the name of the recording beside a file of ratings."""
    return out.with_name(out.name.removesuffix(out.suffix) + ".calls.jsonl")


def wrote(out: Path) -> bool:
    """Tell whether a session of a judge wrote what is in `out`: its note says so, or it was stopped before the note."""
    note = note_path(out)
    if not note.exists():
        return calls_path(out).is_file()
    try:
        found = decode_json(read_bytes(note), JudgeNote)
    except (msgspec.DecodeError, DuologueError):
        return False
    return not out.exists() or found.ratings.sha256 == sha256_of_file(Source(out))


def write_note(
    out: Path, session: JudgeSession, judged: Judged, *, task: TaskInfo, files: JudgedFiles, kb: Path | None, n: int,
    calls: Path,
) -> JudgeNote:  # fmt: skip
    """Write the note beside the ratings in `out`, which are there already, and return it."""
    note = JudgeNote(
        task=task.name,
        task_version=task.version,
        kind=session.kind,
        protocol=session.protocol,
        prompt=session.prompt.mark,
        systems=tuple(session.systems),
        whole=files.whole,
        n=n,
        seed=session.seed,
        recipe={key: value for key, value in to_table(session.recipe).items() if key not in _PLACES},
        results=tuple(map(_stored, files.results)),
        gold=tuple(map(_stored, files.golds)),
        input=tuple(map(_stored, [files.data] if files.data else [])),
        kb=tuple(map(_stored, [kb] if kb else [])),
        calls=(_stored(calls),),
        ratings=_stored(out),
        missing=session.missing,
        report=plain(judged.report),
        usage=judged.usage,
    )
    write_bytes(note_path(out), msgspec.json.format(msgspec.json.encode(note), indent=2) + b"\n")
    return note


def verify_note(path: Path, folders: Sequence[Path] = ()) -> JudgeVerdict:
    """Judge again from the recording that a note names, without the endpoint, and compare ratings and report.

    Files are looked for as `run.stored.locate` does. Raises `FormatError` for a damaged note, and as `JudgeSession`.
    """
    opened = open_note(path, folders)
    if opened.session is None:
        return JudgeVerdict(0, opened.differences, opened.missing)
    note, session = opened.note, opened.session
    judged = session.run()
    text = ratings_text([*judged.ratings, *judged.preferences], opened.ratings).encode()
    differences = []
    if sha256(text) != note.ratings.sha256:
        differences.append("the ratings are not those that the recorded calls give")
    if session.prompt.mark != note.prompt:
        differences.append(f"prompt: stored {note.prompt!r}, now {session.prompt.mark!r}")
    now = plain(judged.report)
    differences += [
        f"{name}: stored {stored!r}, computed {now.get(name)!r}"
        for name, stored in note.report.items()
        if stored != now.get(name)
    ]
    return JudgeVerdict(len(judged.ratings) + len(judged.preferences) + len(now), tuple(differences))


def open_note(path: Path, folders: Sequence[Path] = ()) -> OpenedNote:
    """Return a note with its session, which replays, and its ratings; raises as `verify_note`."""
    try:
        note = decode_json(read_bytes(path), JudgeNote)
    except msgspec.DecodeError as error:
        problem = Problem(rule="not-a-judge-note", message=f"it is no note of `duologue judge`: {error}")
        raise FormatError(path, [problem]) from error
    looked = _Search(path, folders)
    results, golds, data, kb, calls, ratings = (
        looked.all(one) for one in (note.results, note.gold, note.input, note.kb, note.calls, [note.ratings])
    )
    if looked.differences or looked.missing:
        return OpenedNote(note, None, path, tuple(looked.differences), tuple(looked.missing))
    task = load_task(note.task)
    world = task.world(kb[0]) if kb and isinstance(task, Grounded) else None
    entries = {key: value for key, value in note.recipe.items() if key not in _PLACES}  # a note may be a stranger's
    replayed = {**entries, "cache": "", "replay": str(calls[0])}
    session = JudgeSession(
        task,
        JudgedFiles(tuple(results), note.systems, tuple(golds), data[0] if data else None, note.whole),
        from_table(JudgeRecipe, replayed, str(path)),
        note.protocol,
        kind=note.kind,
        n=note.n,
        world=world,
        seed=note.seed,
    )
    return OpenedNote(note, session, ratings[0], (), ())


def plain(value: Any) -> Any:
    """Return a report as plain JSON: named tuples as objects by their fields."""
    if hasattr(value, "_asdict"):
        return {name: plain(one) for name, one in value._asdict().items()}
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, tuple | list) else value


class _Search:
    def __init__(self, note: Path, folders: Sequence[Path]) -> None:
        self._note, self._folders = note, folders
        self.differences: list[str] = []
        self.missing: list[str] = []

    def all(self, files: Sequence[StoredFile]) -> list[Path]:
        found = []
        for one in files:
            located = locate(one, self._note, self._folders)
            if located.path is not None:
                found.append(located.path)
            else:
                (self.missing if located.changed is None else self.differences).append(told(one, located))
        return found


def _stored(path: Path) -> StoredFile:
    return StoredFile(path=str(path), sha256=sha256_of_file(Source(path)))
