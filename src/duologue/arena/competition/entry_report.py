"""The full report of an entry, from which `duologue verify` scores anew: who may fetch it, and what it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.competition.phase_clock import phase_time, visibility
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from duologue.arena.competition.entries import TrackEntry
    from duologue.arena.competition.track_file import PhaseDefinition, TrackDefinition
    from duologue.arena.database.blobs import Blobs


def may_fetch(track: TrackDefinition, phase: PhaseDefinition, now: int, *, organiser: bool, own: bool) -> bool:
    """Tell whether somebody may fetch the reports of a phase's entries; `own`: of an entry of their own team.

    A report says which items were right. So teams and everybody get it when the phase is over, as they get the scores.
    """
    if organiser:
        return True
    if phase_time(track, phase, now) != "over":
        return False
    seen = visibility(track, phase, now)
    return seen == "all" or (seen == "owner" and own)


def report_of(blobs: Blobs, entry: TrackEntry) -> bytes:
    """Return the report as `duologue score --out` writes it. Raises `UsageError` for an entry that has none."""
    if entry.report_sha256 is None:
        raise UsageError(f"the entry '{entry.id}' has no report: it is not scored")
    return blobs.read(entry.report_sha256)


def report_name(entry: TrackEntry) -> str:
    """Return what the file is called."""
    return f"{entry.track}-{entry.phase}-{entry.id[:12]}.report.json"
