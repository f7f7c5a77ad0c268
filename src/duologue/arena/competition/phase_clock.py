"""The clock of a track: days of its zone, and which phases are open."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from duologue.arena.competition.track_file import PhaseDefinition, TrackDefinition, Visibility

PhaseTime = Literal["ahead", "open", "over"]


def local(now: int, zone: str) -> datetime:
    """Return a time (milliseconds since 1970, UTC) in a zone."""
    return datetime.fromtimestamp(now / 1000, ZoneInfo(zone))


def instant(time: datetime, zone: str) -> int:
    """Return a time of a zone, given without its offset, in milliseconds; of two that a clock shows, the first."""
    return round(time.replace(tzinfo=ZoneInfo(zone)).timestamp() * 1000)


def day_of(now: int, zone: str) -> str:
    """Return the calendar day of a zone as YYYY-MM-DD.

    >>> day_of(1_700_000_000_000, "UTC"), day_of(1_700_000_000_000, "Asia/Shanghai")
    ('2023-11-14', '2023-11-15')
    """
    return local(now, zone).date().isoformat()


def opens_at(track: TrackDefinition, phase: PhaseDefinition) -> int:
    """Return when a phase opens."""
    return instant(phase.opens, track.zone)


def closes_at(track: TrackDefinition, phase: PhaseDefinition) -> int:
    """Return when a phase is over."""
    return instant(phase.closes, track.zone)


def phase_time(track: TrackDefinition, phase: PhaseDefinition, now: int) -> PhaseTime:
    """Tell whether a phase is ahead, open or over."""
    if now < opens_at(track, phase):
        return "ahead"
    return "open" if now < closes_at(track, phase) else "over"


def visibility(track: TrackDefinition, phase: PhaseDefinition, now: int) -> Visibility:
    """Return who sees the scores of a phase now."""
    return phase.visible_after if phase_time(track, phase, now) == "over" else phase.visible


def open_phase(track: TrackDefinition, now: int) -> PhaseDefinition | None:
    """Return the first phase that takes result files now; `None` where none does."""
    return next(
        (one for one in track.phases if one.kind == "results" and phase_time(track, one, now) == "open"),
        None,
    )
