"""The board of a track: phases as columns, automatic, judged and human scores side by side, for whoever looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from duologue.arena.competition.entries import entries_of, standing_entries
from duologue.arena.competition.entry_report import may_fetch
from duologue.arena.competition.phase_clock import phase_time, visibility
from duologue.arena.competition.phases import finalists_of
from duologue.arena.competition.ratings import ratings_of
from duologue.arena.competition.tables import phase_boards
from duologue.arena.competition.teams import teams_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.competition.entries import TrackEntry
    from duologue.arena.competition.phase_clock import PhaseTime
    from duologue.arena.competition.phases import Finalist
    from duologue.arena.competition.ratings import TeamRating
    from duologue.arena.competition.score_shapes import BoardRow, BoardSlice, KeptScore, PhaseBoard
    from duologue.arena.competition.track_file import PhaseDefinition, TrackDefinition


class Viewer(NamedTuple):
    """Who looks at a board."""

    organiser: bool = False
    team: str = ""
    """Id of their team in the track; empty for everybody else."""


class BoardCell(NamedTuple):
    """One team in one phase."""

    tier: int | None
    """1: the first, and all that are not shown to be worse; `None`: no test can be made of the score."""
    ranks: tuple[int, int] | None
    """The best and the worst rank that the tests leave open; `None` where others' scores are not to be seen."""
    value: float | None
    scores: list[KeptScore]
    slices: list[BoardSlice]
    signature: str
    entry: str = ""
    """The entry whose report the viewer may fetch; empty where they may not."""


class BoardColumn(NamedTuple):
    """One phase on the board."""

    phase: PhaseDefinition
    time: PhaseTime
    shown: bool
    """Whether the viewer may see all its scores; else their own team's at most."""
    board: PhaseBoard | None
    """What `phase_ranker.board_of` made; `None` where nothing was ranked."""
    computed_at: int | None
    stale: bool
    """Whether what counts has changed since."""
    cells: dict[str, BoardCell]
    """By the team's id, the best first."""
    finalists: dict[str, Finalist]
    ratings: dict[tuple[str, str], TeamRating]
    """By source (`human`, `judge`) and team."""

    @property
    def percent(self) -> bool:
        """Whether the score that ranks is a fraction, which is printed in percent."""
        if self.board is None or not self.board["rows"]:
            return False
        ranking = self.board["rank_by"]
        return any(one["percent"] for one in self.board["rows"][0]["scores"] if one["name"] == ranking)


class TrackBoard(NamedTuple):
    """All phases, and the teams in order: by the last phase that decided something, then the one before."""

    columns: tuple[BoardColumn, ...]
    teams: tuple[tuple[str, str], ...]
    """Id and name."""


def board_for(connection: Connection, track: TrackDefinition, viewer: Viewer, now: int) -> TrackBoard:
    """Return the board of a track as a viewer may see it."""
    ratings = ratings_of(connection, track.name)
    columns = tuple(_column(connection, track, phase, viewer, now, ratings) for phase in track.phases)
    known = {one.id: one.name for one in teams_of(connection, track.name)}
    order: list[str] = []
    for column in reversed(columns):
        order += [team for team in _order(column) if team not in order]
    return TrackBoard(columns, tuple((team, known[team]) for team in order if team in known))


def _order(column: BoardColumn) -> list[str]:
    """Return the teams of a phase, the best first: by people's ratings where there are some."""
    rated = sorted((rating.rank_best, team) for (source, team), rating in column.ratings.items() if source == "human")
    places = sorted((one.place, one.name, one.team) for one in column.finalists.values())
    return list(dict.fromkeys([team for _, team in rated] + [team for *_, team in places] + list(column.cells)))


def _column(
    connection: Connection,
    track: TrackDefinition,
    phase: PhaseDefinition,
    viewer: Viewer,
    now: int,
    ratings: list[TeamRating],
) -> BoardColumn:
    sees = visibility(track, phase, now)
    whole = viewer.organiser or sees == "all"
    own = whole or (sees == "owner" and viewer.team != "")
    kept = connection.execute(
        select(phase_boards).where(phase_boards.c.track == track.name, phase_boards.c.phase == phase.name)
    ).first()
    board: PhaseBoard | None = kept.board if kept is not None and own else None
    counting = standing_entries(connection, track, phase.name)
    cells = {
        row["team"]: BoardCell(
            row["tier"] if whole else None,
            (row["rank"][0], row["rank"][1]) if whole else None,
            row["value"],
            row["scores"],
            row["slices"],
            row["signature"],
            _fetchable(track, phase, viewer, now, row, counting),
        )
        for row in (board["rows"] if board is not None else [])
        if whole or row["team"] == viewer.team
    }
    return BoardColumn(
        phase=phase,
        time=phase_time(track, phase, now),
        shown=whole,
        board=board if whole else None,
        computed_at=kept.computed_at if kept is not None and own else None,
        stale=_is_stale(counting, kept.board if kept is not None else None),
        cells=cells,
        finalists={one.team: one for one in finalists_of(connection, track.name, phase.name)} if whole else {},
        ratings={(one.source, one.team): one for one in ratings if one.phase == phase.name} if whole else {},
    )


def _fetchable(
    track: TrackDefinition,
    phase: PhaseDefinition,
    viewer: Viewer,
    now: int,
    row: BoardRow,
    counting: dict[str, TrackEntry],
) -> str:
    """Return the id of the entry that a row shows, where the viewer may fetch its report; else nothing."""
    entry = counting.get(row["team"])
    if entry is None or _signature(entry) != row["signature"]:
        return ""
    may = may_fetch(track, phase, now, organiser=viewer.organiser, own=viewer.team == entry.team)
    return entry.id if may else ""


def _signature(entry: TrackEntry) -> str:
    return entry.summary["signature"] if entry.summary is not None else ""


def _is_stale(counting: dict[str, TrackEntry], board: PhaseBoard | None) -> bool:
    """Tell whether a board is of other entries than those that count now."""
    shown = {row["team"]: row["signature"] for row in (board["rows"] if board is not None else [])}
    return shown != {team: _signature(entry) for team, entry in counting.items()}


def history(connection: Connection, track: TrackDefinition, team: str) -> list[TrackEntry]:
    """Return all entries of a team, the newest first."""
    return entries_of(connection, track.name, team=team)[::-1]
