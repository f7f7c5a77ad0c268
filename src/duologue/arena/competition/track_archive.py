"""A track in one archive: its TOML file with the truth, data and knowledge base that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.competition.tracks import TrackSource, read_source
from duologue.core import archives
from duologue.core.disk import temporary_folder, write_scratch
from duologue.core.errors import DuologueError, NoSpaceError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


def read_archive(data: bytes) -> TrackSource:
    """Return the track of a .zip or .tgz archive: the one TOML file at its top, or in its one folder.

    Raises `UsageError` for none or several, and for whatever else is wrong with archive, file or track; no message
    names a folder of this machine.
    """
    with temporary_folder() as scratch:
        path = scratch / "track-archive"
        write_scratch(path, data)
        try:
            with archives.unpacked(path) as folder:
                try:
                    return read_source(_definition(folder))
                except NoSpaceError:
                    raise
                except DuologueError as error:
                    raise UsageError(
                        str(error).replace(f"{folder}/", "").replace(str(folder), "the archive")
                    ) from error
        except NoSpaceError:  # no fault of the archive
            raise
        except DuologueError as error:
            raise UsageError(str(error).replace(f"{path}", "the archive")) from error


def _definition(folder: Path) -> Path:
    """Return the file that says the track."""
    inside = list(folder.iterdir())
    if len(inside) == 1 and inside[0].is_dir():
        folder = inside[0]
    found = sorted(folder.glob("*.toml"))
    if len(found) != 1:
        raise UsageError(f"the archive holds {len(found)} files TRACK.toml at its top; put one there, with its data")
    return found[0]
