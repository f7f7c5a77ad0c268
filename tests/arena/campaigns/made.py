"""Campaigns of made-up systems for the tests of this room, and volunteers who rate them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.arena.campaigns.ballots import BETTER, BallotOutcome, cast
from duologue.arena.campaigns.campaign import CampaignSettings, find_campaign, start_campaign
from duologue.arena.campaigns.campaign_protocol import find_campaign_protocol
from duologue.arena.campaigns.live_talks import FinishedTalk
from duologue.arena.campaigns.material import Material, MaterialItem
from duologue.arena.campaigns.shown_content import ShownAnswer, ShownContext
from duologue.arena.campaigns.volunteer_view import VolunteerView, volunteer_view
from duologue.arena.campaigns.volunteers import enrol
from duologue.arena.people.people import add_person, list_people
from duologue.ratings.protocol import find_protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import Connection

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.arena.campaigns.live_talks import TalkRoom
    from duologue.arena.campaigns.volunteer_view import ShownItem
    from duologue.arena.database.database import Database

SYSTEMS = ("alpha-secret", "beta-secret", "gamma-secret")
"""Names that no volunteer may see."""


def made_material(systems: Sequence[str] = SYSTEMS, items: int = 6, *, live: bool = False) -> Material:
    """Return items whose answers tell their system's place by their length, for raters of the tests."""
    made = []
    for number in range(items):
        context = ShownContext(
            turns=(("user", f"What is thing {number}?"),), knowledge=(("thing", "number", str(number)),)
        )
        context = ShownContext() if live else context
        answers = {
            name: None if live else ShownAnswer(turns=(("system", "yes " * (place + 1) + f"{number}"),))
            for place, name in enumerate(systems)
        }
        made.append(MaterialItem(f"item-{number:03}", context, answers))
    return Material(tuple(systems), tuple(made))


PEOPLE = ("ann", "ben", "cy", "dora", "q")
"""Who rates in the tests: their names are their ids."""


def add_people(database: Database, *names: str) -> None:
    """Add those people that are not there yet."""

    def action(connection: Connection) -> None:
        there = {one.id for one in list_people(connection)}
        for name in names or PEOPLE:
            if name not in there:
                add_person(connection, name, ("volunteer",), now=database.now(), by=None, person_id=name)

    database.write(action)


def made_campaign(
    database: Database, protocol: str = "spoken", *, material: Material | None = None, live: bool = False, **chosen: Any
) -> str:
    """Start a campaign and return its id."""
    add_people(database)
    found = find_campaign_protocol(protocol)
    rating = find_protocol(found.ratings or "proactive")
    bare = {key: chosen.pop(key) for key in ("onboarding", "paired", "select", "enter") if key in chosen}
    found = msgspec.structs.replace(found, live=live, **bare)
    settings = CampaignSettings(**{"check_every": 0, **chosen})
    if not settings.check_every:
        found = msgspec.structs.replace(found, check_every=0)
    return database.write(
        lambda connection: start_campaign(
            connection,
            title="Made up",
            task=found.task or "proactive",
            protocol=found,
            rating=rating,
            material=material or made_material(live=live),
            settings=settings,
            now=database.now(),
        )
    )


class MadeRoom:
    """A room in which every talk is over when it is looked at for the second time."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, str, str]] = []

    def start(
        self, connection: Connection, *, task: str, system: str, scene: str, person: str, shows: Sequence[str]
    ) -> str:
        """Begin a talk."""
        self.begun.append((system, scene, person))
        return f"talk-{len(self.begun)}"

    def finished(self, connection: Connection, talk: str) -> FinishedTalk | None:
        """Return the talk."""
        system, scene, _ = self.begun[int(talk.removeprefix("talk-")) - 1]
        return FinishedTalk(
            turns=(("user", f"hello in {scene}"), ("system", "yes " * (SYSTEMS.index(system) + 1))),
            knowledge=(("lake", "area", "12"),),
            goal=("START → lake",),
        )


class Volunteer(NamedTuple):
    """Somebody who rates."""

    database: Database
    campaign_id: str
    person: str
    room: TalkRoom | None = None

    def campaign(self, connection: Connection) -> Campaign:
        """Return the campaign."""
        return find_campaign(connection, self.campaign_id)

    def join(self) -> str:
        """Enrol, and return the code."""
        database = self.database
        return database.write(lambda c: enrol(c, self.campaign(c), self.person, database.now()))

    def look(self) -> VolunteerView:
        """Return what is to be done next."""
        database = self.database
        return database.write(lambda c: volunteer_view(c, self.campaign(c), self.person, database.now(), self.room))

    def say(self, assignment: str, points: Mapping[str, Any], **more: Any) -> BallotOutcome:
        """Cast a ballot."""
        database = self.database
        return database.write(
            lambda c: cast(c, self.campaign(c), self.person, assignment, points, now=database.now(), **more)
        )

    def rate_all(self, opinion: Callable[[ShownItem], Mapping[str, Any]], limit: int = 1_000) -> int:
        """Rate until there is nothing left, and return how many items were shown."""
        self.join()
        for done in range(limit):
            view = self.look()
            if view.stage == "talk":
                continue
            if view.item is None:
                return done
            points = dict(opinion(view.item))
            self.say(view.item.assignment, points, reason="facts" if BETTER in points else "", seconds=5)
        return limit


def by_length(campaign: Campaign) -> Callable[[ShownItem], dict[str, Any]]:
    """Return the opinion of a rater who gives as many points as an answer has words, and knows what is to be known."""

    def opinion(item: ShownItem) -> dict[str, Any]:
        words = item.first[-1][1]
        if campaign.pairs:
            other = item.second[-1][1]
            if "choose this one" in words or "choose the other one" in other:
                return {BETTER: "a"}
            if "choose this one" in other:
                return {BETTER: "b"}
            if item.onboarding:
                return {BETTER: "a" if "ten" in words else "b"}
            return {BETTER: "a" if len(words) > len(other) else "b" if len(words) < len(other) else "tie"}
        known = next((one for one in campaign.protocol.onboarding if one.turns == item.first), None)
        if known is not None:
            return {name: right[0] for name, right in known.right.items()}
        if "attention check" in words:
            return {one.name: one.high if "highest" in words else one.low for one in campaign.rating.criterion}
        place = words.count("yes") - 1
        return {one.name: min(one.high, one.low + place) for one in campaign.rating.criterion}

    return opinion
