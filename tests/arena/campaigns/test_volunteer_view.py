from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.arena.campaigns.volunteer_view import own_ballots
from duologue.core.errors import UsageError
from tests.arena.campaigns.made import SYSTEMS, MadeRoom, Volunteer, by_length, made_campaign, made_material

if TYPE_CHECKING:
    from duologue.arena.campaigns.volunteer_view import ShownItem
    from duologue.arena.database.database import Database


@pytest.mark.parametrize("protocol", ["spoken", "conversation", "arena"])
def test_no_volunteer_sees_the_name_of_a_system(database: Database, protocol: str) -> None:
    made = made_campaign(database, protocol, check_every=3, per_item=1)
    ann = Volunteer(database, made, "ann")
    with database.reading() as connection:
        opinion = by_length(ann.campaign(connection))
    told = []

    def looked(item: ShownItem) -> dict[str, Any]:
        told.append(msgspec.json.encode(item).decode())
        return opinion(item)

    ann.rate_all(looked)
    with database.reading() as connection:
        told.extend(str(one) for one in own_ballots(connection, ann.campaign(connection), "ann"))
    assert len(told) > 20
    assert not [one for one in told if any(name in one for name in SYSTEMS) or "item-0" in one]


def test_progress_counts_what_is_rated_and_left(database: Database) -> None:
    made = made_campaign(database, onboarding=())
    ann = Volunteer(database, made, "ann")
    view = ann.look()
    assert (view.stage, view.rated, view.left) == ("rate", 0, 18)
    assert view.item is not None
    ann.say(view.item.assignment, {"informativeness": 0, "coherence": 0, "factual-accuracy": 0})
    again = ann.look()
    assert (again.rated, again.left) == (1, 17)
    assert again.item is not None
    assert again.item.knowledge
    assert again.item.history[0][1].startswith("What is thing")


def test_a_live_campaign_shows_the_goal_only_when_the_talk_is_over(database: Database) -> None:
    made = made_campaign(
        database, "proactive", live=True, onboarding=(), material=made_material(SYSTEMS[:1], 1, live=True)
    )
    with pytest.raises(UsageError, match="duologue site"):
        Volunteer(database, made, "ann").look()
    ann = Volunteer(database, made, "ann", MadeRoom())
    first = ann.look()
    assert (first.stage, first.item) == ("talk", None)
    second = ann.look()
    assert second.stage == "rate"
    assert second.item is not None
    assert second.item.goal == ("START → lake",)
    assert second.item.first[0] == ("user", "hello in item-000")


def test_two_systems_are_talked_with_one_after_the_other_on_the_same_goal(database: Database) -> None:
    material = made_material(SYSTEMS[:2], 1, live=True)
    made = made_campaign(database, "arena", live=True, onboarding=(), material=material)
    room = MadeRoom()
    ann = Volunteer(database, made, "ann", room)
    first, second, last = (ann.look() for _ in range(3))
    assert [(one.stage, one.talk_number, one.talks) for one in (first, second)] == [("talk", 1, 2), ("talk", 2, 2)]
    assert (last.stage, last.talk, last.talks) == ("rate", None, 0)
    assert {system for system, _, _ in room.begun} == set(SYSTEMS[:2])
    assert len({scene for _, scene, _ in room.begun}) == 1
    assert last.item is not None
    left = SYSTEMS.index(room.begun[0][0]) + 1
    assert last.item.first[1] == ("system", "yes " * left), "whom one talks with first stands on the left"


def test_another_persons_talk_is_not_rated_before_it_is_over(database: Database) -> None:
    made = made_campaign(
        database, "proactive", live=True, onboarding=(), per_item=2, material=made_material(SYSTEMS[:1], 1, live=True)
    )
    room = MadeRoom()
    ann, ben = (Volunteer(database, made, person, room) for person in ("ann", "ben"))
    assert ann.look().stage == "talk"
    assert ben.look().stage == "wait"
    assert ann.look().stage == "rate"
    assert ben.look().stage == "rate"
