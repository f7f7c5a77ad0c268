"""The writer commits what waits together, and tells everybody when it cannot."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import event
from sqlalchemy.exc import SQLAlchemyError

from duologue.arena.database.tables import milliseconds, new_id
from duologue.arena.database.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from duologue.arena.database.database import Database


def _giving(number: int) -> Callable[[Connection], int]:
    return lambda _: number


def test_what_waits_together_is_committed_together(database: Database) -> None:
    commits: list[int] = []
    event.listen(database.write_engine, "commit", lambda _: commits.append(1))
    writer, gate = Writer(database.write_engine, milliseconds), threading.Event()

    def waiting(_: Connection) -> None:
        gate.wait(10)

    first = writer.submit(waiting, None)
    futures = [writer.submit(_giving(number), None) for number in range(50)]
    gate.set()
    first.result(10)
    assert [future.result(10) for future in futures] == list(range(50))
    assert len(commits) <= 2
    writer.close()


def test_a_commit_that_fails_is_told_to_all_and_the_writer_goes_on(database: Database) -> None:
    writer, gate = Writer(database.write_engine, milliseconds), threading.Event()
    first = writer.submit(lambda _: gate.wait(10), None)
    together = [writer.submit(_giving(number), None) for number in range(2)]

    @event.listens_for(database.write_engine, "commit")
    def full(_: Connection) -> None:
        raise SQLAlchemyError("the disk is full")

    gate.set()
    for asked in (first, *together):
        with pytest.raises(SQLAlchemyError, match="full"):
            asked.result(10)
    event.remove(database.write_engine, "commit", full)
    assert writer.submit(lambda _: 5, None).result(10) == 5
    writer.close()


def test_a_question_taken_back_is_not_carried_out(database: Database) -> None:
    writer, gate, done = Writer(database.write_engine, milliseconds), threading.Event(), list[str]()

    def waiting(_: Connection) -> None:
        gate.wait(10)

    first = writer.submit(waiting, None)
    second = writer.submit(lambda _: done.append("no"), None)
    assert second.cancel()
    gate.set()
    writer.close()
    assert first.done()
    assert done == []


def test_ids_are_new_each_time() -> None:
    assert len({new_id() for _ in range(1_000)}) == 1_000
