"""Writes are committed when they are answered, once each, and none disturbs another."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from concurrent.futures import Future, wait
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, insert, select
from sqlalchemy.exc import OperationalError

from duologue.arena.database.database import Database
from duologue.arena.database.tables import nonces
from duologue.arena.storage import open_database
from duologue.core.errors import NoSpaceError, RequestError, StorageError
from duologue.core.typed import decode_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlalchemy import Connection

    from tests.arena.conftest import Clock


def _adding(name: str) -> Callable[[Connection], str]:
    def action(connection: Connection) -> str:
        connection.execute(insert(nonces).values(nonce=name, result=name, answered_at=0))
        return name

    return action


def _count(database: Database) -> int:
    with database.reading() as connection:
        return connection.execute(select(func.count()).select_from(nonces)).scalar_one()


def test_a_write_is_seen_once_it_is_answered(database: Database) -> None:
    assert database.write(_adding("a")) == "a"
    assert _count(database) == 1


@pytest.mark.parametrize("value", ["half \ud800", 1 << 70])
def test_a_value_that_no_database_holds_is_refused_to_whoever_gave_it(database: Database, value: str | int) -> None:
    kept = {"nonce": value, "result": "", "answered_at": 0} if isinstance(value, str) else None
    with pytest.raises(RequestError, match="cannot be kept"):
        database.write(lambda c: c.execute(insert(nonces).values(kept or {"nonce": "n", "answered_at": value})))
    sought = select(nonces).where((nonces.c.nonce if isinstance(value, str) else nonces.c.answered_at) == value)
    with pytest.raises(RequestError), database.reading() as connection:
        connection.execute(sought)
    assert _count(database) == 0


def test_no_text_with_nul_is_found(database: Database) -> None:
    sought = select(nonces).where(nonces.c.nonce == "a\0")
    holds = database.url.get_backend_name() == "sqlite"
    with nullcontext() if holds else pytest.raises(RequestError, match="NUL"), database.reading() as connection:
        assert connection.execute(sought).all() == []


def test_what_one_action_refuses_leaves_the_others_of_its_commit_as_they_are(database: Database) -> None:
    gate = threading.Event()

    def waiting(_: Connection) -> None:
        gate.wait(10)

    def failing(connection: Connection) -> None:
        _adding("bad")(connection)
        raise ValueError("no")

    first = database.submit(waiting)
    futures: list[Future[Any]] = [database.submit(action) for action in (_adding("a"), failing, _adding("b"))]
    gate.set()
    first.result(10)
    wait(futures)
    assert [future.exception() is None for future in futures] == [True, False, True]
    assert _count(database) == 2


def test_what_an_action_wrote_that_is_alone_in_its_commit_and_refuses_is_gone(database: Database) -> None:
    def failing(connection: Connection) -> None:
        _adding("bad")(connection)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        database.write(failing)
    assert _count(database) == 0
    database.write(_adding("a"))
    assert _count(database) == 1


def test_the_same_nonce_again_gives_the_first_result_and_does_nothing(database: Database, clock: Clock) -> None:
    done: list[int] = []

    def action(_: Connection) -> dict[str, int]:
        done.append(1)
        return {"number": len(done)}

    assert database.write(action, nonce="n") == database.write(action, nonce="n") == {"number": 1}
    assert len(done) == 1
    clock.pass_by(days=8)
    assert database.forget_nonces(clock() - 7 * 86_400_000) == 1
    assert database.write(action, nonce="n") == {"number": 2}


def test_a_refused_form_may_be_sent_again_with_its_nonce(database: Database) -> None:
    answers: list[Any] = [ValueError("not yet"), "yes"]

    def action(_: Connection) -> str:
        answer = answers.pop(0)
        if isinstance(answer, ValueError):
            raise answer
        return str(answer)

    with pytest.raises(ValueError, match="not yet"):
        database.write(action, nonce="n")
    assert database.write(action, nonce="n") == "yes"


def test_a_reader_sees_one_state_while_others_write(database: Database) -> None:
    statement = select(func.count()).select_from(nonces)
    with database.reading() as connection:
        assert connection.execute(statement).scalar_one() == 0
        database.write(_adding("a"))
        assert connection.execute(statement).scalar_one() == 0
    assert _count(database) == 1


def test_two_processes_worth_of_writers_wait_for_one_another(database: Database, clock: Clock) -> None:
    address = database.url.render_as_string(hide_password=False)
    with Database(address, clock=clock, durable=False) as other:

        def counting(connection: Connection) -> None:
            n = connection.execute(select(func.count()).select_from(nonces)).scalar_one()
            connection.execute(insert(nonces).values(nonce=str(n), result=n, answered_at=n))

        futures = [(database, other)[i % 2].submit(counting) for i in range(100)]
        for future in futures:
            future.result(timeout=60)
    assert _count(database) == 100


def test_a_full_disk_of_a_server_is_told_whatever_its_language(database: Database) -> None:
    class DiskFullError(Exception):
        sqlstate = "53100"

    said = "konnte Datei nicht erweitern: Auf dem Gerät ist kein Speicherplatz mehr verfügbar"
    with pytest.raises(NoSpaceError, match="no space left on the disk"), database.guarded():
        raise OperationalError("INSERT", {}, DiskFullError(said))


def test_a_closed_database_refuses_writes(opened: Callable[[str | None], Database]) -> None:
    database = opened(None)
    database.write(_adding("a"))
    database.close()
    with pytest.raises(StorageError, match="closed"):
        database.write(_adding("b"))


def test_the_place_of_a_file_is_its_name(tmp_path: Path) -> None:
    for name in ("比赛 1", os.fsdecode(b"w\xff")):
        with open_database(tmp_path / name, None, durable=False) as made:
            assert made.place == f"sqlite:///{tmp_path / name / 'site' / 'site.db'}"


def test_a_folder_in_the_way_is_told(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("db")
    with pytest.raises(StorageError, match="cannot be opened"):
        Database(f"sqlite:///{folder}")


@pytest.mark.parametrize(("at", "said"), [(0, "not a database"), (100, "malformed")])
def test_a_damaged_file_is_a_clear_message(tmp_path: Path, at: int, said: str) -> None:
    path = tmp_path / "w" / "site" / "site.db"
    with open_database(tmp_path / "w", None, durable=False) as made:
        made.write(_adding("a"))
    data = bytearray(path.read_bytes())
    data[at : at + 60] = b"\xff" * 60
    path.write_bytes(data)
    with pytest.raises(StorageError, match=rf"site\.db is damaged: .*{said}.*: duologue site restore"):
        open_database(tmp_path / "w", None, durable=False)


def test_damage_that_a_message_quotes_is_told(tmp_path: Path) -> None:
    path = tmp_path / "w" / "site" / "site.db"
    with open_database(tmp_path / "w", None, durable=False) as made:
        made.write(_adding("a"))
    whole = path.read_bytes()
    assert b"tablenoncesnonces" in whole
    damaged = whole.replace(b"tablenoncesnonces", b"tablen\x82ncesnonces").replace(
        b"CREATE TABLE nonces", b"CRXATE TABLE nonces"
    )
    path.write_bytes(damaged)
    with pytest.raises(StorageError, match=r"site\.db is damaged: .*: duologue site restore"):
        open_database(tmp_path / "w", None, durable=False)


def test_an_error_that_comes_of_contradicting_rows_is_damage(tmp_path: Path) -> None:
    with open_database(tmp_path, None, durable=False) as made:
        place = made.url.database
    assert place is not None
    with pytest.raises(KeyError), open_database(tmp_path, None, durable=False):
        raise KeyError("a fault of ours stays one")
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute("INSERT INTO team_members (team, person_id) VALUES ('nobody', 'none')")
    with (
        pytest.raises(StorageError, match=r"is damaged: a row of team_members names one of \w+ that is not there"),
        open_database(tmp_path, None, durable=False),
    ):
        raise KeyError("nobody")


def test_a_value_that_some_byte_was_changed_in_is_a_damaged_database(database: Database) -> None:
    for broken in (b"{", b'"text"'):
        with pytest.raises(StorageError, match=r"is damaged: .*: duologue site restore"), database.reading():
            decode_json(broken, int)
    with pytest.raises(StorageError, match="is damaged"), database.reading():
        json.loads("{")
