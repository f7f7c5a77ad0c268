"""Who rates what next: balanced over items and systems, leased for a time, in an order of each person's own."""

from __future__ import annotations

from functools import cache
from heapq import heapify, heappop
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sqlalchemy import bindparam, func, insert, select, update

from duologue.arena.campaigns.campaign import MINUTE, is_open, raters_wanted
from duologue.arena.campaigns.tables import campaign_assignments, campaign_items, campaign_units
from duologue.arena.database.tables import new_id
from duologue.core.errors import UsageError
from duologue.core.rng import digest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import ColumnElement, Connection, Select

    from duologue.arena.campaigns.campaign import Campaign

_HELD = ("leased", "rated")
_FRESH = 0.9
"""Share of a lease's time down to which it need not be leased anew."""
_Which = Literal["begun", "of item", "all", "fresh", "idle", "fresh idle"]

_OF_ASSIGNMENT = update(campaign_assignments).where(campaign_assignments.c.id == bindparam("assignment"))
_LEASED = insert(campaign_assignments)
_BEGUN = (
    update(campaign_items)
    .where(campaign_items.c.id == bindparam("item"))
    .values(starters=campaign_items.c.starters + 1)
)
_LOADED = update(campaign_units).where(campaign_units.c.id == bindparam("unit")).values(load=campaign_units.c.load + 1)


class Lease(NamedTuple):
    """A unit that waits for one person."""

    assignment: str
    unit: str
    item: str
    role: str
    swapped: bool
    """Whether a pair is shown in the other order."""
    expires_at: int


class NothingLeft(NamedTuple):
    """Why there is no unit for a person now."""

    wait: bool
    """Whether others have leases that may come back; otherwise the person has rated all that there is."""


class _OpenUnit(NamedTuple):
    id: str
    key: str
    label: str

    @property
    def name(self) -> str:
        """What it is called on every machine."""
        return f"{self.key}\n{self.label}"


def take(connection: Connection, campaign: Campaign, person: str, now: int) -> Lease | NothingLeft:
    """Return what a person rates next, and lease it; what the person has leased already is leased anew in time.

    Onboarding items come first, attention checks at their intervals. Raises `UsageError` for a closed campaign.
    """
    if not is_open(connection, campaign):
        raise UsageError(f"the campaign '{campaign.title}' is closed")
    release_expired(connection, campaign, now)
    held = _held(connection, campaign, person)
    if held is not None:
        whole = campaign.settings.lease_minutes * MINUTE
        if held.expires_at > now + _FRESH * whole:
            return held  # nothing to write: a commit without a wait for the disk
        expires_at = now + whole
        connection.execute(_OF_ASSIGNMENT, {"assignment": held.assignment, "expires_at": expires_at})
        return held._replace(expires_at=expires_at)
    known = _next_known(connection, campaign, person)
    if known is not None:
        return _lease(connection, campaign, person, known, now)
    unit = _next_in_block(connection, campaign, person) if campaign.protocol.paired else None
    if unit is None:
        unit = _next_item(connection, campaign, person) if campaign.protocol.paired else None
    if unit is None:
        unit = _next_of_all(connection, campaign, person, now)
    if unit is not None:
        return _lease(connection, campaign, person, unit.id, now)
    asked = {"campaign": campaign.id, "person": person, **campaign.raters}
    held_back = connection.execute(_least_load("all"), asked).first() is not None
    return NothingLeft(wait=held_back or _others_busy(connection, campaign, person))


def release_expired(connection: Connection, campaign: Campaign, now: int) -> int:
    """Give back all leases that have run out, and return how many."""
    late = connection.execute(_late(), {"campaign": campaign.id, "now": now}).all()
    for assignment, unit, item, person in late:
        _give_back(connection, assignment, unit, item, person, "expired")
    return len(late)


def skip(connection: Connection, campaign: Campaign, person: str, assignment: str) -> None:
    """Give a leased unit back for good: the person does not get it again. Raises `UsageError` where it is not leased.

    Onboarding items and checks cannot be skipped.
    """
    given, items = campaign_assignments.c, campaign_items.c
    row = connection.execute(
        select(given.unit_id, given.item_id, items.role)
        .join(campaign_items, items.id == given.item_id)
        .where(
            given.id == assignment,
            given.campaign_id == campaign.id,
            given.person_id == person,
            given.state == "leased",
        )
    ).one_or_none()
    if row is None or row.role != "main":
        raise UsageError("this item cannot be skipped")
    _give_back(connection, assignment, row.unit_id, row.item_id, person, "skipped")


def _held(connection: Connection, campaign: Campaign, person: str) -> Lease | None:
    row = connection.execute(_leases(), {"campaign": campaign.id, "person": person}).first()
    return None if row is None else Lease(*row)


@cache
def _late() -> Select[Any]:
    """Return the query for leases that have run out; made once, as that of `_leases`, since every page asks it."""
    given = campaign_assignments.c
    return (
        select(given.id, given.unit_id, given.item_id, given.person_id)
        .where(
            given.campaign_id == bindparam("campaign"), given.state == "leased", given.expires_at <= bindparam("now")
        )
        .order_by(given.id)
    )


@cache
def _leases() -> Select[Any]:
    """Return the query for what a person has leased."""
    given, items = campaign_assignments.c, campaign_items.c
    mine = (given.campaign_id == bindparam("campaign")) & (given.person_id == bindparam("person"))
    return (
        select(given.id, given.unit_id, given.item_id, items.role, given.swapped, given.expires_at)
        .join(campaign_items, items.id == given.item_id)
        .where(mine, given.state == "leased")
        .order_by(given.leased_at, given.id)
    )


def _next_known(connection: Connection, campaign: Campaign, person: str) -> str | None:
    """Return the next onboarding item, or the attention check that is due."""
    asked = {"campaign": campaign.id, "person": person}
    row = connection.execute(_known(), asked).first()
    if row is None or row.role == "onboarding":
        return None if row is None else str(row.id)
    rows = connection.execute(_counts(), asked)
    counts = {row[0]: row[1] for row in rows}
    every = campaign.settings.check_every
    due = every and counts.get("main", 0) >= every * (counts.get("check", 0) + 1)
    return str(row.id) if due else None


@cache
def _known() -> Select[Any]:
    """Return the query for the onboarding items and checks that a person has not had."""
    units, items = campaign_units.c, campaign_items.c
    return (
        select(units.id, items.role)
        .join(campaign_items, items.id == units.item_id)
        .where(
            items.campaign_id == bindparam("campaign"),
            items.role.in_(["onboarding", "check"]),
            units.id.not_in(_mine()),
        )
        .order_by(items.role.desc(), items.position)  # onboarding before checks
    )


@cache
def _counts() -> Select[Any]:
    """Return the query for how many items a person has rated, and how many checks the person has had, by role."""
    given, items = campaign_assignments.c, campaign_items.c
    return (
        select(items.role, func.count())
        .select_from(campaign_assignments)
        .join(campaign_items, items.id == given.item_id)
        .where(_own(), (given.state == "rated") | (items.role == "check"))
        .group_by(items.role)
    )


def _own() -> ColumnElement[bool]:
    """Return what an assignment of the person in the campaign fulfils; queries bind both."""
    given = campaign_assignments.c
    return (given.campaign_id == bindparam("campaign")) & (given.person_id == bindparam("person"))


def _mine() -> Select[Any]:
    """Return the query for the units that a person has, had and rated, or skipped; a lost lease may come back."""
    given = campaign_assignments.c
    return select(given.unit_id).where(_own(), given.state != "expired")


def _begun() -> Select[Any]:
    """Return the query for the items that a person has begun."""
    given = campaign_assignments.c
    return select(given.item_id).where(_own(), given.state.in_(_HELD))


def _open_units(
    connection: Connection, campaign: Campaign, person: str, which: _Which, **asked: Any
) -> list[_OpenUnit]:
    """Return the units that a person may get; `which` and `asked` are as `_open` has them."""
    known = {"campaign": campaign.id, "person": person, **campaign.raters}
    rows = connection.execute(_open(which), known | asked)
    return [_OpenUnit(row.id, row.item_key, _label(row.system_a, row.system_b)) for row in rows]


@cache
def _open(which: _Which) -> Select[Any]:
    """Return the query for the units that a person may get, made once for each kind.

    Those of items that the person has begun; of one `item`; or with a `load` and the systems `a` and `b` (none: empty),
    of all items, or such as nobody has at work, nor had since `lately`, or that are fresh to the person.
    """
    units, items = campaign_units.c, campaign_items.c
    query = _where_open(select(units.id, items.item_key, units.system_a, units.system_b), which)
    if which == "begun":
        return query.where(units.item_id.in_(_begun()))
    if which == "of item":
        return query.where(units.item_id == bindparam("item"))
    systems = (units.system_a == bindparam("a")) & (func.coalesce(units.system_b, "") == bindparam("b"))
    return query.where(units.load == bindparam("load"), systems)


@cache
def _least_load(which: _Which) -> Select[Any]:
    """Return the query for the least load of the units that `_open` tells of; the index has them in this order."""
    units = campaign_units.c
    return _where_open(select(units.load), which).order_by(units.load).limit(1)


@cache
def _open_systems(which: _Which) -> Select[Any]:
    """Return the query for the systems, or pairs, that units of a `load` are of."""
    units = campaign_units.c
    query = _where_open(select(units.system_a, units.system_b), which)
    return query.where(units.load == bindparam("load")).distinct()


def _where_open(query: Select[Any], which: _Which) -> Select[Any]:
    """Return a query of units, with their items, for those that a person may get.

    Few items, or one, are looked up first, and their units then: a condition on the campaign of a unit would have
    databases go through all units.
    """
    units, items, given = campaign_units.c, campaign_items.c, campaign_assignments.c
    talked = units.answer_a.is_not(None) & (units.system_b.is_(None) | units.answer_b.is_not(None))
    query = (
        query.select_from(campaign_units)
        .join(campaign_items, items.id == units.item_id)
        .where(
            items.role == "main",
            units.load < raters_wanted(),
            units.id.not_in(_mine()),
            talked | (units.load == 0),  # who talks first is alone with a unit until the dialogue is there
        )
    )
    if which in {"begun", "of item"}:
        return query.where(items.campaign_id == bindparam("campaign"))
    query = query.where(units.campaign_id == bindparam("campaign"))
    known = select(given.item_id).where(_own())
    if which.startswith("fresh"):
        query = query.where(units.item_id.not_in(known))
    if which.endswith("idle"):
        busy = select(given.item_id).where(
            given.campaign_id == bindparam("campaign"),
            (given.state == "leased") | ((given.state == "rated") & (given.rated_at > bindparam("lately"))),
        )
        return query.where(units.item_id.not_in(busy))
    return query


def _label(a: str, b: str | None) -> str:
    return a if b is None else f"{a}\n{b}"


def _next_in_block(connection: Connection, campaign: Campaign, person: str) -> _OpenUnit | None:
    """Return another system on an item that the person has begun."""
    return _first(campaign, person, _open_units(connection, campaign, person, "begun"))


def _first(campaign: Campaign, person: str, found: Iterable[_OpenUnit]) -> _OpenUnit | None:
    return min(found, key=lambda one: _lot(campaign, person, one.name), default=None)


def _next_item(connection: Connection, campaign: Campaign, person: str) -> _OpenUnit | None:
    """Return the first system on an item that the fewest people have begun."""
    known = {"campaign": campaign.id, "person": person, **campaign.raters}
    least = connection.execute(_fewest_starters(), {**known, "above": -1}).scalar()
    while least is not None:
        rows = connection.execute(_new_items(), {**known, "starters": least})
        lots = [(_lot(campaign, person, key), item) for item, key in rows]
        heapify(lots)
        while lots:
            found = _open_units(connection, campaign, person, "of item", item=heappop(lots)[1])
            if found:
                return _first(campaign, person, found)
        least = connection.execute(_fewest_starters(), {**known, "above": least}).scalar()
    return None


@cache
def _new_items() -> Select[Any]:
    """Return the query for the items with so many `starters` that a person may begin."""
    items = campaign_items.c
    return _where_new(select(items.id, items.item_key)).where(items.starters == bindparam("starters"))


@cache
def _fewest_starters() -> Select[Any]:
    """Return the query for the fewest starters, `above` a number, of the items that a person may begin."""
    starters = campaign_items.c.starters
    return _where_new(select(func.min(starters))).where(starters > bindparam("above"))


def _where_new(query: Select[Any]) -> Select[Any]:
    items = campaign_items.c
    return query.where(
        items.campaign_id == bindparam("campaign"),
        items.role == "main",
        items.starters < raters_wanted(),
        items.id.not_in(_begun()),
    )


def _next_of_all(connection: Connection, campaign: Campaign, person: str, now: int) -> _OpenUnit | None:
    """Return the unit with the fewest ratings, of an item that is new to the person, and of the rarest systems.

    With pairing it is what others began and left; items that somebody was at work on lately are left to them.
    """
    known: dict[str, Any] = {"campaign": campaign.id, "person": person, **campaign.raters}
    kinds: tuple[_Which, _Which] = ("fresh", "all")
    if campaign.protocol.paired:
        kinds = ("fresh idle", "idle")
        known["lately"] = now - campaign.settings.lease_minutes * MINUTE
    for which in kinds:
        load = connection.execute(_least_load(which), known).scalar()
        if load is None:
            continue
        known["load"] = load
        systems = [(row[0], row[1]) for row in connection.execute(_open_systems(which), known)]
        everywhere, own = _loads(connection, campaign, None), _loads(connection, campaign, person)
        rarity = {one: (everywhere.get(_label(*one), 0), own.get(_label(*one), 0)) for one in systems}
        rarest = [one for one in systems if rarity[one] == min(rarity.values())]
        asked = {key: known[key] for key in ("load", "lately") if key in known}
        units = [_open_units(connection, campaign, person, which, **asked, a=a, b=b or "") for a, b in rarest]
        return _first(campaign, person, chain.from_iterable(units))
    return None


def _loads(connection: Connection, campaign: Campaign, person: str | None) -> dict[str, int]:
    """Return how often each system, or pair, is leased or rated, by all or by one person."""
    units, given, items = campaign_units.c, campaign_assignments.c, campaign_items.c
    query = (
        select(units.system_a, units.system_b, func.count())
        .select_from(campaign_assignments)
        .join(campaign_units, units.id == given.unit_id)
        .join(campaign_items, items.id == given.item_id)
        .where(given.campaign_id == campaign.id, given.state.in_(_HELD), items.role == "main")
        .group_by(units.system_a, units.system_b)
    )
    if person is not None:
        query = query.where(given.person_id == person)
    return {_label(a, b): count for a, b, count in connection.execute(query)}


def _lease(connection: Connection, campaign: Campaign, person: str, unit_id: str, now: int) -> Lease:
    """Write the lease of a unit; one that the person lost is taken up again."""
    item_id, role, begun, lost = connection.execute(_wanted(), {"unit": unit_id, "person": person}).one()
    if not begun:
        connection.execute(_BEGUN, {"item": item_id})
    connection.execute(_LOADED, {"unit": unit_id})
    expires_at = now + campaign.settings.lease_minutes * MINUTE
    swapped = campaign.pairs and bool(digest(campaign.settings.seed, "side", person, unit_id)[0] & 1)
    values = {"state": "leased", "leased_at": now, "expires_at": expires_at}
    if lost is not None:
        connection.execute(_OF_ASSIGNMENT, {**values, "assignment": lost})
        return Lease(lost, unit_id, item_id, role, swapped, expires_at)
    assignment = new_id()
    named = {"id": assignment, "campaign_id": campaign.id, "unit_id": unit_id, "item_id": item_id}
    connection.execute(_LEASED, {**values, **named, "person_id": person, "swapped": swapped})
    return Lease(assignment, unit_id, item_id, role, swapped, expires_at)


@cache
def _wanted() -> Select[Any]:
    """Return the query for a unit's item and its role, how often a person has begun it, and a lease that was lost."""
    given, units, items = campaign_assignments.c, campaign_units.c, campaign_items.c
    theirs = given.person_id == bindparam("person")
    begun = select(func.count()).where(given.item_id == units.item_id, theirs, given.state.in_(_HELD))
    lost = select(given.id).where(given.unit_id == units.id, theirs)
    return (
        select(items.id, items.role, begun.scalar_subquery(), lost.scalar_subquery())
        .select_from(campaign_units)
        .join(campaign_items, items.id == units.item_id)
        .where(units.id == bindparam("unit"))
    )


def _give_back(connection: Connection, assignment: str, unit: str, item: str, person: str, state: str) -> None:
    given, units, items = campaign_assignments.c, campaign_units.c, campaign_items.c
    connection.execute(update(campaign_assignments).where(given.id == assignment).values(state=state))
    connection.execute(update(campaign_units).where(units.id == unit).values(load=units.load - 1))
    others = select(func.count()).where(given.item_id == item, given.person_id == person, given.state.in_(_HELD))
    if not connection.execute(others).scalar_one():
        connection.execute(update(campaign_items).where(items.id == item).values(starters=items.starters - 1))


def _others_busy(connection: Connection, campaign: Campaign, person: str) -> bool:
    """Tell whether somebody else has a lease on what this person could rate."""
    given, items = campaign_assignments.c, campaign_items.c
    query = (
        select(func.count())
        .select_from(campaign_assignments)
        .join(campaign_items, items.id == given.item_id)
        .where(
            given.campaign_id == campaign.id,
            given.state == "leased",
            given.person_id != person,
            items.role == "main",
            given.unit_id.not_in(_mine()),
        )
    )
    return bool(connection.execute(query, {"campaign": campaign.id, "person": person}).scalar_one())


def _lot(campaign: Campaign, person: str, name: str) -> bytes:
    """Return where something stands in the order of one person."""
    return digest(campaign.settings.seed, "order", person, name)
