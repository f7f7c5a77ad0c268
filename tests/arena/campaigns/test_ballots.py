from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from duologue.arena.campaigns.assignment import take
from duologue.arena.campaigns.ballots import LONGEST_REMARK, cast, counted_ballots
from duologue.arena.campaigns.campaign import close_campaign, find_campaign
from duologue.arena.campaigns.norm_round import norm_agreement, open_round, vote
from duologue.arena.campaigns.tables import campaign_ballots, campaign_units, norm_votes
from duologue.arena.campaigns.volunteer_view import own_ballots, shown_item, volunteer_view
from duologue.arena.campaigns.volunteers import enrol
from duologue.core.errors import StorageError, UsageError
from tests.arena.campaigns.made import Volunteer, by_length, made_campaign, made_material

if TYPE_CHECKING:
    from duologue.arena.database.database import Database

GOOD = {"informativeness": 2, "coherence": "1", "factual-accuracy": 0}


def test_a_rating_can_be_corrected_and_all_versions_are_kept(database: Database) -> None:
    ann = Volunteer(database, made_campaign(database, onboarding=()), "ann")
    ann.join()
    item = ann.look().item
    assert item is not None
    assert ann.say(item.assignment, GOOD).version == 1
    assert ann.say(item.assignment, {**GOOD, "coherence": 2}, remark="seen again").version == 2
    with database.reading() as connection:
        campaign = ann.campaign(connection)
        (counted,) = counted_ballots(connection, campaign)
        assert (counted.points["coherence"], counted.remark, counted.version) == (2, "seen again", 2)
        assert shown_item(connection, campaign, "ann", item.assignment).points["coherence"] == 2
        (own,) = own_ballots(connection, campaign, "ann")
        assert own.version == 2


@pytest.mark.parametrize(
    ("points", "told"),
    [
        ({}, "informativeness: found nothing"),
        ({**GOOD, "coherence": 3}, "coherence: found 3, expected a whole number from 0 to 2"),
        ({**GOOD, "coherence": -1}, "coherence: found -1"),
        ({**GOOD, "coherence": True}, "coherence: found true"),
        ({**GOOD, "coherence": "1.5"}, "coherence: found '1.5'"),
        ({**GOOD, "coherence": "²"}, "coherence: found"),
        ({**GOOD, "coherence": "--1"}, "coherence: found '--1'"),
        ({**GOOD, "coherence": "-"}, "coherence: found '-'"),
    ],
)
def test_points_out_of_the_scale_are_refused_by_name(database: Database, points: dict[str, object], told: str) -> None:
    ann = Volunteer(database, made_campaign(database, onboarding=()), "ann")
    item = ann.look().item
    assert item is not None
    with pytest.raises(UsageError) as raised:
        ann.say(item.assignment, points)
    assert told.partition(": found")[0] in str(raised.value)


def test_what_is_not_ones_own_cannot_be_rated(database: Database) -> None:
    made = made_campaign(database, onboarding=())
    item = Volunteer(database, made, "ann").look().item
    assert item is not None
    with pytest.raises(UsageError, match="not among yours"):
        Volunteer(database, made, "ben").say(item.assignment, GOOD)


def test_an_onboarding_item_is_repeated_until_it_is_right(database: Database) -> None:
    ann = Volunteer(database, made_campaign(database), "ann")
    ann.join()
    first = ann.look().item
    assert first is not None
    assert first.onboarding
    wrong = ann.say(first.assignment, {"informativeness": 0, "coherence": 0, "factual-accuracy": 0})
    assert wrong.right is False
    assert wrong.why
    assert wrong.why_zh
    again = ann.look().item
    assert again is not None
    assert again.assignment == first.assignment
    assert ann.say(first.assignment, {"informativeness": 2, "coherence": 2, "factual-accuracy": 2}).right
    second = ann.look().item
    assert second is not None
    assert second.assignment != first.assignment
    with database.reading() as connection:
        assert counted_ballots(connection, ann.campaign(connection)) == ()


def test_a_pair_needs_a_reason_and_its_winner_is_told_whatever_the_sides(database: Database) -> None:
    ann = Volunteer(database, made_campaign(database, "arena", onboarding=()), "ann")
    ann.join()
    for _ in range(6):
        item = ann.look().item
        assert item is not None
        longer = "a" if len(item.first[-1][1]) > len(item.second[-1][1]) else "b"
        with pytest.raises(UsageError, match="why"):
            ann.say(item.assignment, {"better": longer})
        ann.say(item.assignment, {"better": longer}, reason="coherence")
        with database.reading() as connection:
            assert shown_item(connection, ann.campaign(connection), "ann", item.assignment).points == {"better": longer}
    with database.reading() as connection:
        counted = counted_ballots(connection, ann.campaign(connection))
    assert {one.points["better"] for one in counted} == {"b"}, "systems are in the order of their length"


def test_a_closed_campaign_takes_nothing(database: Database) -> None:
    made = made_campaign(database, onboarding=())
    ann = Volunteer(database, made, "ann")
    item = ann.look().item
    assert item is not None
    database.write(lambda c: close_campaign(c, find_campaign(c, made), database.now()))
    with pytest.raises(UsageError, match="closed"):
        ann.say(item.assignment, GOOD)
    assert ann.look().stage == "closed"


def test_a_campaign_that_was_closed_since_it_was_read_takes_nothing(database: Database) -> None:
    made = made_campaign(database, onboarding=())
    ann = Volunteer(database, made, "ann")
    item = ann.look().item
    assert item is not None
    with database.reading() as connection:
        before = find_campaign(connection, made)  # as a terminal holds it as long as somebody rates
    now = database.now()
    database.write(lambda c: close_campaign(c, before, now))
    for late in (
        lambda c: cast(c, before, "ann", item.assignment, GOOD, now=now),
        lambda c: take(c, before, "ann", now),
        lambda c: enrol(c, before, "ben", now),
        lambda c: close_campaign(c, before, now),
    ):
        with pytest.raises(UsageError, match="closed"):
            database.write(late)
    assert database.write(lambda c: volunteer_view(c, before, "ann", now)).stage == "closed"


def test_a_remark_that_is_too_long_is_refused(database: Database) -> None:
    ann = Volunteer(database, made_campaign(database, onboarding=()), "ann")
    item = ann.look().item
    assert item is not None
    with pytest.raises(UsageError, match="2,001 characters"):
        ann.say(item.assignment, GOOD, remark="x" * (LONGEST_REMARK + 1))


@pytest.mark.parametrize(
    ("protocol", "points", "system", "told"),
    [
        ("spoken", {**GOOD, "coherence": 3}, None, "a ballot on 'item-000' of campaign"),
        ("spoken", {**GOOD, "coherence": "1"}, None, "has the points"),
        ("spoken", {"taste": 1}, None, "has the points {'taste': 1}"),
        ("spoken", None, "delta", "is on 'delta', which it does not rate"),
        ("arena", {"better": "c"}, None, "has the points {'better': 'c'}"),
        ("arena", {}, None, "has the points {}"),
    ],
)
def test_a_ballot_that_nobody_could_give_is_told_as_damage(
    database: Database, protocol: str, points: dict[str, object] | None, system: str | None, told: str
) -> None:
    """Results of such ballots ended in an `AssertionError` and others, or were wrong without a word."""
    ann = Volunteer(database, made_campaign(database, protocol, material=made_material(items=1)), "ann")
    with database.reading() as connection:
        opinion = by_length(ann.campaign(connection))
    ann.rate_all(opinion)
    with database.reading() as connection:
        assert counted_ballots(connection, ann.campaign(connection))
    if points is not None:
        database.write(lambda connection: connection.execute(update(campaign_ballots).values(points=points)).rowcount)
    if system is not None:
        database.write(lambda connection: connection.execute(update(campaign_units).values(system_a=system)).rowcount)
    with database.reading() as connection, pytest.raises(StorageError) as raised:
        counted_ballots(connection, ann.campaign(connection))
    assert told in str(raised.value)
    assert "is damaged" in str(raised.value)


def test_a_vote_that_nobody_could_give_is_told_as_damage(database: Database) -> None:
    ann = Volunteer(database, made_campaign(database), "ann")
    ann.join()
    norm = database.write(lambda connection: open_round(connection, ann.campaign(connection), 1, 1))
    database.write(
        lambda connection: vote(connection, ann.campaign(connection), norm, "ann", norm.units[0], GOOD, database.now())
    )
    points = {**GOOD, "coherence": 9}
    database.write(lambda connection: connection.execute(update(norm_votes).values(points=points)).rowcount)
    with database.reading() as connection, pytest.raises(StorageError, match="a vote of round 1"):
        norm_agreement(connection, ann.campaign(connection))
