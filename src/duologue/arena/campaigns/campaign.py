"""A campaign in the database: its start, its record, its status, its end."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta
from sqlalchemy import Integer, bindparam, case, func, insert, select, update

from duologue.arena.campaigns.campaign_protocol import CampaignProtocol, KnownItem
from duologue.arena.campaigns.known_items import check_items
from duologue.arena.campaigns.tables import (
    campaign_answers,
    campaign_assignments,
    campaign_items,
    campaign_units,
    campaign_volunteers,
    campaigns,
)
from duologue.arena.database.damage import damaged
from duologue.arena.database.tables import new_id
from duologue.arena.people.audit import log
from duologue.core.bounds import Count, Probability
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.records import Record
from duologue.core.rng import digest
from duologue.core.typed import convert
from duologue.ratings.protocol import RatingProtocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, Connection, RowMapping, Select

    from duologue.arena.campaigns.material import Material, MaterialItem

MINUTE = 60_000
"""Milliseconds."""
_ALL = 2**31 - 1
_YEAR = 366 * 24 * 60
"""Minutes."""
CampaignSeed = Annotated[int, Meta(ge=-(2**62), le=2**62)]
"""A seed to which the number of an item can be added: the database keeps the sum."""
MAX_UNITS = 200_000
"""Answers, or pairs, that a campaign has to be rated at most; everybody waits while they are written."""
_TOGETHER = 1_000
"""Rows that are written at once."""
_STATUS = select(campaigns.c.status).where(campaigns.c.id == bindparam("campaign"))


class CampaignSettings(Record, frozen=True, kw_only=True):
    """What an organiser chooses."""

    per_item: Annotated[int, Meta(ge=1, le=10_000)] = 1
    """Raters of each item, or of those that overlap."""
    overlap: Probability = 1.0
    """Share of the items that `per_item` people rate, drawn by the seed; the others have one rater."""
    lease_minutes: Annotated[int, Meta(ge=1, le=_YEAR)] = 60
    """How long an item waits for the volunteer who has it, before another one gets it."""
    check_every: Annotated[int, Meta(ge=0, le=_ALL)] = 10
    """Ratings from one attention check to the next; 0: none."""
    seed: CampaignSeed = 1
    """Of all chance: order of items for each person, sides of pairs."""
    sources: dict[str, str] = {}
    """Of live campaigns what a talk with a system is started with, where it is not the system's name."""
    several: Count = 0
    """How many items overlap, the first by their position; counted when a campaign starts."""
    track: str = ""
    phase: str = ""
    """The final of a track whose teams it rates; empty for none."""
    judge: str = ""
    """Name of the file of a judge's scores that is shown beside people's; empty for none."""
    judge_sha256: str = ""
    title_zh: str = ""
    """The title on Chinese pages; empty: the same."""


class Campaign(NamedTuple):
    """One campaign."""

    id: str
    title: str
    task: str
    protocol: CampaignProtocol
    rating: RatingProtocol
    systems: tuple[str, ...]
    settings: CampaignSettings
    status: str
    created_at: int

    @property
    def open(self) -> bool:
        """Whether it took ratings when it was read; whoever writes asks `is_open`."""
        return self.status == "open"

    @property
    def raters(self) -> dict[str, int]:
        """What `raters_wanted` is bound to."""
        whole = self.settings.overlap >= 1
        return {"per_item": self.settings.per_item, "several": _ALL if whole else self.settings.several}

    @property
    def surely_wanted(self) -> int:
        """Raters that every item is to have, wherever it stands."""
        return self.settings.per_item if self.settings.overlap >= 1 else min(1, self.settings.per_item)

    def title_in(self, language: str) -> str:
        """Return the title on pages of a language."""
        return self.settings.title_zh if language == "zh" and self.settings.title_zh else self.title

    @property
    def pairs(self) -> bool:
        """Whether two answers are compared."""
        return self.protocol.unit == "pair"


class CampaignStatus(NamedTuple):
    """How far a campaign is."""

    units: int
    """Answers, or pairs, to be rated."""
    wanted: int
    """Ratings wanted in all."""
    rated: int
    leased: int
    talked: int
    """Of live campaigns the dialogues that are finished."""
    dialogues: int
    """Of live campaigns the dialogues wanted."""
    volunteers: int
    by_system: dict[str, int]
    """Ratings by system; of a pair both count."""


def raters_wanted() -> ColumnElement[int]:
    """Return how many raters an item is to have, for a query that `Campaign.raters` is bound to."""
    several, per_item = bindparam("several", type_=Integer), bindparam("per_item", type_=Integer)
    return case((campaign_items.c.position < several, per_item), else_=1)


def start_campaign(
    connection: Connection,
    *,
    title: str,
    task: str,
    protocol: CampaignProtocol,
    rating: RatingProtocol,
    material: Material,
    settings: CampaignSettings,
    now: int,
    by: str | None = None,
) -> str:
    """Write a campaign with all its items and return its id; `by` whom goes into the audit log.

    Raises `UsageError` for too few or too many systems, too many pairs of them, and for settings that no campaign can
    have: nothing of it may be kept, since whoever reads the campaigns would stumble over it.
    """
    _expect_settings(settings)
    systems = [one for one in material.systems if one != rating.reference]
    if protocol.unit == "pair" and len(systems) < 2:
        raise UsageError("pairs are of two systems or more")
    if protocol.enter and len(systems) > protocol.enter:
        raise UsageError(
            f"{len(systems)} systems are given, and the {protocol.enter} best by their automatic scores enter; "
            "give these with --automatic, or fewer systems"
        )
    items, settings = _with_overlap(material, settings)
    compared = list(_units(protocol, material.systems))
    if len(items) * len(compared) > MAX_UNITS:
        raise UsageError(
            f"{len(items):,} items with {len(systems)} systems are {len(items) * len(compared):,} answers or pairs to "
            f"rate; at most {MAX_UNITS:,} are: give fewer items, or fewer systems"
        )
    campaign_id = new_id()
    row = {
        "id": campaign_id, "title": title, "task": task, "status": "open", "created_at": now,
        "protocol": msgspec.to_builtins(protocol), "rating_protocol": msgspec.to_builtins(rating),
        "systems": list(material.systems), "settings": msgspec.to_builtins(settings),
    }  # fmt: skip
    connection.execute(insert(campaigns).values(row))
    log(connection, by, "campaign.start", now=now, about=campaign_id, track=settings.track)
    rows = _CampaignRows([], [], [])
    for position, item in enumerate(items):
        rows.add(campaign_id, position, item, compared)
    for role, known in [("onboarding", protocol.onboarding), ("check", check_items(protocol, rating, settings.seed))]:
        for position, one in enumerate(known):
            rows.add_known(campaign_id, role, position, one, pair=protocol.unit == "pair")
    rows.write(connection)
    return campaign_id


class _CampaignRows(NamedTuple):
    """Rows of a campaign, to be written together."""

    items: list[dict[str, Any]]
    answers: list[dict[str, Any]]
    units: list[dict[str, Any]]

    def add(
        self, campaign_id: str, position: int, item: MaterialItem, compared: Sequence[tuple[str, str | None]]
    ) -> None:
        """Add an item with the answers to it, and what of them is compared."""
        row = _item_row(campaign_id, "main", position, item.key, msgspec.to_builtins(item.context))
        self.items.append(row)
        answers: dict[str, str | None] = {}
        for system, answer in item.answers.items():
            answers[system] = None if answer is None else self._answer(row, system, msgspec.to_builtins(answer))
        for a, b in compared:
            self.units.append(_unit_row(campaign_id, row["id"], (a, b), (answers[a], answers[b] if b else None)))

    def add_known(self, campaign_id: str, role: str, position: int, one: KnownItem, *, pair: bool) -> None:
        """Add an item whose points are known."""
        context = {"turns": [], "knowledge": [list(fact) for fact in one.knowledge], "goal": list(one.goal)}
        row = _item_row(campaign_id, role, position, f"{role}-{position + 1}", context, msgspec.to_builtins(one))
        self.items.append(row)
        first = self._answer(row, "", {"turns": [list(turn) for turn in one.turns]})
        second = self._answer(row, "", {"turns": [list(turn) for turn in one.other]}) if pair else None
        self.units.append(_unit_row(campaign_id, row["id"], ("", "" if pair else None), (first, second)))

    def write(self, connection: Connection) -> None:
        """Write all, those first that others name."""
        for table, rows in zip((campaign_items, campaign_answers, campaign_units), self, strict=True):
            for begin in range(0, len(rows), _TOGETHER):
                connection.execute(insert(table), rows[begin : begin + _TOGETHER])

    def _answer(self, item: dict[str, Any], system: str, content: Any) -> str:
        self.answers.append(_answer_row(item["id"], system, content))
        return str(self.answers[-1]["id"])


def _expect_settings(settings: CampaignSettings) -> None:
    try:
        convert(msgspec.to_builtins(settings), CampaignSettings)
    except msgspec.ValidationError as error:
        raise UsageError(f"a campaign cannot have these settings: {error}") from error


def _with_overlap(material: Material, settings: CampaignSettings) -> tuple[list[MaterialItem], CampaignSettings]:
    """Return the items with those first that several people rate, and how many these are."""
    items = list(material.items)
    if settings.overlap >= 1:
        return items, settings
    several = round(settings.overlap * len(items))
    drawn = {one.key for one in sorted(items, key=lambda one: digest(settings.seed, "overlap", one.key))[:several]}
    items.sort(key=lambda one: one.key not in drawn)
    return items, msgspec.structs.replace(settings, several=several)


def add_answer(connection: Connection, item_id: str, system: str, content: Any, talk_id: str | None = None) -> str:
    """Write what a system said about an item and return its id."""
    row = _answer_row(item_id, system, content, talk_id)
    connection.execute(insert(campaign_answers).values(row))
    return str(row["id"])


def _answer_row(item_id: str, system: str, content: Any, talk_id: str | None = None) -> dict[str, Any]:
    return {"id": new_id(), "item_id": item_id, "system": system, "content": content, "talk_id": talk_id}


def find_campaign(connection: Connection, word: str) -> Campaign:
    """Return the campaign of that id, or of an id that begins so. Raises `UsageError` for none and for several."""
    rows = connection.execute(select(campaigns).order_by(campaigns.c.created_at)).mappings().all()
    named = [row for row in rows if row["id"].startswith(word)] if word else []
    if len(named) == 1:
        return _campaign(named[0])
    several = f"several campaigns have an id that begins with '{word}'"
    what = several if named else f"there is no campaign with an id that begins with '{word}'"
    raise UsageError(f"{what}{did_you_mean(word, [row['id'] for row in rows])}")


def all_campaigns(connection: Connection) -> list[Campaign]:
    """Return all campaigns, the newest first."""
    rows = connection.execute(select(campaigns).order_by(campaigns.c.created_at.desc(), campaigns.c.id))
    return [_campaign(row) for row in rows.mappings()]


def campaigns_with(connection: Connection, person: str, campaign_id: str | None = None) -> list[Campaign]:
    """Return the campaigns that a person rates in, the newest first; with an id that one alone."""
    rows = connection.execute(_with(one=campaign_id is not None), {"person": person, "campaign": campaign_id})
    return [_campaign(row) for row in rows.mappings()]


def campaigns_to_join(connection: Connection, person: str) -> list[Campaign]:
    """Return the open campaigns that a person does not rate in yet, the newest first."""
    inside = {one.id for one in campaigns_with(connection, person)}
    return [one for one in all_campaigns(connection) if one.open and one.id not in inside]


def is_open(connection: Connection, campaign: Campaign) -> bool:
    """Whether a campaign takes ratings now, in this transaction: it may have been closed since it was read."""
    return bool(connection.execute(_STATUS, {"campaign": campaign.id}).scalar_one() == "open")


@cache
def _with(*, one: bool) -> Select[Any]:
    """Return the query of `campaigns_with`, made once: every page of a volunteer asks it."""
    own = campaign_volunteers.c
    query = (
        select(campaigns)
        .join(campaign_volunteers, own.campaign_id == campaigns.c.id)
        .where(own.person_id == bindparam("person"))
        .order_by(campaigns.c.created_at.desc(), campaigns.c.id)
    )
    return query.where(campaigns.c.id == bindparam("campaign")) if one else query


def close_campaign(connection: Connection, campaign: Campaign, now: int, *, by: str | None = None) -> None:
    """End a campaign: nobody can rate or correct any more. Raises `UsageError` where it has ended."""
    if not is_open(connection, campaign):
        raise UsageError(f"the campaign '{campaign.title}' is closed already")
    changed = update(campaigns).where(campaigns.c.id == campaign.id).values(status="closed", closed_at=now)
    connection.execute(changed)
    log(connection, by, "campaign.close", now=now, about=campaign.id)


def change_settings(connection: Connection, campaign_id: str, **changes: str) -> None:
    """Change some settings of a campaign; the others stay as they are now, whoever changed them meanwhile."""
    settings = msgspec.structs.replace(find_campaign(connection, campaign_id).settings, **changes)
    changed = update(campaigns).where(campaigns.c.id == campaign_id)
    connection.execute(changed.values(settings=msgspec.to_builtins(settings)))


def reopen_campaign(connection: Connection, campaign: Campaign, now: int, *, by: str | None = None) -> None:
    """Let a closed campaign take ratings again. Raises `UsageError` where it is open."""
    if is_open(connection, campaign):
        raise UsageError(f"the campaign '{campaign.title}' is open")
    changed = update(campaigns).where(campaigns.c.id == campaign.id).values(status="open", closed_at=None)
    connection.execute(changed)
    log(connection, by, "campaign.reopen", now=now, about=campaign.id)


def status_of(connection: Connection, campaign: Campaign) -> CampaignStatus:
    """Return how far a campaign is, onboarding and checks left aside."""
    units = campaign_units.c
    main = (
        select(
            units.id, units.system_a, units.system_b, units.answer_a, units.answer_b, raters_wanted().label("wanted")
        )
        .join(campaign_items, campaign_items.c.id == units.item_id)
        .where(units.campaign_id == campaign.id, campaign_items.c.role == "main")
    )  # fmt: skip
    rows = connection.execute(main, campaign.raters).all()
    given = campaign_assignments.c
    counted = (
        select(given.unit_id, given.state, func.count())
        .where(given.campaign_id == campaign.id, given.state.in_(["leased", "rated"]))
        .group_by(given.unit_id, given.state)
    )
    loads: dict[str, dict[str, int]] = {}
    for unit_id, state, count in connection.execute(counted):
        loads.setdefault(state, {})[unit_id] = count
    by_system = dict.fromkeys(campaign.systems, 0)
    slots = finished = 0
    for row in rows:
        rated = loads.get("rated", {}).get(row.id, 0)
        for system, answer in [(row.system_a, row.answer_a), (row.system_b, row.answer_b)]:
            if system is not None:
                if system not in by_system:
                    reason = f"a unit of campaign {campaign.id} is of {system!r}, which is none of its systems"
                    raise damaged("the database", reason)
                by_system[system] += rated
                slots, finished = slots + 1, finished + (answer is not None)
    people = select(func.count()).select_from(campaign_volunteers)
    volunteers = connection.execute(people.where(campaign_volunteers.c.campaign_id == campaign.id)).scalar_one()
    live = campaign.protocol.live
    return CampaignStatus(
        units=len(rows),
        wanted=sum(row.wanted for row in rows),
        rated=sum(loads.get("rated", {}).get(row.id, 0) for row in rows),
        leased=sum(loads.get("leased", {}).get(row.id, 0) for row in rows),
        talked=finished if live else 0,
        dialogues=slots if live else 0,
        volunteers=volunteers,
        by_system=by_system,
    )


def _units(protocol: CampaignProtocol, systems: tuple[str, ...]) -> Iterator[tuple[str, str | None]]:
    if protocol.unit == "pair":
        yield from combinations(systems, 2)
    else:
        yield from ((system, None) for system in systems)


def _item_row(campaign_id: str, role: str, position: int, key: str, context: Any, truth: Any = None) -> dict[str, Any]:
    return {
        "id": new_id(), "campaign_id": campaign_id, "role": role, "position": position, "item_key": key,
        "context": context, "truth": truth, "starters": 0,
    }  # fmt: skip


def _unit_row(
    campaign_id: str, item_id: str, systems: tuple[str, str | None], answers: tuple[str | None, str | None]
) -> dict[str, Any]:
    return {
        "id": new_id(), "campaign_id": campaign_id, "item_id": item_id, "system_a": systems[0], "system_b": systems[1],
        "answer_a": answers[0], "answer_b": answers[1], "load": 0,
    }  # fmt: skip


def _campaign(row: RowMapping) -> Campaign:
    return Campaign(
        id=row["id"],
        title=row["title"],
        task=row["task"],
        protocol=convert(row["protocol"], CampaignProtocol),
        rating=convert(row["rating_protocol"], RatingProtocol),
        systems=tuple(row["systems"]),
        settings=convert(row["settings"], CampaignSettings),
        status=row["status"],
        created_at=row["created_at"],
    )
