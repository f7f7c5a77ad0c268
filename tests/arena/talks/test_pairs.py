from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlalchemy import select
from tests.arena.conftest import Clock
from tests.arena.talks.made import people

from duologue.arena.storage import open_database
from duologue.arena.talks import pairs, sessions
from duologue.arena.talks.pair_settings import PairSettings, speaker_due
from duologue.arena.talks.tables import pairing_people, pairing_scenes, talks
from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.core.records import Dialogue, Fact, Goal

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.database.database import Database

SETTINGS = PairSettings(shortest=4, longest=6, turn_seconds=60, seen_seconds=20)


def scenes(count: int) -> list[Dialogue]:
    return [
        Dialogue(
            id=f"goal-{at}",
            turns=(),
            knowledge=(
                Fact(subject=f"片{at}", relation="领域", object="电影"),
                Fact(subject=f"片{at}", relation="评论", object=f"非常好看的老电影{at}"),
                Fact(subject=f"人{at}", relation="职业", object=f"导演{at}"),
            ),
            goal=Goal(
                topics=(f"片{at}", f"人{at}"), relations=(Fact(subject=f"片{at}", relation="导演", object=f"人{at}"),)
            ),
        )
        for at in range(count)
    ]


def begin(database: Database, count: int = 3, with_settings: PairSettings = SETTINGS) -> str:
    return database.write(
        lambda connection: pairs.start_pairing(
            connection, title="Films", task="proactive", scenes=scenes(count), settings=with_settings, now=1
        )
    )


class Hall:
    """A pairing and the clock it runs by."""

    def __init__(self, database: Database, clock: Clock, pairing_id: str) -> None:
        self.database, self.clock, self.id = database, clock, pairing_id

    def wait(self, person: str) -> pairs.PairPlace:
        return self.database.write(lambda connection: pairs.wait(connection, self.id, person, now=self.clock()))

    def place(self, person: str) -> pairs.PairPlace:
        with self.database.reading() as connection:
            return pairs.place_of(connection, self.id, person)

    def say(self, talk: str, person: str, text: str) -> int:
        return self.database.write(
            lambda connection: pairs.say_to_partner(connection, talk, person, text, now=self.clock())
        )

    def complete(self, talk: str, person: str) -> None:
        self.database.write(lambda connection: pairs.complete(connection, talk, person, now=self.clock()))

    def give_up(self, talk: str, person: str) -> None:
        self.database.write(lambda connection: pairs.give_up(connection, talk, person, now=self.clock()))

    def talk(self, talk: str) -> sessions.Talk:
        with self.database.reading() as connection:
            found = sessions.find_talk(connection, talk)
        assert found is not None
        return found

    def scenes(self) -> dict[str, int]:
        with self.database.reading() as connection:
            return pairs.scene_counts(connection, self.id)


@pytest.fixture
def hall(database: Database, clock: Clock) -> Hall:
    return Hall(database, clock, begin(database))


def held(hall: Hall, talk: str, texts: list[str]) -> None:
    """Say texts in turn."""
    found = hall.talk(talk)
    for at, text in enumerate(texts):
        hall.say(talk, (found.leader_id or "", found.person_id)[at % 2], text)


def good(at: int = 0) -> list[str]:
    return [f"看过片{at}吗？非常好看的老电影{at}哦", "没有看过呢", f"那是导演人{at}的作品，导演{at}嘛", "原来如此啊"]


def test_two_people_make_a_dialogue_that_is_exported_and_read_again(
    hall: Hall, database: Database, tmp_path: Path
) -> None:
    ann, ben = people(database, "Ann", "Ben")
    assert hall.wait(ann).state == "waiting"
    place = hall.wait(ben)
    assert place.state == "talking"
    assert hall.place(ann) == place
    talk = place.talk_id or ""
    assert hall.talk(talk).leader_id == ann  # who waited longer
    with pytest.raises(UsageError, match="your partner's turn"):
        hall.say(talk, ben, "hi")
    held(hall, talk, good()[:2])
    with pytest.raises(UsageError, match="can end after 4"):
        hall.complete(talk, ann)
    held(hall, talk, good()[2:])
    with pytest.raises(UsageError, match="whoever leads"):
        hall.complete(talk, ben)
    hall.complete(talk, ann)
    found = hall.talk(talk)
    assert (found.state, found.ended_by, found.verdict, found.problems) == ("finished", "leader", "accepted", ())
    assert hall.scenes() == {"free": 2, "taken": 0, "done": 1}
    with database.reading() as connection:
        dialogues = pairs.accepted_dialogues(connection, hall.id)
    task = pairs.paired_task("proactive")
    task.write_dialogues(dialogues, tmp_path / "sessions.jsonl")
    examples = list(load_task("proactive").load(tmp_path / "sessions.jsonl"))
    assert ["".join((one.references[0].text or "").split()) for one in examples] == [good()[0], good()[2]]


def test_roles_take_turns_and_nobody_talks_about_the_same_twice(hall: Hall, database: Database) -> None:
    ann, ben = people(database, "Ann", "Ben")
    led, scenes_seen = [], []
    for at in range(3):
        hall.wait(ann)
        talk = hall.wait(ben).talk_id or ""
        found = hall.talk(talk)
        led.append(found.leader_id)
        scenes_seen.append(found.scene_id)
        held(hall, talk, good(at))
        hall.complete(talk, found.leader_id or "")
        assert hall.talk(talk).verdict == "accepted", hall.talk(talk).problems
    assert led == [ann, ben, ann]
    assert len(set(scenes_seen)) == 3
    assert hall.wait(ann).state == "done"


def test_the_longest_dialogue_ends_by_itself_and_a_bad_one_frees_its_scene(hall: Hall, database: Database) -> None:
    ann, ben = people(database, "Ann", "Ben")
    hall.wait(ann)
    talk = hall.wait(ben).talk_id or ""
    held(hall, talk, ["你好", "你好", "你好", "你好", "嗯", "嗯"])
    found = hall.talk(talk)
    assert (found.state, found.ended_by, found.verdict) == ("finished", "length", "rejected")
    assert {one["rule"] for one in found.problems or ()} >= {"utterance-repeated", "topic-unmentioned"}
    assert hall.scenes()["free"] == 3
    with pytest.raises(UsageError, match="is over"):
        hall.say(talk, ann, "more")
    database.write(lambda connection: pairs.judge(connection, talk, "accepted", now=1))
    assert hall.scenes() == {"free": 2, "taken": 0, "done": 1}


def test_a_verdict_by_hand_leaves_a_goal_to_those_who_talk_about_it_now(hall: Hall, database: Database) -> None:
    ann, ben, cem, dan = people(database, "Ann", "Ben", "Cem", "Dan")
    hall.wait(ann)
    first = hall.wait(ben).talk_id or ""
    held(hall, first, ["你好"] * 4)
    hall.complete(first, ann)
    hall.wait(cem)
    second = hall.wait(dan).talk_id or ""
    assert hall.talk(second).scene_id == hall.talk(first).scene_id

    def judge(talk: str, verdict: str) -> dict[str, int]:
        database.write(lambda connection: pairs.judge(connection, talk, verdict, now=1))
        return hall.scenes()

    assert judge(first, "rejected") == {"free": 2, "taken": 1, "done": 0}
    assert judge(first, "accepted") == {"free": 2, "taken": 0, "done": 1}
    hall.give_up(second, dan)
    assert hall.scenes() == {"free": 2, "taken": 0, "done": 1}
    assert judge(first, "rejected") == {"free": 3, "taken": 0, "done": 0}


def test_a_goal_with_another_accepted_dialogue_stays_done(hall: Hall, database: Database) -> None:
    ann, ben, cem, dan = people(database, "Ann", "Ben", "Cem", "Dan")
    hall.wait(ann)
    first = hall.wait(ben).talk_id or ""
    held(hall, first, ["你好"] * 4)
    hall.complete(first, ann)
    hall.wait(cem)
    second = hall.wait(dan).talk_id or ""
    held(hall, second, good())
    hall.complete(second, cem)
    assert hall.talk(second).verdict == "accepted"
    database.write(lambda connection: pairs.judge(connection, first, "rejected", now=1))
    assert hall.scenes() == {"free": 2, "taken": 0, "done": 1}


def test_who_is_silent_too_long_or_gives_up_leaves_the_scene_to_others(
    hall: Hall, database: Database, clock: Clock
) -> None:
    ann, ben, cem = people(database, "Ann", "Ben", "Cem")
    hall.wait(ann)
    talk = hall.wait(ben).talk_id or ""
    clock.pass_by(seconds=61)
    with pytest.raises(UsageError, match="silent"):
        hall.say(talk, ann, "hello")
    assert hall.wait(cem).state == "waiting"  # lets run out what has run out
    assert (hall.talk(talk).state, hall.talk(talk).ended_by) == ("abandoned", "time")
    again = hall.wait(ben)
    assert again.state == "talking"
    hall.give_up(again.talk_id or "", ben)
    assert hall.talk(again.talk_id or "").ended_by in {"leader", "follower"}
    assert hall.place(cem).state == "away"
    assert hall.scenes()["free"] == 3


def test_who_is_not_there_any_more_is_not_paired(hall: Hall, database: Database, clock: Clock) -> None:
    ann, ben = people(database, "Ann", "Ben")
    hall.wait(ann)
    clock.pass_by(seconds=21)
    assert hall.wait(ben).state == "waiting"
    assert hall.wait(ann).state == "talking"


def test_a_closed_campaign_pairs_nobody(hall: Hall, database: Database) -> None:
    (ann,) = people(database, "Ann")
    database.write(lambda connection: pairs.close_pairing(connection, hall.id, now=1))
    with pytest.raises(UsageError, match="closed"):
        hall.wait(ann)


def test_settings_that_no_dialogue_can_keep_are_refused() -> None:
    task = pairs.paired_task("proactive")
    assert pairs.settings_for(task, turn_seconds=5).longest == 18
    with pytest.raises(UsageError, match="at most 18"):
        pairs.settings_for(task, shortest=20)
    with pytest.raises(UsageError, match="Paired"):
        pairs.paired_task("spoken")


class PairingMachine(RuleBasedStateMachine):
    """Five people come, talk, fall silent and leave in any order, by a clock of ours."""

    folder: Path
    numbers = itertools.count()

    @initialize()
    def open(self) -> None:
        self.clock = Clock()
        self.database = open_database(self.folder / str(next(self.numbers)), clock=self.clock, durable=False)
        self.hall = Hall(self.database, self.clock, begin(self.database, 4))
        self.people = people(self.database, *"ABCDE")
        self.texts = itertools.count()
        self.over: dict[str, object] = {}

    def teardown(self) -> None:
        if hasattr(self, "database"):
            self.database.close()

    @rule(who=st.integers(0, 4))
    def wait(self, who: int) -> None:
        place = self.hall.wait(self.people[who])
        assert place.state in {"talking", "waiting", "done"}

    @rule(who=st.integers(0, 4))
    def say(self, who: int) -> None:
        person = self.people[who]
        place = self.hall.place(person)
        if place.talk_id is None:
            return
        talk = self.hall.talk(place.talk_id)
        with self.database.reading() as connection:
            count = len(sessions.turns_of(connection, talk.id))
        mine = speaker_due(SETTINGS, count) == pairs.side_of(talk, person)
        late = self.clock() - talk.last_at > SETTINGS.turn_seconds * 1000
        if mine and not late:
            assert self.hall.say(talk.id, person, f"text {next(self.texts)}") == count
        else:
            with pytest.raises(UsageError):
                self.hall.say(talk.id, person, "out of turn")

    @rule(who=st.integers(0, 4))
    def leave(self, who: int) -> None:
        person = self.people[who]
        self.database.write(lambda connection: pairs.leave(connection, self.hall.id, person, now=self.clock()))
        assert self.hall.place(person).state == "away"

    @rule(at=st.integers(0, 9), verdict=st.sampled_from(["accepted", "rejected"]))
    def judge(self, at: int, verdict: str) -> None:
        with self.database.reading() as connection:
            found = connection.execute(select(talks.c.id).where(talks.c.state == "finished")).scalars().all()
        if found:
            self.database.write(lambda connection: pairs.judge(connection, found[at % len(found)], verdict, now=1))

    @rule(seconds=st.sampled_from([1, 15, 25, 59, 61]))
    def tick(self, seconds: int) -> None:
        self.clock.pass_by(seconds=seconds)

    @rule()
    def restart(self) -> None:
        self.database.close()
        address = self.database.url.render_as_string(hide_password=False)
        self.database = open_database(self.folder, address, clock=self.clock, durable=False)
        self.hall = Hall(self.database, self.clock, self.hall.id)

    @invariant()
    def holds(self) -> None:
        if not hasattr(self, "hall"):
            return
        with self.database.reading() as connection:
            rows = connection.execute(select(talks)).all()
            standing = {row.person_id: row.state for row in connection.execute(select(pairing_people))}
            taken = {row.id: row.state for row in connection.execute(select(pairing_scenes))}
            turns = {row.id: sessions.turns_of(connection, row.id) for row in rows}
        going = [row for row in rows if row.state == "open"]
        busy = [one for row in going for one in (row.person_id, row.leader_id)]
        assert len(busy) == len(set(busy)), "nobody talks with two, or with themselves"
        assert {one for one, state in standing.items() if state == "talking"} == set(busy)
        about = [row.scene_id for row in going]
        assert len(about) == len(set(about))
        done = {row.scene_id for row in rows if row.verdict == "accepted"}
        for scene, state in taken.items():
            assert state == ("done" if scene in done else "taken" if scene in about else "free")
        pairs = [(row.scene_id, one) for row in rows for one in (row.person_id, row.leader_id)]
        assert len(pairs) == len(set(pairs)), "nobody has the same scene twice"
        for row in rows:
            found = turns[row.id]
            assert [one.speaker for one in found] == [speaker_due(SETTINGS, at) for at in range(len(found))]
            assert [one.position for one in found] == list(range(len(found)))
            assert len(found) <= SETTINGS.longest
            if row.state != "open":
                assert self.over.setdefault(row.id, (row.state, row.ended_by, len(found))) == (
                    row.state,
                    row.ended_by,
                    len(found),
                ), "what is over stays as it is"


@pytest.mark.parametrize("examples", [8, pytest.param(60, marks=pytest.mark.slow)])
def test_turns_alternate_and_nobody_is_in_two_dialogues_whatever_people_do(tmp_path: Path, examples: int) -> None:
    PairingMachine.folder = tmp_path
    run_state_machine_as_test(
        PairingMachine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=40,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
