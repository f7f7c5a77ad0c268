"""A live campaign with real talks: a person books a table with the solver, and rates the dialogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from duologue.arena.campaigns.campaign import CampaignSettings, find_campaign, status_of
from duologue.arena.campaigns.campaign_protocol import find_campaign_protocol
from duologue.arena.campaigns.proposal import propose
from duologue.arena.campaigns.session_room import SessionRoom
from duologue.arena.campaigns.tables import campaign_answers
from duologue.arena.campaigns.typed_words import REMOVED, remove_typed_words
from duologue.arena.database.tables import metadata
from duologue.arena.people.people import add_person
from duologue.arena.talks import sessions
from duologue.arena.talks.engine import TalkEngine
from tests.arena.campaigns.made import Volunteer

if TYPE_CHECKING:
    from duologue.arena.database.database import Database

NAME = "bot-secret"


def test_a_dialogue_with_the_live_bot_is_talked_and_rated(database: Database) -> None:
    protocol = find_campaign_protocol("restaurant")
    proposal = propose(protocol, [f"{NAME}=solver"], n=1, settings=CampaignSettings(check_every=0))
    made = proposal.start(database)
    person = database.write(lambda c: add_person(c, "Ann", ("volunteer",), now=database.now(), by=None))
    ann = Volunteer(database, made, person, SessionRoom("en", database.now()))
    ann.join()
    while (view := ann.look()).item is not None:  # two items to learn from
        known = next(one for one in protocol.onboarding if one.turns == view.item.first)
        ann.say(view.item.assignment, {name: right[0] for name, right in known.right.items()})
    assert view.stage == "talk"
    first = view.talk
    assert first is not None
    database.write(lambda c: sessions.finish(c, first, person, now=database.now()))
    again = ann.look()
    assert again.stage == "talk", "a talk in which nothing was said is held anew"
    talk = again.talk
    assert talk is not None
    assert talk != first
    engine = TalkEngine(database)
    engine.answer(talk)
    assert engine.wait(talk, 30)
    with database.reading() as connection:
        kept = sessions.find_talk(connection, talk)
    assert kept is not None
    assert (kept.system, kept.shows) == ("solver", ("goal",))
    database.write(lambda c: sessions.say(c, talk, person, "italian food in rome please", now=database.now()))
    engine.answer(talk)
    assert engine.wait(talk, 30)
    assert ann.look().stage == "talk"
    database.write(lambda c: sessions.finish(c, talk, person, now=database.now()))
    item = ann.look().item
    assert item is not None
    assert ("user", "italian food in rome please") in item.first
    assert item.first[-1][0] == "system"
    assert NAME not in str(item)
    ann.say(item.assignment, {"task-success": 0})
    with database.reading() as connection:
        status = status_of(connection, find_campaign(connection, made))
    assert (status.talked, status.rated, status.by_system) == (1, 1, {NAME: 1})
    assert database.write(lambda c: remove_typed_words(c, person)) == 1
    with database.reading() as connection:
        for table in metadata.sorted_tables:
            assert "italian food" not in str(connection.execute(select(table)).all()), table.name
        (user, *_, system) = sessions.turns_of(connection, talk)
        held = connection.execute(
            select(campaign_answers.c.content).where(campaign_answers.c.talk_id == talk)
        ).scalar_one()
        transcript = sessions.finished(connection, talk)
    assert (user.text, held["turns"][0]) == (REMOVED, ["user", REMOVED])
    assert system.speaker == held["turns"][-1][0] == "system"
    assert REMOVED not in (system.text, held["turns"][-1][1])
    assert transcript is not None
    assert REMOVED in [turn.text for turn in transcript.turns]
