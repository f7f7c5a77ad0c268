"""A norming round as each of its raters sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.campaigns.campaign import find_campaign
from duologue.arena.campaigns.norm_round import advance, open_round, remark, vote
from duologue.arena.campaigns.norm_view import norm_view
from tests.arena.campaigns.made import SYSTEMS, Volunteer, made_campaign

if TYPE_CHECKING:
    from duologue.arena.campaigns.norm_view import NormView
    from duologue.arena.database.database import Database


def seen(database: Database, made: str, person: str) -> NormView | None:
    with database.reading() as connection:
        return norm_view(connection, find_campaign(connection, made), person)


def test_votes_of_others_are_seen_after_the_blind_vote_alone(database: Database) -> None:
    made = made_campaign(database, onboarding=())
    for person in ("ann", "ben"):
        Volunteer(database, made, person).join()
    assert seen(database, made, "ann") is None
    norm = database.write(lambda c: open_round(c, find_campaign(c, made), 2, 1))
    with database.reading() as connection:
        campaign = find_campaign(connection, made)
    said = {one.name: 1 for one in campaign.rating.criterion}
    database.write(lambda c: vote(c, campaign, norm, "ann", norm.units[0], said, 1))
    mine, other = seen(database, made, "ann"), seen(database, made, "ben")
    assert mine is not None
    assert other is not None
    assert (mine.state, mine.votes_now, mine.revealed) == ("vote", True, False)
    assert [one.points for one in mine.items] == [said, {}]
    assert [one.points for one in other.items] == [{}, {}]
    assert not any(one.votes for one in other.items)
    assert not [name for name in SYSTEMS if name in repr(other)]
    talked = database.write(lambda c: advance(c, norm, 2))
    database.write(lambda c: remark(c, talked, "ben", norm.units[0], "off the topic", 3))
    shown = seen(database, made, "ben")
    assert shown is not None
    assert [(one.code, one.points) for one in shown.items[0].votes] == [("r01", said)]
    assert [(one.code, one.text) for one in shown.items[0].remarks] == [("r02", "off the topic")]
    again = database.write(lambda c: advance(c, talked, 4))
    revote = seen(database, made, "ann")
    assert revote is not None
    assert (revote.state, revote.votes_now, revote.items[0].points) == ("revote", True, {}), "the first vote stays"
    database.write(lambda c: advance(c, again, 5))
    assert seen(database, made, "ann") is None
