"""Entries and tracks as JSON objects, for programs: what their reader may see and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.arena.competition.phase_clock import closes_at, opens_at, phase_time

if TYPE_CHECKING:
    from duologue.arena.competition.entries import TrackEntry
    from duologue.arena.competition.track_board import TrackBoard
    from duologue.arena.competition.track_file import TrackDefinition

_HIDDEN = ("details", "report_sha256", "team")


def entry_to_json(entry: TrackEntry, *, organiser: bool = False, scores: bool = True) -> dict[str, Any]:
    """Return an entry; without `scores` where its team may not see them, with `details` for the organiser alone."""
    told = {name: value for name, value in entry._asdict().items() if organiser or name not in _HIDDEN}
    if not scores and not organiser:
        told |= {"value": None, "summary": None}
    return told


def track_to_json(track: TrackDefinition, now: int) -> dict[str, Any]:
    """Return what everybody may know of a track: no name of a truth file."""
    return {
        "name": track.name,
        "title": track.title,
        "title_zh": track.title_zh,
        "task": track.task,
        "zone": track.zone,
        "rules": track.rules,
        "rules_zh": track.rules_zh,
        "agreement": track.agreement,
        "agreement_zh": track.agreement_zh,
        "standing": track.standing,
        "phases": [
            {
                "name": phase.name,
                "title": phase.title,
                "kind": phase.kind,
                "opens_at": opens_at(track, phase),
                "closes_at": closes_at(track, phase),
                "time": phase_time(track, phase, now),
                "quota_day": phase.quota.day,
                "quota_total": phase.quota.total,
                "visible": phase.visible,
                "visible_after": phase.visible_after,
                "top": phase.top,
                "select": phase.select,
            }
            for phase in track.phases
        ],
    }


def board_to_json(board: TrackBoard) -> dict[str, Any]:
    """Return a board as its viewer may see it: teams by name, the first first."""
    names = dict(board.teams)
    return {
        "teams": [name for _, name in board.teams],
        "phases": [
            {
                "phase": column.phase.name,
                "time": column.time,
                "n": column.board["n"] if column.board else None,
                "rank_by": column.board["rank_by"] if column.board else None,
                "minimum_detectable_difference": column.board["detectable"] if column.board else None,
                "untested": column.board["untested"] if column.board else "",
                "computed_at": column.computed_at,
                "stale": column.stale,
                "teams": {names[team]: cell._asdict() for team, cell in column.cells.items() if team in names},
                "finalists": {
                    one.name: {"place": one.place, "selected": one.selected} for one in column.finalists.values()
                },
                "ratings": [
                    {**rating._asdict(), "team": names[team]}
                    for (_, team), rating in sorted(column.ratings.items())
                    if team in names
                ],
            }
            for column in board.columns
        ],
    }
