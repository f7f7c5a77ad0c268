"""What people and judges said of the teams of a final, beside their automatic scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from sqlalchemy import delete, insert, select

from duologue.arena.competition.tables import team_ratings
from duologue.arena.competition.teams import teams_of
from duologue.core.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.competition.track_file import PhaseDefinition, TrackDefinition
    from duologue.ratings.summary import RatingsSummary

RatingSource = Literal["human", "judge"]


class TeamRating(NamedTuple):
    """What one source said of a team."""

    team: str
    phase: str
    source: RatingSource
    protocol: str
    value: float
    """By the protocol's rule: the sum of its criteria."""
    low: float | None
    high: float | None
    rank_best: int
    """By the protocol's own rule; equals share it."""
    rank_worst: int


def keep_ratings(
    connection: Connection,
    track: TrackDefinition,
    phase: PhaseDefinition,
    source: RatingSource,
    found: RatingsSummary,
    now: int,
) -> int:
    """Keep the ratings of a phase's teams, in place of former ones of the same source, and return of how many teams.

    Systems are called as the teams. Raises `UsageError` for a system that is no team, and for pairwise judgements.
    """
    if found.rated is None:
        raise UsageError("the file holds pairwise judgements; a final is decided by ratings on the protocol's scale")
    by_name = {one.name: one.id for one in teams_of(connection, track.name)}
    rows = []
    for system in found.rated.systems:
        if system.rank is None or system.total is None:
            continue  # a hidden reference, which is not ranked
        if system.system not in by_name:
            hint = did_you_mean(system.system, by_name)
            raise UsageError(f"'{system.system}' was rated and is no team of track '{track.name}'{hint}")
        same = sum(other.rank == system.rank for other in found.rated.systems)
        rows.append(
            {
                "track": track.name,
                "phase": phase.name,
                "source": source,
                "team": by_name[system.system],
                "protocol": found.protocol.name,
                "value": system.final if system.final is not None else system.total.value,
                "low": _finite(system.total.low) if system.final == system.total.value else None,
                "high": _finite(system.total.high) if system.final == system.total.value else None,
                "rank_best": system.rank,
                "rank_worst": system.rank + same - 1,
                "rated_at": now,
            }
        )
    its = (team_ratings.c.track == track.name) & (team_ratings.c.phase == phase.name)
    connection.execute(delete(team_ratings).where(its, team_ratings.c.source == source))
    for row in rows:
        connection.execute(insert(team_ratings).values(**row))
    return len(rows)


def ratings_of(connection: Connection, track: str) -> list[TeamRating]:
    """Return all ratings of a track's teams."""
    wanted = (
        select(team_ratings).where(team_ratings.c.track == track).order_by(team_ratings.c.phase, team_ratings.c.team)
    )
    return [
        TeamRating(**{name: getattr(row, name) for name in TeamRating._fields}) for row in connection.execute(wanted)
    ]


def _finite(value: float | None) -> float | None:
    return value if value is not None and abs(value) < float("inf") else None
