from __future__ import annotations

import os
import shlex
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.arena.talks.made import Counting, people
from tests.endpoint_stub import Stub
from tests.endpoints.servers import stub

from duologue.arena.talks import rooms, sessions, shared_systems
from duologue.arena.talks.engine import FAILED, TalkEngine
from duologue.arena.talks.replies import LivePartner
from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Partner
from duologue.core.records import Dialogue, Turn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlalchemy import Connection
    from tests.arena.conftest import Clock

    from duologue.arena.database.database import Database
    from duologue.arena.talks.sessions import Talk, TalkTurn


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> Counting:
    made = Counting()
    monkeypatch.setattr(shared_systems, "open_live_system", lambda task, name, *, overrides: made)
    return made


@pytest.fixture
def engine(database: Database) -> TalkEngine:
    return TalkEngine(database)


def begin(database: Database, task: str = "conversation", system: str = "counting") -> str:
    (person,) = people(database, "Ann")
    shows = ("goal", "knowledge")
    return database.write(
        lambda connection: sessions.start(
            connection, task=task, system=system, scene="3", person=person, shows=shows, lang="en"
        )
    )


def heard(database: Database, talk: str) -> list[TalkTurn]:
    with database.reading() as connection:
        return sessions.turns_of(connection, talk)


def kept(database: Database, talk: str) -> Talk:
    with database.reading() as connection:
        found = sessions.find_talk(connection, talk)
    assert found is not None
    return found


def spoken(database: Database, engine: TalkEngine, talk: str, text: str) -> list[str]:
    """Say something, and return what is answered."""
    found = kept(database, talk)
    at = database.write(lambda connection: sessions.say(connection, talk, found.person_id, text, now=database.now()))
    engine.answer(talk)
    assert engine.wait(talk, 20)
    return [one.text for one in heard(database, talk) if one.position > at]


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    for _ in range(1000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it never holds")


def ready(database: Database, engine: TalkEngine, talk: str) -> None:
    engine.answer(talk)
    assert engine.wait(talk, 20)


def test_a_talk_goes_on_where_it_stood_when_the_site_is_started_anew(
    database: Database, engine: TalkEngine, system: Counting
) -> None:
    talk = begin(database)
    ready(database, engine, talk)
    assert spoken(database, engine, talk, "hello") == ["<b>1</b> heard, asked 1 times"]
    assert spoken(database, engine, talk, "again") == ["<b>3</b> heard, asked 2 times"]
    other = TalkEngine(database)
    assert spoken(database, other, talk, "and now?") == ["<b>5</b> heard, asked 3 times"]  # nothing was asked twice
    assert spoken(database, engine, talk, "back") == ["<b>7</b> heard, asked 4 times"]  # the first one knows of it
    assert [one.speaker for one in heard(database, talk)] == ["user", "system"] * 4


def test_a_turn_that_was_not_answered_when_the_site_died_is_answered_later(
    database: Database, engine: TalkEngine, system: Counting
) -> None:
    talk = begin(database)
    ready(database, engine, talk)
    person = kept(database, talk).person_id
    database.write(lambda connection: sessions.say(connection, talk, person, "hello", now=1))
    other = TalkEngine(database)
    ready(database, other, talk)
    assert [one.text for one in heard(database, talk)] == ["hello", "<b>1</b> heard, asked 1 times"]


def test_one_system_is_prepared_once_for_all_talks(database: Database, engine: TalkEngine, system: Counting) -> None:
    talks = [begin(database) for _ in range(3)]
    for talk in talks:
        ready(database, engine, talk)
    assert [spoken(database, engine, talk, "hi")[0][:12] for talk in talks] == ["<b>1</b> hea"] * 3
    assert system.prepared == 1


def test_rooms_of_one_system_with_other_settings_have_a_system_each(database: Database, tmp_path: Path) -> None:
    program = tmp_path / "bot.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps({'id': json.loads(line)['id'], 'text': sys.argv[1]}), flush=True)\n"
    )
    (person,) = people(database, "Ann")

    def enter(word: str) -> str:
        settings = (f"command={shlex.join((sys.executable, str(program), word))}",)

        def action(connection: Connection) -> str:
            room = rooms.open_room(
                connection, title=word, task="conversation", system="process", settings=settings, now=1
            )
            return rooms.enter_room(connection, room, person, lang="en", now=2)

        return database.write(action)

    talks = [enter("one"), enter("two")]
    for engine in (TalkEngine(database), TalkEngine(database)):  # the second as after a restart of the site
        for talk in talks:
            ready(database, engine, talk)
        assert [spoken(database, engine, talk, "hi") for talk in talks] == [["one"], ["two"]]
    database.write(lambda connection: sessions.finish(connection, talks[1], person, now=database.now()))
    with database.reading() as connection:
        dialogue = sessions.finished(connection, talks[1])
    assert dialogue is not None
    assert [one.rpartition(" ")[2] for one in dialogue.meta["settings"]] == ["two"]


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_program_that_nobody_talks_with_is_ended_and_its_talk_goes_on(database: Database, tmp_path: Path) -> None:
    program, told = tmp_path / "bot.py", tmp_path / "told"
    program.write_text(
        "import json, os, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        f"    open({str(told)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
        "    print(json.dumps({'id': asked['id'], 'text': str(len(asked['history']))}), flush=True)\n"
    )
    (person,) = people(database, "Ann")
    settings = (f"command={shlex.join((sys.executable, str(program)))}",)

    def action(connection: Connection) -> str:
        room = rooms.open_room(connection, title="a", task="conversation", system="process", settings=settings, now=1)
        return rooms.enter_room(connection, room, person, lang="en", now=2)

    talk = database.write(action)
    engine = TalkEngine(database, idle_seconds=0.5)
    ready(database, engine, talk)
    for number in range(3):
        assert spoken(database, engine, talk, "hi") == [str(2 * number + 1)]
        running = int(told.read_text().split()[-1])
        assert alive(running)
        until = time.monotonic() + 15
        while alive(running) and time.monotonic() < until:
            time.sleep(0.02)
        assert not alive(running)
    assert len(told.read_text().split()) == 3  # nothing was asked twice
    assert len({*told.read_text().split()}) == 3


def test_a_system_is_kept_while_it_answers_and_while_others_talk_with_it(database: Database, system: Counting) -> None:
    engine = TalkEngine(database, idle_seconds=0.3)
    talk = begin(database)
    ready(database, engine, talk)
    system.go.clear()
    person = kept(database, talk).person_id
    database.write(lambda connection: sessions.say(connection, talk, person, "hello", now=1))
    engine.answer(talk)
    assert not engine.wait(talk, 1)  # longer than a system is kept that has nothing to do
    system.go.set()
    assert engine.wait(talk, 20)
    for _ in range(4):
        time.sleep(0.15)
        spoken(database, engine, talk, "again")
    assert system.prepared == 1
    time.sleep(1)
    assert spoken(database, engine, talk, "and now?")[0].startswith("<b>11</b> heard, asked 6")
    assert system.prepared == 2


def test_a_system_that_fails_or_is_slow_is_told_and_can_be_asked_again(
    database: Database, engine: TalkEngine, system: Counting
) -> None:
    talk = begin(database)
    ready(database, engine, talk)
    system.failing = True
    assert spoken(database, engine, talk, "hello") == []
    assert kept(database, talk).trouble == "failed"
    system.failing = False
    ready(database, engine, talk)
    assert [one.speaker for one in heard(database, talk)] == ["user", "system"]
    assert kept(database, talk).trouble == ""


def test_a_slow_system_is_told_and_holds_up_no_other(database: Database, system: Counting) -> None:
    engine = TalkEngine(database, answer_seconds=0.5)
    slow = begin(database)
    ready(database, engine, slow)
    system.go.clear()
    person = kept(database, slow).person_id
    database.write(lambda connection: sessions.say(connection, slow, person, "hello", now=1))
    engine.answer(slow)
    with stub(b'data: {"choices": [{"delta": {"content": "quick"}}]}\n\ndata: [DONE]\n\n') as address:
        quick = begin(database, system=f"{address}#m")
        ready(database, engine, quick)
        assert spoken(database, engine, quick, "hello") == ["quick"]
    assert not engine.wait(slow, 0.8)
    assert kept(database, slow).trouble == "slow"
    system.go.set()
    assert engine.wait(slow, 20)
    assert [one.speaker for one in heard(database, slow)] == ["user", "system"]  # late, but there
    assert kept(database, slow).trouble == ""


def test_the_booking_bot_is_talked_with_from_its_rows(database: Database, engine: TalkEngine) -> None:
    talk = begin(database, "restaurant", "solver")
    ready(database, engine, talk)
    spoken(database, engine, talk, "may i have a table for four in a cheap price range please")
    other = TalkEngine(database)
    answers = spoken(database, other, talk, "bye")
    with database.reading() as connection:
        found = sessions.find_talk(connection, talk)
        dialogue = sessions.finished(connection, talk)
    assert found is not None
    assert (found.state, answers) == ("finished", answers)
    assert found.setting is not None
    assert "table" in found.setting.how
    assert dialogue is not None
    assert next(turn.text for turn in dialogue.turns if turn.speaker == "user").startswith("may i have")


def test_a_chat_endpoint_is_a_system_too(database: Database, engine: TalkEngine) -> None:
    pieces = b"".join(
        b'data: {"choices": [{"delta": {"content": "%s"}}]}\n\n' % word
        for word in (b"hm</think>", b"one ", b"two ", b"three")
    )
    with stub(pieces + b"data: [DONE]\n\n") as address:
        talk = begin(database, "conversation", f"{address}#m")
        ready(database, engine, talk)
        assert spoken(database, engine, talk, "count") == ["one two three"]
    assert spoken(database, engine, talk, "more") == []
    found = kept(database, talk)
    assert found.trouble.startswith("failed: the endpoint at")


class Thinking(Partner):
    """Says a thought before its reply, and notes what is seen of both meanwhile."""

    def __init__(self, seen: Callable[[], str | None]) -> None:
        self._seen, self.noted = seen, list[str | None]()

    @property
    def welcome(self) -> str:
        return "hello"

    def reply(self, text: str) -> list[Turn]:
        assert self.on_piece is not None
        assert self.on_taken_back is not None
        for piece in ("a plan ", "of mine"):
            self.on_piece(piece)
        self.noted.append(self._seen())
        self.on_taken_back()
        self.on_piece(text)
        self.noted.append(self._seen())
        return [Turn(speaker="system", text=text)]

    def dialogue(self) -> Dialogue:
        return Dialogue(id="x", turns=())


def test_what_is_taken_back_is_seen_no_more(
    database: Database, engine: TalkEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = begin(database, "conversation", "http://127.0.0.1:9/v1#m")
    partner = Thinking(lambda: engine.pieces(talk))
    monkeypatch.setattr(shared_systems.SharedSystems, "partner", lambda self, talk, kept: LivePartner(partner, None))
    ready(database, engine, talk)
    assert spoken(database, engine, talk, "yes") == ["yes"]
    assert partner.noted == ["a plan of mine", "yes"]


def test_who_talks_with_a_chat_endpoint_has_the_goal_card_of_the_task(database: Database, engine: TalkEngine) -> None:
    settings = []
    for system in ("http://127.0.0.1:9/v1#m", "solver"):
        talk = begin(database, "restaurant", system)
        ready(database, engine, talk)
        settings.append(kept(database, talk).setting)
    remote, local = (() if one is None else one.card for one in settings)
    assert remote == local != ()


def test_an_endpoint_that_hangs_in_one_talk_answers_in_another(database: Database) -> None:
    pytest.importorskip("rjieba", reason="what a chat model says is cut into words")
    asked, go = list[dict[str, Any]](), threading.Event()

    def brain(request: dict[str, Any]) -> str:
        asked.append(request)
        if len(asked) == 1:
            go.wait(20)
        return "你好"

    engine = TalkEngine(database, idle_seconds=0.05)
    with Stub(brain=brain) as server:
        hangs, other = (begin(database, "proactive", f"{server.url}#m") for _ in range(2))
        engine.answer(hangs)
        until(lambda: bool(asked))
        engine.answer(other)
        assert engine.wait(other, 10)
        assert [one.text for one in heard(database, other)] == ["你好"]
        go.set()
        assert engine.wait(hangs, 10)
        assert [one.text for one in heard(database, hangs)] == ["你好"]
        until(lambda: not engine._systems._opened)
        assert spoken(database, engine, other, "嗯") == ["你好"]
        assert len(asked) == 3, "nothing is asked twice"


def test_a_system_that_there_is_not_is_told(database: Database, engine: TalkEngine) -> None:
    talk = begin(database, "restaurant", "nobody")
    ready(database, engine, talk)
    found = kept(database, talk)
    assert "nobody" in found.trouble


def test_nobody_else_speaks_in_a_talk_and_nobody_out_of_turn(
    database: Database, engine: TalkEngine, system: Counting, clock: Clock
) -> None:
    talk = begin(database)
    (other,) = people(database, "Ben")
    person = kept(database, talk).person_id

    def say(who: str, text: str = "hi") -> None:
        database.write(lambda connection: sessions.say(connection, talk, who, text, now=clock()))

    with pytest.raises(UsageError, match="has not answered"):
        say(person)
    ready(database, engine, talk)
    with pytest.raises(UsageError, match="no talk"):
        say(other)
    with pytest.raises(UsageError, match="at most"):
        say(person, "x" * 2001)
    say(person)
    with pytest.raises(UsageError, match="has not answered"):
        say(person)
    clock.pass_by(days=2)
    assert database.write(lambda connection: sessions.expire(connection, now=clock())) == 1
    with pytest.raises(UsageError, match="is over"):
        say(person)


def test_a_talk_for_which_there_is_no_thread_is_told_and_answered_later(
    database: Database, engine: TalkEngine, system: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = begin(database)
    ready(database, engine, talk)

    class NoThread(threading.Thread):  # as a machine whose threads are used up; to use them up would end other tests
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    with monkeypatch.context() as short:
        short.setattr(threading, "Thread", NoThread)
        assert spoken(database, engine, talk, "hello") == []
    assert kept(database, talk).trouble == FAILED
    ready(database, engine, talk)
    assert [one.text for one in heard(database, talk)][-1] == "<b>1</b> heard, asked 1 times"
