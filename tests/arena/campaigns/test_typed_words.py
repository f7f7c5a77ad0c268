from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from duologue.arena.campaigns.typed_words import REMOVED, data_and_words_of, delete_person_and_words
from duologue.arena.database.tables import metadata
from duologue.arena.talks import pairs, sessions, shared_systems
from duologue.arena.talks.engine import TalkEngine
from duologue.arena.talks.likeness import sign_of
from duologue.arena.talks.tables import talk_signs
from tests.arena.talks.made import Counting, people
from tests.arena.talks.test_pairs import begin as begin_pairing
from tests.arena.talks.test_pairs import good, scenes

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.database.database import Database

WORDS = {
    "conversation": "my parcel for Zebedee never came",
    "proactive": "星夜电影是齐伯迪推荐的",
    "mobilecs/dialogue": "我是齐伯迪，星夜流量包多少流量？",
    "restaurant": "italian food in rome for Zebedee please",
}
"""What somebody types in a talk of each task, which no system repeats as a whole."""


def everything(connection: Connection) -> str:
    return str([connection.execute(select(table)).all() for table in metadata.sorted_tables])


def begun(database: Database, person: str, task: str, system: str = "secret-bot") -> str:
    return database.write(lambda c: sessions.start(c, task=task, system=system, scene="3", person=person))


@pytest.mark.parametrize("task", WORDS)
def test_nothing_keeps_words_that_were_removed(task: str, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_systems, "open_live_system", lambda task, name, *, overrides: Counting())
    (ann,) = people(database, "Ann")
    talk, engine = begun(database, ann, task), TalkEngine(database)
    engine.answer(talk)
    assert engine.wait(talk, 30)
    database.write(lambda c: sessions.say(c, talk, ann, WORDS[task], now=2))
    engine.answer(talk)
    assert engine.wait(talk, 30)
    name = "齐伯迪" if "齐伯迪" in WORDS[task] else "Zebedee"
    with database.reading() as connection:
        assert WORDS[task] in everything(connection)
    done = database.write(lambda c: delete_person_and_words(c, ann, now=3, by=None))
    assert done.deleted["utterances"] == 1
    with database.reading() as connection:
        left = everything(connection)
        transcript = sessions.finished(connection, talk)
    assert name not in left
    assert transcript is not None
    assert REMOVED in [turn.text for turn in transcript.turns]


def test_an_answer_under_way_does_not_bring_removed_words_back(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = Counting()
    monkeypatch.setattr(shared_systems, "open_live_system", lambda task, name, *, overrides: system)
    (ann,) = people(database, "Ann")
    talk, engine = begun(database, ann, "conversation"), TalkEngine(database)
    engine.answer(talk)
    assert engine.wait(talk, 30)
    database.write(lambda c: sessions.say(c, talk, ann, WORDS["conversation"], now=2))
    system.go.clear()
    engine.answer(talk)
    database.write(lambda c: delete_person_and_words(c, ann, now=3, by=ann))
    system.go.set()
    assert engine.wait(talk, 30)
    with database.reading() as connection:
        assert "Zebedee" not in everything(connection)
        found = sessions.find_talk(connection, talk)
    assert found is not None
    assert found.state == "abandoned"


def test_people_get_their_words_and_nothing_that_they_talk_blind_of(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_systems, "open_live_system", lambda task, name, *, overrides: Counting())
    ann, ben = people(database, "Ann", "Ben")
    talk, engine = begun(database, ann, "proactive"), TalkEngine(database)
    engine.answer(talk)
    assert engine.wait(talk, 30)
    database.write(lambda c: sessions.say(c, talk, ann, "没有看过呢", now=2))
    engine.answer(talk)
    assert engine.wait(talk, 30)
    hall = begin_pairing(database)
    database.write(lambda c: pairs.wait(c, hall, ann, now=3))
    held = database.write(lambda c: pairs.wait(c, hall, ben, now=3)).talk_id or ""
    database.write(lambda c: pairs.say_to_partner(c, held, ann, good()[0], now=4))
    database.write(lambda c: pairs.say_to_partner(c, held, ben, good()[1], now=4))
    with database.reading() as connection:
        mine, others = data_and_words_of(connection, ann), data_and_words_of(connection, ben)
        kept = sessions.find_talk(connection, talk)
    assert {(one["talk_id"], one["text"]) for one in mine["talk_turns"]} == {(talk, "没有看过呢"), (held, good()[0])}
    assert [one["text"] for one in others["talk_turns"]] == [good()[1]]
    assert kept is not None
    assert kept.dialogue is not None
    assert kept.dialogue.goal is not None
    for told in ("secret-bot", *kept.dialogue.goal.topics, "heard, asked", ben):
        assert told not in str(mine), told
    goal = scenes(1)[0].goal
    assert goal is not None
    for told in (ann, *goal.topics):
        assert told not in str(others["talks"]), told


def test_no_number_tells_that_removed_words_were_said(database: Database) -> None:
    """A finished dialogue of a pair is looked up by numbers of its utterances, which a guess could be held against."""
    ann, ben = people(database, "Ann", "Ben")
    hall = begin_pairing(database)
    database.write(lambda c: pairs.wait(c, hall, ann, now=3))
    talk = database.write(lambda c: pairs.wait(c, hall, ben, now=3)).talk_id or ""
    for at, text in enumerate(good()):
        database.write(partial(pairs.say_to_partner, talk_id=talk, person=(ann, ben)[at % 2], text=text, now=4))
    database.write(lambda c: pairs.complete(c, talk, ann, now=5))

    def signs() -> set[int]:
        with database.reading() as connection:
            return set(connection.execute(select(talk_signs.c.sign)).scalars())

    assert signs() == {sign_of(text) for text in good()}
    database.write(lambda c: delete_person_and_words(c, ann, now=6, by=None))
    assert signs() == {sign_of(text) for text in good()[1::2]}
    database.write(lambda c: delete_person_and_words(c, ben, now=7, by=None))
    assert signs() == set()
