"""What a volunteer sees: one item at a time, blind. Pages, API and terminal take everything from here."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from sqlalchemy import bindparam, func, select

from duologue.arena.campaigns.assignment import NothingLeft, take
from duologue.arena.campaigns.ballots import BETTER, Points
from duologue.arena.campaigns.campaign import is_open, raters_wanted
from duologue.arena.campaigns.live_talks import next_talk
from duologue.arena.campaigns.shown_content import ShownAnswer, ShownContext
from duologue.arena.campaigns.tables import (
    campaign_answers,
    campaign_assignments,
    campaign_ballots,
    campaign_items,
    campaign_units,
)
from duologue.core.errors import UsageError
from duologue.core.records import Record
from duologue.core.typed import convert

if TYPE_CHECKING:
    from sqlalchemy import Connection, Select

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.arena.campaigns.live_talks import TalkRoom

Stage = Literal["rate", "talk", "wait", "done", "closed"]


class ShownItem(Record, frozen=True, kw_only=True):
    """One item as it is shown to be rated; systems have no names here."""

    assignment: str = ""
    """What a ballot names; empty for an item of a norming round."""
    onboarding: bool = False
    """Whether it is one to learn from, whose right points are told afterwards."""
    history: tuple[tuple[str, str], ...] = ()
    """Turns before the reply."""
    first: tuple[tuple[str, str], ...]
    """What is rated: a reply, a dialogue, or of a pair the one on the left."""
    first_facts: tuple[tuple[str, str, str], ...] = ()
    second: tuple[tuple[str, str], ...] = ()
    second_facts: tuple[tuple[str, str, str], ...] = ()
    knowledge: tuple[tuple[str, str, str], ...] = ()
    goal: tuple[str, ...] = ()
    points: dict[str, int | str] = {}
    """What the person said before."""
    reason: str = ""
    remark: str = ""
    version: int = 0
    """How often the person has rated it."""


class VolunteerView(Record, frozen=True, kw_only=True):
    """Where a volunteer is in a campaign."""

    stage: Stage
    rated: int
    """Items that the person has rated, onboarding and checks left aside."""
    left: int
    """Items that the person could still rate."""
    item: ShownItem | None = None
    talk: str | None = None
    """Id of the talk that comes first."""
    talk_number: int = 0
    """Which of the item's talks it is, from 1; in a campaign of pairs there are two, on the same goal."""
    talks: int = 0
    """How many talks the item has."""


class OwnBallot(Record, frozen=True, kw_only=True):
    """One of a volunteer's ratings, in a list to choose from."""

    assignment: str
    beginning: str
    """The first words of what was rated."""
    points: dict[str, int | str]
    version: int


def volunteer_view(
    connection: Connection, campaign: Campaign, person: str, now: int, room: TalkRoom | None = None
) -> VolunteerView:
    """Return what the person does next; it is leased.

    Raises `UsageError` for an item of a live campaign where there is no `room` to talk in.
    """
    rated, left = progress_of(connection, campaign, person)
    if not is_open(connection, campaign):
        return VolunteerView(stage="closed", rated=rated, left=0)
    lease = take(connection, campaign, person, now)
    if isinstance(lease, NothingLeft):
        return VolunteerView(stage="wait" if lease.wait else "done", rated=rated, left=left)
    if campaign.protocol.live and lease.role == "main":
        if room is None:
            raise UsageError("people talk with systems on the site; start it with `duologue site`")
        due = next_talk(connection, campaign, lease, person, room)
        if due is not None:
            talk, number, of = due
            return VolunteerView(stage="talk", rated=rated, left=left, talk=talk, talk_number=number, talks=of)
    item = shown_item(connection, campaign, person, lease.assignment)
    return VolunteerView(stage="rate", rated=rated, left=left, item=item)


def shown_item(connection: Connection, campaign: Campaign, person: str, assignment: str) -> ShownItem:
    """Return one of the person's items, as it was shown, with what the person said of it.

    Raises `UsageError` for an item that is not the person's.
    """
    asked = {"assignment": assignment, "campaign": campaign.id, "person": person}
    row = connection.execute(_shown_to(), asked).one_or_none()
    if row is None:
        raise UsageError("this item is not among yours; go back to the campaign's page for the next one")
    points: Points = {} if row.version is None else dict(row.points)
    if row.swapped and points.get(BETTER) in {"a", "b"}:
        points = {BETTER: "b" if points[BETTER] == "a" else "a"}
    return msgspec.structs.replace(
        _shown_as(row, campaign, swapped=row.swapped),
        assignment=assignment,
        points=points,
        reason=row.reason or "",
        remark=row.remark or "",
        version=row.version or 0,
    )


def shown_unit(connection: Connection, campaign: Campaign, unit: str) -> ShownItem:
    """Return a unit as people see it. Raises `UsageError` where there is none, or nobody has talked for it yet."""
    row = connection.execute(_shown(), {"unit": unit, "campaign": campaign.id}).one_or_none()
    return _shown_as(row, campaign)


def _shown_as(row: Any, campaign: Campaign, *, swapped: bool = False) -> ShownItem:
    """Return what a row of `_units` shows. Raises `UsageError` where there is nothing to rate."""
    if row is None or row.a is None or (row.system_b is not None and row.b is None):
        raise UsageError("there is nothing to be rated yet; go back to the campaign's page for the next item")
    told = [convert(one, ShownAnswer) for one in (row.a, row.b) if one is not None]
    if swapped:
        told.reverse()
    context = convert(row.context, ShownContext)
    return ShownItem(
        onboarding=row.role == "onboarding",
        history=context.turns,
        first=told[0].turns,
        first_facts=told[0].facts,
        second=told[1].turns if len(told) > 1 else (),
        second_facts=told[1].facts if len(told) > 1 else (),
        knowledge=context.knowledge if campaign.protocol.knowledge_when_rating else (),
        goal=context.goal if campaign.protocol.goal_when_rating else (),
    )


@cache
def _shown() -> Select[Any]:
    """Return the query for what is shown of a unit."""
    units = campaign_units.c
    return _units().where(units.id == bindparam("unit"), units.campaign_id == bindparam("campaign"))


@cache
def _shown_to() -> Select[Any]:
    """Return the query for what is shown of a person's unit, and what the person has said of it last."""
    given, units, said = campaign_assignments.c, campaign_units.c, campaign_ballots.c
    versions = campaign_ballots.alias("versions").c
    last = select(func.max(versions.version)).where(versions.assignment_id == given.id).scalar_subquery()
    return (
        _units()
        .add_columns(given.swapped, said.points, said.reason, said.remark, said.version)
        .join(campaign_assignments, given.unit_id == units.id)
        .outerjoin(campaign_ballots, (said.assignment_id == given.id) & (said.version == last))
        .where(
            given.id == bindparam("assignment"),
            given.campaign_id == bindparam("campaign"),
            given.person_id == bindparam("person"),
        )
    )


def _units() -> Select[Any]:
    """Return the query for what is shown of units."""
    units, items = campaign_units.c, campaign_items.c
    one, other = campaign_answers.alias("one"), campaign_answers.alias("other")
    return (
        select(units.system_b, items.role, items.context, one.c.content.label("a"), other.c.content.label("b"))
        .select_from(campaign_units)
        .join(campaign_items, items.id == units.item_id)
        .outerjoin(one, one.c.id == units.answer_a)
        .outerjoin(other, other.c.id == units.answer_b)
    )


def own_ballots(connection: Connection, campaign: Campaign, person: str) -> tuple[OwnBallot, ...]:
    """Return the person's ratings, the newest first; checks among them look like all others."""
    given, units, items, answers = campaign_assignments.c, campaign_units.c, campaign_items.c, campaign_answers.c
    rows = connection.execute(
        select(given.id, given.swapped, answers.content)
        .join(campaign_units, units.id == given.unit_id)
        .join(campaign_items, items.id == given.item_id)
        .join(campaign_answers, answers.id == units.answer_a)
        .where(
            given.campaign_id == campaign.id,
            given.person_id == person,
            given.state == "rated",
            items.role == "main",
        )
        .order_by(given.rated_at.desc(), given.id)
    ).all()
    found = []
    for assignment, swapped, content in rows:
        points, version = _said(connection, assignment)
        if swapped and points.get(BETTER) in {"a", "b"}:
            points = {BETTER: "b" if points[BETTER] == "a" else "a"}
        words = " ".join(text for _, text in content["turns"])
        found.append(OwnBallot(assignment=assignment, beginning=words[:60], points=points, version=version))
    return tuple(found)


def progress_of(connection: Connection, campaign: Campaign, person: str) -> tuple[int, int]:
    """Return how many items a person has rated, and how many there are left for the person."""
    asked = {"campaign": campaign.id, "person": person, "surely": campaign.surely_wanted, **campaign.raters}
    rated, open_units, elsewhere, done, held = connection.execute(_progress(), asked).one()
    return rated, open_units - elsewhere - done + held


@cache
def _progress() -> Select[Any]:
    """Return the query of `progress_of`; made once, since making it costs more than asking."""
    given, units, items = campaign_assignments.c, campaign_units.c, campaign_items.c
    own = (given.campaign_id == bindparam("campaign")) & (given.person_id == bindparam("person"))
    rated = (
        select(func.count())
        .select_from(campaign_assignments)
        .join(campaign_items, items.id == given.item_id)
        .where(own, given.state == "rated", items.role == "main")
    )
    of_campaign = units.campaign_id == bindparam("campaign")
    surely = of_campaign & (units.load < bindparam("surely"))  # counted in the index alone
    perhaps = of_campaign & (units.load >= bindparam("surely")) & (units.load < bindparam("per_item"))
    more = _count_of_units().where(perhaps, units.load < raters_wanted())
    others = items.role.in_(["onboarding", "check", "norm"]) & (items.campaign_id == bindparam("campaign"))
    elsewhere = _count_of_units().where(others, units.load < raters_wanted())
    theirs = _count_of_units().join(campaign_assignments, given.unit_id == units.id).where(own, items.role == "main")
    done = theirs.where(given.state.in_(["rated", "skipped"]), units.load < raters_wanted())
    held = theirs.where(given.state == "leased", units.load >= raters_wanted())
    whole = select(func.count()).select_from(campaign_units).where(surely)
    return select(
        rated.scalar_subquery(),
        whole.scalar_subquery() + more.scalar_subquery(),
        *(one.scalar_subquery() for one in (elsewhere, done, held)),
    )


def _count_of_units() -> Select[Any]:
    units, items = campaign_units.c, campaign_items.c
    return select(func.count()).select_from(campaign_units).join(campaign_items, items.id == units.item_id)


def _said(connection: Connection, assignment: str) -> tuple[Points, int]:
    own = campaign_ballots.c
    row = connection.execute(
        select(own.points, own.version).where(own.assignment_id == assignment).order_by(own.version.desc()).limit(1)
    ).first()
    return ({}, 0) if row is None else (dict(row.points), row.version)
