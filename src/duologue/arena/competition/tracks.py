"""Tracks in the database: made from a TOML file with the files that it names, changed, listed."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from sqlalchemy import delete, insert, select, update

from duologue.arena.competition.board_request import ask_for_board
from duologue.arena.competition.tables import entries, finalists, phase_boards, track_files, tracks
from duologue.arena.competition.track_file import TrackDefinition, read_track
from duologue.arena.database.damage import damaged
from duologue.arena.people.audit import log
from duologue.core import archives
from duologue.core.disk import opened, regular, write_scratch
from duologue.core.errors import StorageError, UsageError, did_you_mean
from duologue.core.folder_files import lies_below
from duologue.core.typed import convert
from duologue.run.whole import files_below

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.competition.track_file import PhaseDefinition
    from duologue.arena.database.blobs import Blobs


class TrackFile(NamedTuple):
    """A file of a phase."""

    phase: str
    role: str
    """`gold`, `input` or `kb`."""
    name: str
    """Its place among the files of its role, with `/` between folders."""
    data: bytes


class TrackSource(NamedTuple):
    """A track as read from the disk."""

    definition: TrackDefinition
    files: tuple[TrackFile, ...]


def read_source(path: Path) -> TrackSource:
    """Read a track's TOML file and all files that it names, which lie in its folder or below.

    Raises as `read_track` does, and `StorageError` or `UsageError` for files that are not there, lie elsewhere or have
    one name.
    """
    definition = read_track(path)
    found: list[TrackFile] = []
    for phase in definition.phases:
        kb = (phase.kb,) if phase.kb else ()
        for role, names in (("gold", phase.gold), ("input", phase.input), ("kb", kb)):
            kept = [file for name in names for file in _files(path.parent, phase.name, role, name)]
            if twice := sorted(name for name, times in Counter(file.name for file in kept).items() if times > 1):
                raise UsageError(
                    f"{path}: phase '{phase.name}' names two files of {role} that are called '{twice[0]}'; leave one "
                    "out, or give it another name"
                )
            found += kept
    return TrackSource(definition, tuple(found))


def _files(folder: Path, phase: str, role: str, name: str) -> list[TrackFile]:
    """Return the file `name`, or those of the folder or archive `name`, as a phase keeps them."""
    place = folder / name
    if not lies_below(place, folder):
        raise UsageError(f"phase '{phase}': {role} '{name}' lies outside the folder of the track's file; put it there")
    if not regular(place).exists():
        raise StorageError(f"phase '{phase}': there is no {role} file '{name}' in {folder}")
    if place.is_dir():
        inside = [(one.relative_to(place).as_posix(), one) for one in files_below(place)]
        if not inside:
            raise UsageError(f"phase '{phase}': the folder '{name}' holds no files of {role}")
        return [TrackFile(phase, role, f"folder/{relative}", _read(one)) for relative, one in inside]
    if archives.is_archive(place):
        return [TrackFile(phase, role, f"folder/{one}", data) for one, data in archives.members(place)]
    return [TrackFile(phase, role, f"{PurePosixPath(name).name}", _read(place))]


def _read(path: Path) -> bytes:
    with opened(path) as raw:
        return raw.read()


def agreement_hash(definition: TrackDefinition) -> str:
    """Return the hash of the agreement's text in both languages; empty where there is none."""
    text = f"{definition.agreement}\0{definition.agreement_zh}"
    return hashlib.sha256(text.encode()).hexdigest() if definition.agreement or definition.agreement_zh else ""


def save_track(
    connection: Connection,
    blobs: Blobs,
    source: TrackSource,
    now: int,
    *,
    change: bool = False,
    by: str | None = None,
) -> None:
    """Put a track into the database, or change one, and log who did.

    Raises `UsageError` for a name that is taken (or, to be changed, is not there), and for a change of task, scoring
    or test set where entries have been scored with them.
    """
    definition, name = source.definition, source.definition.name
    old = connection.execute(select(tracks.c.definition).where(tracks.c.name == name)).scalar()
    if old is not None and not change:
        raise UsageError(f"there is a track '{name}' already; change it with --change, or give yours another name")
    if old is None and change:
        raise UsageError(f"there is no track '{name}' that could be changed; leave --change out to make it")
    values = {
        "definition": msgspec.to_builtins(definition),
        "agreement_sha256": agreement_hash(definition),
        "changed_at": now,
    }
    if old is None:
        connection.execute(insert(tracks).values(name=name, created_at=now, **values))
    else:
        _demand_same_tests(connection, convert(old, TrackDefinition), source)
        connection.execute(update(tracks).where(tracks.c.name == name).values(**values))
        connection.execute(delete(track_files).where(track_files.c.track == name))
        connection.execute(delete(phase_boards).where(phase_boards.c.track == name))
    for file in source.files:
        row = {"track": name, "phase": file.phase, "role": file.role, "name": file.name}
        connection.execute(insert(track_files).values(**row, sha256=blobs.put(file.data)))
    for phase in _scored_phases(connection, name):  # rules of what counts may have changed
        ask_for_board(connection, name, phase, now)
    log(connection, by, "track.change" if change else "track.new", now=now, about=name)


def _scored_phases(connection: Connection, name: str) -> list[str]:
    scored = (entries.c.track == name) & (entries.c.state == "scored")
    return sorted(connection.execute(select(entries.c.phase).where(scored).distinct()).scalars())


def _demand_same_tests(connection: Connection, old: TrackDefinition, source: TrackSource) -> None:
    """Raise `UsageError` where what entries were scored with is not what it was."""
    name, new = old.name, source.definition
    used = set(connection.execute(select(entries.c.phase).where(entries.c.track == name).distinct()).scalars())
    if not used:
        return
    if (old.task, old.variant, old.options, old.zone) != (new.task, new.variant, new.options, new.zone):
        raise UsageError(f"track '{name}' has entries: task, variant, options and zone stay as they are")
    names = {phase.name for phase in new.phases}
    if gone := sorted(used - names):
        raise UsageError(f"track '{name}' has entries in the phase '{gone[0]}', which must stay")
    inside = select(finalists.c.phase).where(finalists.c.track == name).distinct()
    if gone := sorted({*connection.execute(inside).scalars()} - names):
        raise UsageError(f"track '{name}' has finalists in the phase '{gone[0]}', which must stay")
    before = {
        (row.phase, row.name, row.sha256)
        for row in connection.execute(
            select(track_files).where(track_files.c.track == name, track_files.c.role == "gold")
        ).all()
    }
    after = {
        (file.phase, file.name, hashlib.sha256(file.data).hexdigest()) for file in source.files if file.role == "gold"
    }
    changed = sorted({phase for phase, _, _ in before ^ after} & used)
    if changed:
        raise UsageError(
            f"phase '{changed[0]}' has entries that were scored against its truth, which must stay; "
            "make a new phase for another truth"
        )


def track_names(connection: Connection) -> list[str]:
    """Return the names of all tracks, the newest first."""
    return list(connection.execute(select(tracks.c.name).order_by(tracks.c.created_at.desc(), tracks.c.name)).scalars())


def find_track(connection: Connection, name: str) -> TrackDefinition:
    """Return a track. Raises `UsageError` where there is none of that name."""
    found = connection.execute(select(tracks.c.definition).where(tracks.c.name == name)).scalar()
    if found is None:
        known = track_names(connection)
        raise UsageError(
            f"there is no track '{name}'{did_you_mean(name, known) or '; make one with duologue track new'}"
        )
    return convert(found, TrackDefinition)


def file_names(connection: Connection, track: str, phase: str, role: str) -> list[str]:
    """Return the names of a phase's files of one role, sorted."""
    wanted = (track_files.c.track == track) & (track_files.c.phase == phase) & (track_files.c.role == role)
    return sorted(connection.execute(select(track_files.c.name).where(wanted)).scalars())


def input_file(connection: Connection, track: TrackDefinition, phase: PhaseDefinition, name: str) -> str:
    """Return the hash of a data file that teams answer. Raises `UsageError` for any other file, such as the truth."""
    wanted = (
        (track_files.c.track == track.name)
        & (track_files.c.phase == phase.name)
        & (track_files.c.role == "input")
        & (track_files.c.name == name)
    )
    sha256 = connection.execute(select(track_files.c.sha256).where(wanted)).scalar()
    if sha256 is None:
        raise UsageError(f"phase '{phase.name}' offers no file '{name}'")
    return str(sha256)


def lay_out(connection: Connection, blobs: Blobs, track: str, phase: str, folder: Path) -> dict[str, list[str]]:
    """Write a phase's files into a folder, and return by role the paths to be read: a folder stands for its files."""
    found: dict[str, list[str]] = {"gold": [], "input": [], "kb": []}
    wanted = (track_files.c.track == track) & (track_files.c.phase == phase)
    for row in connection.execute(select(track_files).where(wanted).order_by(track_files.c.role, track_files.c.name)):
        path = folder / row.role / row.name
        if not lies_below(path, folder / row.role):
            raise damaged("the database", f"a file of phase '{phase}' is called {row.name!r:.60}")
        write_scratch(path, blobs.read(row.sha256))
        whole = row.name.startswith("folder/")
        place = str(folder / row.role / "folder" if whole else path)
        if place not in found[row.role]:
            found[row.role].append(place)
    return found
