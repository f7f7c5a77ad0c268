"""Volunteers of a campaign: the code that each is known by, and how well each rates."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sqlalchemy import func, insert, select

from duologue.arena.campaigns.ballots import counted_ballots
from duologue.arena.campaigns.campaign import is_open
from duologue.arena.campaigns.tables import (
    campaign_assignments,
    campaign_ballots,
    campaign_items,
    campaign_volunteers,
)
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.campaigns.ballots import CountedBallot
    from duologue.arena.campaigns.campaign import Campaign

CARELESS = 0.5
"""Who fails more than this share of attention checks, and two at least, is left out of the results."""


class VolunteerQuality(NamedTuple):
    """How one volunteer rates."""

    code: str
    rated: int
    median_seconds: float | None
    onboarding_tries: int
    onboarding_right: int
    """Onboarding items that were right at the first try."""
    checks: int
    checks_passed: int
    apart: float | None
    """Mean distance from the mean of the others on the same answers, in points; of pairs the share of other choices.
    `None` where nobody else rated them."""
    same: float | None
    """Share of ratings that are the most frequent one; `None` without ratings."""

    @property
    def careless(self) -> bool:
        """Whether too many attention checks failed."""
        failed = self.checks - self.checks_passed
        return failed >= 2 and failed / self.checks > CARELESS


def enrol(connection: Connection, campaign: Campaign, person: str, now: int) -> str:
    """Return the person's code in the campaign, a new one at the first call.

    Raises `UsageError` for a new person in a closed campaign.
    """
    own = campaign_volunteers.c
    mine = select(own.code).where(own.campaign_id == campaign.id, own.person_id == person)
    code = connection.execute(mine).scalar_one_or_none()
    if code is not None:
        return str(code)
    if not is_open(connection, campaign):
        raise UsageError(f"the campaign '{campaign.title}' is closed")
    count = select(func.count()).select_from(campaign_volunteers).where(own.campaign_id == campaign.id)
    code = f"r{connection.execute(count).scalar_one() + 1:02}"
    row = {"campaign_id": campaign.id, "person_id": person, "code": code, "joined_at": now}
    connection.execute(insert(campaign_volunteers).values(row))
    return code


def codes_of(connection: Connection, campaign: Campaign) -> dict[str, str]:
    """Return the code of each volunteer by person."""
    own = campaign_volunteers.c
    rows = connection.execute(select(own.person_id, own.code).where(own.campaign_id == campaign.id).order_by(own.code))
    return {person: code for person, code in rows}  # noqa: C416  # rows are tuples to mypy only when they are taken apart


def quality_of(connection: Connection, campaign: Campaign) -> tuple[VolunteerQuality, ...]:
    """Return how each volunteer rates, in the order of their codes."""
    by_person: dict[str, list[CountedBallot]] = {}
    said_of: dict[tuple[str, str], _Said] = {}
    for one in counted_ballots(connection, campaign):
        by_person.setdefault(one.person, []).append(one)
        for name, value in one.points.items():
            said_of.setdefault((one.unit_id, name), _Said()).add(value)
    known = _known_items(connection, campaign)
    found = []
    for person, code in codes_of(connection, campaign).items():
        mine = by_person.get(person, [])
        seconds = [one.seconds for one in mine if one.seconds is not None]
        tried, checks = known.get((person, "onboarding"), []), known.get((person, "check"), [])
        said = Counter(tuple(sorted((name, str(value)) for name, value in one.points.items())) for one in mine)
        found.append(
            VolunteerQuality(
                code=code,
                rated=len(mine),
                median_seconds=float(np.median(seconds)) if seconds else None,
                onboarding_tries=sum(tries for tries, _ in tried),
                onboarding_right=sum(tries == 1 and done for tries, done in tried),
                checks=len(checks),
                checks_passed=sum(done for _, done in checks),
                apart=_apart(mine, said_of),
                same=max(said.values()) / len(mine) if said else None,
            )
        )
    return tuple(found)


def careless_people(connection: Connection, campaign: Campaign) -> frozenset[str]:
    """Return the codes of those whose ratings are left out of the results."""
    return frozenset(one.code for one in quality_of(connection, campaign) if one.careless)


def _known_items(connection: Connection, campaign: Campaign) -> dict[tuple[str, str], list[tuple[int, bool]]]:
    """Return by person and role the tries of each known item, and whether it was right in the end."""
    given, items, said = campaign_assignments.c, campaign_items.c, campaign_ballots.c
    rows = connection.execute(
        select(given.person_id, items.role, given.state, func.count(said.version))
        .join(campaign_items, items.id == given.item_id)
        .join(campaign_ballots, said.assignment_id == given.id)
        .where(given.campaign_id == campaign.id, items.role.in_(["onboarding", "check"]))
        .group_by(given.id, given.person_id, items.role, given.state)
    )
    found: dict[tuple[str, str], list[tuple[int, bool]]] = {}
    for person, role, state, tries in rows:
        found.setdefault((person, role), []).append((tries, state == "rated"))
    return found


class _Said:
    """What all raters say of one answer by one criterion: how many, their points together, how often each choice."""

    def __init__(self) -> None:
        self.raters = self.points = 0
        self.choices: Counter[str] = Counter()

    def add(self, value: int | str) -> None:
        """Count what one of them says."""
        self.raters += 1
        if isinstance(value, int):
            self.points += value
        else:
            self.choices[value] += 1

    def apart(self, value: int | str) -> float:
        """Return how far one of two or more is from the mean of the others, or the share of them who choose else."""
        others = self.raters - 1
        if isinstance(value, int):
            return abs(value - (self.points - value) / others)
        return (self.raters - self.choices[value]) / others


def _apart(mine: list[CountedBallot], said_of: dict[tuple[str, str], _Said]) -> float | None:
    found = [(said_of[one.unit_id, name], value) for one in mine for name, value in one.points.items()]
    distances = [said.apart(value) for said, value in found if said.raters > 1]
    return float(np.mean(distances)) if distances else None
