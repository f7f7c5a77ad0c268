"""Teams of a track: registration with the agreement and declared external resources, approval, members."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import insert, select, update

from duologue.arena.competition.board_request import ask_for_board
from duologue.arena.competition.tables import entries, team_members, teams
from duologue.arena.competition.tracks import agreement_hash
from duologue.arena.database.tables import new_id
from duologue.arena.people.audit import log
from duologue.arena.people.people import find_person, set_roles
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.escapes import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sqlalchemy import Connection, Row

    from duologue.arena.competition.track_file import TrackDefinition

_LONGEST = 60
"""Characters of a team's name."""
_MAX_DECLARED = 50
"""External resources that a team may name, each of at most 200 characters."""


class Team(NamedTuple):
    """A team of a track."""

    id: str
    track: str
    name: str
    affiliation: str
    owner_id: str | None
    """The person who registered it; `None` for one that the organiser made."""
    state: str
    """`pending`, `approved` or `refused`."""
    agreement_sha256: str
    """Hash of the agreement that it accepted."""
    external: tuple[str, ...]
    """External resources that it declared; none is a declaration too."""
    registered_at: int


def register(
    connection: Connection,
    track: TrackDefinition,
    name: str,
    now: int,
    *,
    agreed: bool,
    external: Sequence[str] = (),
    affiliation: str = "",
    owner: str | None = None,
    approved: bool = False,
) -> Team:
    """Register a team, and log who did; `approved` by the organiser who makes it, else where no approval is asked for.

    Raises `UsageError` for a name that is empty, too long or taken, a person who has a team already, and an agreement
    that was not accepted.
    """
    plain = " ".join(name.split())
    if not plain or len(plain) > _LONGEST or one_line(plain) != plain:
        raise UsageError(f"a team's name has 1 to {_LONGEST} characters that can be printed")
    if agreement_hash(track) and not agreed:
        raise UsageError("the team has not accepted the agreement of this track; read it and accept it")
    declared = tuple(dict.fromkeys(text for one in external if (text := " ".join(one.split()))))
    if len(declared) > _MAX_DECLARED or any(len(one) > 200 for one in declared):
        raise UsageError(f"at most {_MAX_DECLARED} external resources are named, each in 200 characters")
    here = teams.c.track == track.name
    for other in connection.execute(select(teams.c.name).where(here)).scalars():
        if other.casefold() == plain.casefold():
            raise UsageError(f"there is a team '{other}' in this track; choose another name")
    if owner and (own := team_of(connection, track.name, owner)) is not None:
        raise UsageError(f"you are in the team '{own.name}' of this track already")
    made = Team(
        id=new_id(),
        track=track.name,
        name=plain,
        affiliation=" ".join(affiliation.split())[:200],
        owner_id=owner,
        state="approved" if approved or not track.approval else "pending",
        agreement_sha256=agreement_hash(track),
        external=declared,
        registered_at=now,
    )
    connection.execute(insert(teams).values(**made._asdict() | {"external": list(declared)}))
    if owner:
        connection.execute(insert(team_members).values(team=made.id, person_id=owner))
    log(connection, owner, "team.register", now=now, about=made.id, track=track.name)
    return made


def judge_team(connection: Connection, team: str, state: str, *, now: int, by: str | None) -> None:
    """Approve or refuse a team, log who did, and ask for the boards that it leaves or comes back to.

    Raises `UsageError` for another state.
    """
    if state not in ("approved", "refused"):
        raise UsageError(f"a team is approved or refused, not '{state}'")
    connection.execute(update(teams).where(teams.c.id == team).values(state=state))
    log(connection, by, f"team.{state.removesuffix('d')}", now=now, about=team)
    scored = select(entries.c.track, entries.c.phase).where(entries.c.team == team, entries.c.state == "scored")
    for track, phase in connection.execute(scored.distinct().order_by(entries.c.track, entries.c.phase)).all():
        ask_for_board(connection, track, phase, now)


def add_member(connection: Connection, team: Team, person_id: str, *, now: int, by: str | None) -> None:
    """Let a person act for a team, as a participant, and log who said so; once is enough.

    Raises `UsageError` for a person who is not there, or in another team of the track.
    """
    person = find_person(connection, person_id)
    own = team_of(connection, team.track, person_id)
    if own is not None and own.id != team.id:
        raise UsageError(f"this person is in the team '{own.name}' of the track already")
    if own is None:
        connection.execute(insert(team_members).values(team=team.id, person_id=person_id))
    if "participant" not in person.roles:
        set_roles(connection, person_id, (*person.roles, "participant"), now=now, by=by)
    log(connection, by, "team.member", now=now, about=team.id, person=person_id)


def team_of(connection: Connection, track: str, person: str) -> Team | None:
    """Return the team of a person in a track."""
    joined = select(teams).join(team_members, team_members.c.team == teams.c.id)
    row = connection.execute(joined.where(teams.c.track == track, team_members.c.person_id == person)).first()
    return None if row is None else team_in(row)


def teams_of(connection: Connection, track: str) -> list[Team]:
    """Return the teams of a track, in the order of their registration."""
    wanted = select(teams).where(teams.c.track == track).order_by(teams.c.registered_at, teams.c.name)
    return [team_in(row) for row in connection.execute(wanted)]


def find_team(connection: Connection, track: str, word: str) -> Team:
    """Return a team by its name or id. Raises `UsageError` where there is none."""
    known = teams_of(connection, track)
    found = next((one for one in known if word in (one.name, one.id)), None)
    if found is None:
        hint = did_you_mean(word, [one.name for one in known]) or "; register it first (duologue track team)"
        raise UsageError(f"track '{track}' has no team '{word}'{hint}")
    return found


def team_in(row: Row[Any]) -> Team:
    """Return the team that a row of `teams` holds."""
    values = {name: getattr(row, name) for name in Team._fields}
    return Team(**values | {"external": tuple(row.external)})
