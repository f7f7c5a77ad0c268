"""Ballots: what a volunteer says of one unit, checked, kept with all corrections."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import bindparam, func, insert, select, update

from duologue.arena.campaigns.campaign import is_open
from duologue.arena.campaigns.campaign_protocol import KnownItem
from duologue.arena.campaigns.known_items import is_right
from duologue.arena.campaigns.tables import (
    campaign_assignments,
    campaign_ballots,
    campaign_items,
    campaign_units,
)
from duologue.arena.database.damage import damaged
from duologue.core.decoded import shown
from duologue.core.errors import UsageError
from duologue.core.typed import convert

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection, Select

    from duologue.arena.campaigns.campaign import Campaign

OUTCOMES = ("a", "b", "tie")
BETTER = "better"
"""What a ballot on a pair holds instead of criteria: `a`, `b` or `tie`."""
LONGEST_REMARK = 2_000
"""Characters."""
_MAX_SECONDS = 86_400
_WHOLE = re.compile(r"-?[0-9]{1,4}")
_KEPT = insert(campaign_ballots)
_DONE = update(campaign_assignments).where(campaign_assignments.c.id == bindparam("assignment"))

Points = dict[str, int | str]


class BallotOutcome(NamedTuple):
    """What came of a ballot."""

    assignment: str
    right: bool | None
    """Of an onboarding item whether it was right; `None` of any other item."""
    why: str = ""
    why_zh: str = ""
    version: int = 1


class CountedBallot(NamedTuple):
    """The last version of a ballot on an item that counts."""

    unit_id: str
    item_key: str
    person: str
    system_a: str
    system_b: str | None
    points: Points
    """Of a pair the winner: `a` and `b` are the unit's systems, however they were shown."""
    reason: str
    remark: str
    seconds: int | None
    version: int
    created_at: int
    talk: str | None


def checked_points(campaign: Campaign, said: Mapping[str, Any]) -> Points:
    """Return the points of a ballot by criterion, or its choice.

    Raises `UsageError` with all that lacks or is out of its scale.
    """
    if campaign.pairs:
        better = said.get(BETTER)
        if better not in OUTCOMES:
            raise UsageError(f"found {shown(better)}; choose a, b or tie")
        return {BETTER: str(better)}
    found: Points = {}
    wrong = []
    for one in campaign.rating.criterion:
        value = said.get(one.name)
        text = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
        whole = int(text) if _WHOLE.fullmatch(text) else None
        if whole is None or not one.low <= whole <= one.high:
            wrong.append(f"{one.name}: found {shown(value)}, expected a whole number from {one.low} to {one.high}")
        else:
            found[one.name] = whole
    if wrong:
        raise UsageError("; ".join(wrong))
    return found


def kept_points(campaign: Campaign, points: Points, who: str) -> Points:
    """Return points as they were kept; `who` says of what. Raises `StorageError` for those that nobody could give."""
    if campaign.pairs:
        sound = points.keys() == {BETTER} and points[BETTER] in OUTCOMES
    else:
        scales = {one.name: one for one in campaign.rating.criterion}
        sound = points.keys() <= scales.keys() and all(
            isinstance(value, int) and scales[name].low <= value <= scales[name].high for name, value in points.items()
        )
    if not sound:
        raise damaged("the database", f"{who} of campaign {campaign.id} has the points {points!r:.80}")
    return points


def checked_reason(campaign: Campaign, reason: str, remark: str) -> tuple[str, str]:
    """Return reason and remark. Raises `UsageError` where a pair has no reason, or a text is too long."""
    remark = remark.strip()
    if len(remark) > LONGEST_REMARK:
        raise UsageError(f"the remark has {len(remark):,} characters; at most {LONGEST_REMARK:,} are kept")
    if not campaign.pairs:
        return "", remark
    known = [one.name for one in campaign.protocol.reason]
    if reason not in known:
        raise UsageError(f"why? found {shown(reason)}; choose one of {', '.join(known)}")
    return reason, remark


def cast(
    connection: Connection,
    campaign: Campaign,
    person: str,
    assignment: str,
    said: Mapping[str, Any],
    *,
    now: int,
    reason: str = "",
    remark: str = "",
    seconds: int | None = None,
) -> BallotOutcome:
    """Keep a ballot, or a correction of one, and return what came of it.

    A ballot is taken after its lease has run out too: nobody's work is lost. Raises `UsageError` for an assignment
    that is not the person's, a closed campaign, an answer that nobody has talked for yet, and points out of the scale.
    """
    if not is_open(connection, campaign):
        raise UsageError(f"the campaign '{campaign.title}' is closed: its ratings cannot be changed any more")
    asked = {"assignment": assignment, "campaign": campaign.id, "person": person}
    row = connection.execute(_rated(), asked).mappings().one_or_none()
    if row is None:
        raise UsageError("this item is not among yours; go back to the campaign's page for the next one")
    if row["answer_a"] is None or (row["system_b"] is not None and row["answer_b"] is None):
        raise UsageError("the dialogue is not finished yet; talk to its end first")
    points = checked_points(campaign, said)
    role = row["role"]
    needed = role == "main"
    reason, remark = checked_reason(campaign, reason, remark) if needed else ("", "")
    known = convert(row["truth"], KnownItem) if row["truth"] is not None else None
    right = None if known is None else is_right(known, points, swapped=row["swapped"])
    if row["swapped"] and campaign.pairs:
        points[BETTER] = {"a": "b", "b": "a", "tie": "tie"}[str(points[BETTER])]
    version = (row["last"] or 0) + 1
    if role == "check" and version > 1:
        raise UsageError("this item was rated already")
    ballot = {
        "assignment_id": assignment, "person_id": person, "version": version, "points": points, "reason": reason,
        "remark": remark,
        "seconds": None if seconds is None else max(0, min(seconds, _MAX_SECONDS)), "created_at": now,
    }  # fmt: skip
    connection.execute(_KEPT, ballot)
    if role == "check" and right is False:  # done, and failed: it is not shown again
        skipped = update(campaign_assignments).where(campaign_assignments.c.id == assignment).values(state="skipped")
        connection.execute(skipped)
    elif row["state"] != "rated" and right is not False:
        if row["state"] in {"expired", "skipped"}:
            _load_again(connection, row["unit_id"], row["item_id"], person)
        connection.execute(_DONE, {"assignment": assignment, "state": "rated", "rated_at": now})
    if role != "onboarding" or known is None:
        return BallotOutcome(assignment, None, version=version)
    return BallotOutcome(assignment, right, known.why, known.why_zh, version)


@cache
def _rated() -> Select[Any]:
    """Return the query for what a person rates, made once: every rating asks it."""
    given, units, items, said = campaign_assignments.c, campaign_units.c, campaign_items.c, campaign_ballots.c
    last = select(func.max(said.version)).where(said.assignment_id == given.id).scalar_subquery()
    return (
        select(
            given.state, given.swapped, given.unit_id, given.item_id, units.answer_a, units.answer_b, units.system_b,
            items.role, items.truth, last.label("last"),
        )
        .join(campaign_units, units.id == given.unit_id)
        .join(campaign_items, items.id == given.item_id)
        .where(
            given.id == bindparam("assignment"),
            given.campaign_id == bindparam("campaign"),
            given.person_id == bindparam("person"),
        )
    )  # fmt: skip


def counted_ballots(connection: Connection, campaign: Campaign) -> tuple[CountedBallot, ...]:
    """Return the last version of each ballot on the items that count, in the order in which they were first given."""
    given, units, items, said = campaign_assignments.c, campaign_units.c, campaign_items.c, campaign_ballots.c
    last = select(said.assignment_id, func.max(said.version).label("version")).group_by(said.assignment_id).subquery()
    rows = connection.execute(
        select(
            units.id, items.item_key, given.person_id, units.system_a, units.system_b, said.points, said.reason,
            said.remark, said.seconds, said.version, said.created_at, given.talk_a,
        )
        .select_from(campaign_ballots)
        .join(last, (last.c.assignment_id == said.assignment_id) & (last.c.version == said.version))
        .join(campaign_assignments, given.id == said.assignment_id)
        .join(campaign_units, units.id == given.unit_id)
        .join(campaign_items, items.id == given.item_id)
        .where(given.campaign_id == campaign.id, given.state == "rated", items.role == "main")
        .order_by(given.rated_at, given.id)
    )  # fmt: skip
    return tuple(_counted(campaign, CountedBallot._make(row)) for row in rows)


def _counted(campaign: Campaign, ballot: CountedBallot) -> CountedBallot:
    """Return a ballot. Raises `StorageError` where it is none of the campaign."""
    systems = [one for one in (ballot.system_a, ballot.system_b) if one is not None]
    if len(systems) != 1 + campaign.pairs or not set(systems) <= set(campaign.systems):
        told = shown(", ".join(systems))
        raise damaged("the database", f"a ballot of campaign {campaign.id} is on {told}, which it does not rate")
    kept_points(campaign, ballot.points, f"a ballot on {shown(ballot.item_key)}")
    return ballot


def _load_again(connection: Connection, unit_id: str, item_id: str, person: str) -> None:
    """Count a unit that was given back and is rated after all."""
    given = campaign_assignments.c
    mine = select(func.count()).where(
        given.item_id == item_id, given.person_id == person, given.state.in_(["leased", "rated"])
    )
    if not connection.execute(mine).scalar_one():
        starters = campaign_items.c.starters + 1
        connection.execute(update(campaign_items).where(campaign_items.c.id == item_id).values(starters=starters))
    load = campaign_units.c.load + 1
    connection.execute(update(campaign_units).where(campaign_units.c.id == unit_id).values(load=load))
