"""The note that `duologue run` writes beside a result file: its name, what it says, and of which result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.core.errors import DuologueError
from duologue.core.recipe import read_toml

if TYPE_CHECKING:
    from pathlib import Path

NOTE_ENDING = ".run.toml"


def provenance_path(result: Path) -> Path:
    """Return the name of the note beside a result file."""
    return result.parent / (result.name.removesuffix(".json") + NOTE_ENDING)


def read_note(result: Path) -> dict[str, Any] | None:
    """Return what the note beside a result file says: nothing where it cannot be read, `None` where there is none."""
    path = provenance_path(result)
    if not path.is_file():
        return None
    try:
        return read_toml(path)
    except DuologueError:
        return {}


def is_of_a_run(result: Path, result_hash: str) -> bool:
    """Tell whether `duologue run` wrote a result: the note beside it has its hash."""
    return (read_note(result) or {}).get("result_hash") == result_hash
