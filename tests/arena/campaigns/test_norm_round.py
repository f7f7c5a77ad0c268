from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from duologue.arena.campaigns.campaign import find_campaign, status_of
from duologue.arena.campaigns.norm_round import (
    advance,
    all_rounds,
    current_round,
    norm_agreement,
    open_round,
    remark,
    remarks_of,
    vote,
    votes_of,
)
from duologue.arena.campaigns.volunteers import enrol
from duologue.core.errors import UsageError
from tests.arena.campaigns.made import made_campaign, made_material

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.arena.campaigns.norm_round import NormRound
    from duologue.arena.database.database import Database

PEOPLE = ("ann", "ben", "cy")


def points(value: int) -> dict[str, int]:
    return {"informativeness": value, "coherence": value, "factual-accuracy": value}


def voted(
    database: Database, campaign: Campaign, norm: NormRound, person: str, unit: str, said: Mapping[str, object]
) -> None:
    database.write(lambda c: vote(c, campaign, norm, person, unit, said, database.now()))


def test_a_round_is_blind_then_revealed_discussed_and_voted_again(database: Database) -> None:
    made = made_campaign(database, material=made_material(items=10))
    norm = database.write(lambda c: open_round(c, find_campaign(c, made), 6, database.now()))
    with database.reading() as connection:
        campaign = find_campaign(connection, made)
        assert status_of(connection, campaign).units == 12, "items of the round are rated in no other way"
        assert current_round(connection, campaign) == norm
    for person in PEOPLE:
        database.write(partial(enrol, campaign=campaign, person=person, now=1))
    for place, unit in enumerate(norm.units):
        for number, person in enumerate(PEOPLE):
            voted(database, campaign, norm, person, unit, points((place + number) % 3))
    database.write(lambda c: vote(c, campaign, norm, "ann", norm.units[0], points(1), 2))  # a change of mind
    with database.reading() as connection:
        assert len(votes_of(connection, campaign, norm)) == 18
        mine = votes_of(connection, campaign, norm, "ann")
        assert {one.code for one in mine} == {"r01"}, "the vote is blind"
    with pytest.raises(UsageError, match="after the blind vote"):
        database.write(lambda c: remark(c, norm, "ann", norm.units[0], "why?", 3))
    talked = database.write(lambda c: advance(c, norm, 1))
    assert talked.state == "discuss"
    with pytest.raises(UsageError, match="nobody votes now"):
        database.write(lambda c: vote(c, campaign, talked, "ann", norm.units[0], points(1), 4))
    database.write(lambda c: remark(c, talked, "ann", norm.units[0], " it is off the topic ", 5))
    with database.reading() as connection:
        assert len(votes_of(connection, campaign, talked, "ann")) == 18
        (said,) = remarks_of(connection, campaign, talked)
        assert (said.code, said.text) == ("r01", "it is off the topic")
    again = database.write(lambda c: advance(c, talked, 1))
    for place, unit in enumerate(norm.units):
        for person in PEOPLE:
            voted(database, campaign, again, person, unit, points(place % 3))
    with pytest.raises(UsageError, match="a norming round is open"):
        database.write(lambda c: open_round(c, find_campaign(c, made), 1, 7))
    closed = database.write(lambda c: advance(c, again, 1))
    assert closed.state == "closed"
    with database.reading() as connection:
        told = norm_agreement(connection, campaign)
        assert [one.state for one in all_rounds(connection, campaign)] == ["closed"]
    assert [one.criterion for one in told] == ["informativeness", "coherence", "factual-accuracy"]
    before, after = told[0].before[0], told[0].after[0]
    assert before.value is not None
    assert before.value < 0.2
    assert after.value == pytest.approx(1)


def test_pairs_are_normed_too(database: Database) -> None:
    made = made_campaign(database, "arena", material=made_material(items=8))
    norm = database.write(lambda c: open_round(c, find_campaign(c, made), 8, database.now()))
    with database.reading() as connection:
        campaign = find_campaign(connection, made)
    for place, unit in enumerate(norm.units):
        for person in PEOPLE:
            voted(database, campaign, norm, person, unit, {"better": ("a", "b", "tie")[place % 3]})
    with database.reading() as connection:
        (told,) = norm_agreement(connection, campaign)
    assert told.before[0].value == pytest.approx(1)
    assert told.after[0].value is None
    assert told.after[0].why


def test_a_round_of_too_many_items_is_refused(database: Database) -> None:
    made = made_campaign(database)
    with pytest.raises(UsageError, match="7 items are asked for; 6 have an answer"):
        database.write(lambda c: open_round(c, find_campaign(c, made), 7, database.now()))
