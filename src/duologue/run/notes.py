"""Provenance note beside a result file: what made it, bound to it by its hash.

A note speaks for one result and no other: where the hash is not that of the file, the file came from elsewhere, and
neither is it called by the note's system nor may `duologue run` write over it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core.disk import Source
from duologue.core.errors import UsageError
from duologue.core.lines import sha256
from duologue.core.records import Exposure, Problem, Record
from duologue.core.result_note import provenance_path, read_note

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

OTHER_NOTE = "note-of-another-result"
BEING_WRITTEN = "being written"
"""In place of the hash while the result takes its name: whatever a kill leaves then is ours."""


class CombinedResult(Record, frozen=True, kw_only=True):
    """A result file that was combined with others; what the note beside it said stays empty where there was none."""

    result: str
    """Without its folder."""
    sha256: str
    """Unpacked."""
    system: str = ""
    seen: str = ""
    model: str = ""
    sketch: str = ""
    external: list[str] | None = None
    prompt: str = ""


class Provenance(Record, frozen=True, kw_only=True):
    """Where a result file comes from; written beside it as `<result>.run.toml`."""

    task: str
    task_version: str
    system: str
    """The system's registered name."""
    recipe: dict[str, Any]
    seed: int
    input: str
    input_hash: str
    world: str
    world_hash: str
    seen: str
    """What data the system saw in training."""
    package: str
    """Version of duologue."""
    model: str = ""
    """The model's folder as it was given; empty for systems that are not trained."""
    model_seed: int = 0
    model_hash: str = ""
    """Hash of the model's files."""
    model_data_hash: str = ""
    """Hash of the data that the model was trained on."""
    sketch: str = ""
    """Hash of the sketch of that data, which lies beside the result (`run.contamination`)."""
    external: list[str] | None = None
    """Data beside the challenge's own that the system learned from, as declared; `None`: not declared."""
    exposure: Exposure | None = None
    """How much of the input the model saw in training; `None` where that is not known."""
    prompt: str = ""
    """Language, version and hash of the prompt that a chat model was asked with; empty for other systems."""
    combined: list[CombinedResult] = []
    """The result files that `duologue combine` made it from; empty for the result of one system."""
    usage: dict[str, Any] = {}
    """What the answers took, and what could not be read, of systems that tell it."""
    result_hash: str = ""
    """SHA-256 of the result file, unpacked."""


class LoadedNote(NamedTuple):
    """The note beside a result file."""

    note: dict[str, Any] | None
    """`None` where there is none, or it is not that of the result."""
    problems: tuple[Problem, ...] = ()


def has_note(result: Path) -> bool:
    """Tell whether there is a note beside a result file."""
    return provenance_path(result).is_file()


def note_of(result: Path, result_hash: str) -> LoadedNote:
    """Return the note beside a result file; one of another result is not given but told of as a warning."""
    note = read_note(result)
    if note is None or note.get("result_hash") == result_hash:
        return LoadedNote(note)
    path = provenance_path(result)
    problem = Problem(
        rule=OTHER_NOTE,
        severity="warning",
        message=f"the note {path.name} beside {result.name} was not made with this result, so it is not known what "
        f"system made it and what data that had seen",
        advice="make the result again with `duologue run`, or remove the note",
    )
    return LoadedNote(None, (problem,))


def demand_free(out: Path, inputs: Iterable[Path], *, force: bool) -> None:
    """Raise `UsageError` where writing the result `out` would destroy a file that `duologue run` did not write.

    With `force` it may; a file that is read for the result, it may never be. Devices and empty files hold nothing.
    """
    same = next((path for path in inputs if path.exists() and out.exists() and out.samefile(path)), None)
    if same is not None:
        raise UsageError(f"--out {out} is the file {same}, which is read; give the result a name of its own")
    if force or not out.is_file() or not out.stat().st_size:
        return
    note = _hash_in_note(out)
    if note is None or note not in (BEING_WRITTEN, sha256(Source(out))):
        raise UsageError(
            f"{out} is there already and is not as `duologue run` wrote it (is it the truth, or somebody's work?); "
            f"choose another --out, or write over it with --force"
        )


def _hash_in_note(out: Path) -> str | None:
    """Return the hash that the note of a result has; `None` without one. Raises `UsageError` for what is no note."""
    path = provenance_path(out)
    if not path.exists():
        return None
    note = read_note(out) or {}
    if "input_hash" not in note:
        raise UsageError(
            f"{path} is there already and is no note of `duologue run`, which would write one under this name; "
            f"choose another --out, or write over it with --force"
        )
    return str(note.get("result_hash", ""))
