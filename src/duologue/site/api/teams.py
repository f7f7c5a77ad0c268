"""A track's teams, phases and finals over the API: registration, and what its organiser decides."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta

from duologue.arena.competition.entries import entries_of
from duologue.arena.competition.entry_view import entry_to_json
from duologue.arena.competition.phases import advance, finalists_of, select_finalists
from duologue.arena.competition.teams import find_team, judge_team, register, teams_of
from duologue.core.errors import UsageError
from duologue.core.records import Record
from duologue.site.api.operation import Operation
from duologue.site.page_error import not_found
from duologue.site.pages.track_office import phase_at
from duologue.site.pages.tracks import ORGANISER, PARTICIPANTS, track_at

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.competition.track_file import PhaseDefinition, TrackDefinition
    from duologue.site.api.operation import OperationCall


class NewTeam(Record, frozen=True, kw_only=True):
    """A team that registers."""

    name: Annotated[str, Meta(max_length=60)]
    affiliation: Annotated[str, Meta(max_length=200)] = ""
    external: tuple[str, ...] = ()
    """External resources that it uses; none is a declaration too."""
    agreed: bool = False
    """Whether it accepts the agreement of the track."""


class ListedTeam(Record, frozen=True, kw_only=True):
    """A team as the organiser sees it."""

    id: str
    name: str
    affiliation: str
    state: str
    """`pending`, `approved` or `refused`."""
    external: tuple[str, ...]
    registered_at: int


class TeamState(Record, frozen=True, kw_only=True):
    """What an organiser decides on a team."""

    state: Literal["approved", "refused"]


class SelectedTeams(Record, frozen=True, kw_only=True):
    """The finalists that are selected, by name or id."""

    teams: tuple[str, ...]


class PhaseInside(Record, frozen=True, kw_only=True):
    """Who is in a phase."""

    finalists: list[dict[str, Any]]
    """Of a phase that people rate: team, place, whether it is selected."""
    entries: list[dict[str, Any]]


def operations() -> list[Operation]:
    """Return the operations."""
    ours = partial(Operation, roles=(ORGANISER,))
    teams, phase = "/tracks/{track}/teams", "/tracks/{track}/phases/{phase}"
    return [
        Operation(
            "POST", teams, "Register a team for the caller", enter, takes=NewTeam, gives=ListedTeam, roles=PARTICIPANTS
        ),
        ours("GET", teams, "The teams of a track", listed, gives=list[ListedTeam]),
        ours("POST", f"{teams}/{{team}}/state", "Approve or refuse", decide, takes=TeamState, gives=list[ListedTeam]),
        ours("GET", phase, "Who is in a phase", inside, gives=PhaseInside),
        ours("POST", f"{phase}/fill", "Let the first of the phase before come in now", fill, gives=PhaseInside),
        ours("POST", f"{phase}/select", "Select finalists", select, takes=SelectedTeams, gives=PhaseInside),
    ]


async def enter(call: OperationCall) -> ListedTeam:
    """Register a team."""
    track, wanted, now, me = await track_at(call), call.body, call.now, call.me.id

    def action(connection: Connection) -> str:
        made = register(
            connection, track, wanted.name, now, agreed=wanted.agreed, external=wanted.external,
            affiliation=wanted.affiliation, owner=me,
        )  # fmt: skip
        return made.id

    made = await call.write(action)
    return next(one for one in await listed(call) if one.id == made)


async def listed(call: OperationCall) -> list[ListedTeam]:
    """Return all teams."""
    known = await call.read(teams_of, (await track_at(call)).name)
    return [
        ListedTeam(
            id=one.id, name=one.name, affiliation=one.affiliation, state=one.state, external=one.external,
            registered_at=one.registered_at,
        )
        for one in known
    ]  # fmt: skip


async def decide(call: OperationCall) -> list[ListedTeam]:
    """Approve or refuse a team."""
    track, state, now, me = await track_at(call), call.body.state, call.now, call.me.id
    try:
        team = await call.read(find_team, track.name, call.at("team"))
    except UsageError as error:
        raise not_found() from error
    await call.write(lambda connection: judge_team(connection, team.id, state, now=now, by=me))
    return await listed(call)


async def inside(call: OperationCall) -> PhaseInside:
    """Return who is in a phase."""
    track = await track_at(call)
    return await call.read(_inside, track, phase_at(call, track))


async def fill(call: OperationCall) -> PhaseInside:
    """Let the first of the phase before come in before it is over."""
    track = await track_at(call)
    phase, now, me = phase_at(call, track), call.now, call.me.id
    filled = await call.write(lambda connection: advance(connection, track, now, early=phase.name, by=me))
    if phase.name not in filled:
        raise UsageError(f"'{phase.name}' is filled already, or entries of the phase before are not ended")
    return await inside(call)


async def select(call: OperationCall) -> PhaseInside:
    """Note who is selected in the end."""
    track = await track_at(call)
    phase, wanted, now, me = phase_at(call, track), call.body.teams, call.now, call.me.id

    def action(connection: Connection) -> int:
        chosen = [find_team(connection, track.name, one).id for one in wanted]
        return select_finalists(connection, track, phase, chosen, now=now, by=me)

    await call.write(action)
    return await inside(call)


def _inside(connection: Connection, track: TrackDefinition, phase: PhaseDefinition) -> PhaseInside:
    return PhaseInside(
        finalists=[
            {"team": one.name, "place": one.place, "entry": one.entry, "selected": one.selected}
            for one in finalists_of(connection, track.name, phase.name)
        ],
        entries=[entry_to_json(one, organiser=True) for one in entries_of(connection, track.name, phase=phase.name)],
    )
