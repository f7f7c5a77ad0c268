"""The one writer: a thread that commits what waits together, and answers only after the commit."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import Future
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import bindparam, insert, select

from duologue.arena.database.tables import nonces
from duologue.core.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection, Engine

_MAX_BATCH: Final = 200
"""How many actions one commit holds at most."""
_KNOWN: Final = select(nonces.c.result).where(nonces.c.nonce == bindparam("form"))
_ANSWERED: Final = insert(nonces)


class _Asked(NamedTuple):
    action: Callable[[Connection], Any]
    nonce: str | None
    answer: Future[Any]


class Writer:
    """Carries out actions one after another in a thread of its own, those that wait together in one commit.

    Of several each runs in a savepoint: what one refuses leaves the others as they are. An action with a nonce that was
    answered before is not carried out again; its former result is given.
    """

    def __init__(self, engine: Engine, clock: Callable[[], int]) -> None:
        """Start the thread."""
        self._engine = engine
        self._clock = clock
        self._asked: queue.SimpleQueue[_Asked | None] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="site-writer", daemon=True)
        self._thread.start()

    def submit(self, action: Callable[[Connection], Any], nonce: str | None) -> Future[Any]:
        """Ask for an action. The future has its result, or what it raised, once all is committed."""
        asked = _Asked(action, nonce, Future())
        with self._closing:
            if self._closed:
                raise StorageError("the database is closed: nothing more can be written")
            self._asked.put(asked)
        return asked.answer

    def close(self) -> None:
        """Carry out what waits, and stop."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._asked.put(None)
        self._thread.join()

    def _work(self) -> None:
        while True:
            batch, ends = self._next_batch()
            if batch:
                self._carry_out(batch)
            if ends:
                return

    def _next_batch(self) -> tuple[list[_Asked], bool]:
        batch: list[_Asked] = []
        try:
            while len(batch) < _MAX_BATCH:
                asked = self._asked.get(block=not batch)
                if asked is None:
                    return batch, True
                if asked.answer.set_running_or_notify_cancel():
                    batch.append(asked)
        except queue.Empty:
            pass
        return batch, False

    def _carry_out(self, batch: list[_Asked]) -> None:
        outcomes: list[tuple[Future[Any], Any, BaseException | None]] = []
        try:
            with self._engine.begin() as connection:
                for asked in batch:
                    try:
                        with connection.begin_nested() if len(batch) > 1 else nullcontext():
                            result = self._answer(connection, asked)
                    except Exception as error:
                        if len(batch) == 1:
                            raise
                        outcomes.append((asked.answer, None, error))
                    else:
                        outcomes.append((asked.answer, result, None))
        except BaseException as error:  # noqa: BLE001 - a thread has nobody above it: those who wait must hear of it
            for asked in batch:
                asked.answer.set_exception(error)
            return
        for answer, result, raised in outcomes:
            if raised is not None:
                answer.set_exception(raised)
            else:
                answer.set_result(result)

    def _answer(self, connection: Connection, asked: _Asked) -> Any:
        if asked.nonce is None:
            return asked.action(connection)
        known = connection.execute(_KNOWN, {"form": asked.nonce}).one_or_none()
        if known is not None:
            return known.result
        result = asked.action(connection)
        connection.execute(_ANSWERED, {"nonce": asked.nonce, "result": result, "answered_at": self._clock()})
        return result
