"""The site's database, as its rooms and surfaces use it."""

from __future__ import annotations

from contextlib import contextmanager
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from sqlalchemy import delete
from sqlalchemy.exc import DatabaseError, DBAPIError, IntegrityError, InvalidRequestError, OperationalError

from duologue.arena.database.damage import contradiction, damaged
from duologue.arena.database.engines import make_engines, parse_url
from duologue.arena.database.tables import milliseconds, nonces
from duologue.arena.database.writer import Writer
from duologue.core.disk import reason, refusal
from duologue.store.database import refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future
    from typing import Self

    from sqlalchemy import URL, Connection

    from duologue.core.errors import StorageError

Result = TypeVar("Result")

_DISK_FULL = "53100"
"""PostgreSQL's code of a full disk, which its message says in the language of the server."""
_UNFORESEEN = (
    ArithmeticError, AssertionError, AttributeError, IntegrityError, InvalidRequestError, LookupError, RecursionError,
    StopIteration, TypeError, ValueError,
)  # fmt: skip
"""What a row that nobody wrote may lead to wherever it is used: then all rows are looked through."""


class Database:
    """Snapshots to read, and one writer whose answer means that the change is committed.

    `duologue.arena.storage.open_database` gives one whose tables are there.
    """

    def __init__(self, address: str, *, clock: Callable[[], int] = milliseconds, durable: bool = True) -> None:
        """Connect to `sqlite:////path/file.db` or `postgresql://user@host/name`; nothing is opened yet.

        `clock` gives milliseconds since 1970. `durable`: a commit is on the disk before it is answered; without it
        (tests) it outlives a kill of the process only. Raises `UsageError` for another kind of address.
        """
        self.url: URL = parse_url(address)
        self.now = clock
        self.durable = durable
        try:
            self.write_engine, self._read_engine = make_engines(self.url, durable=durable)
        except OSError as error:
            raise refusal(error, f"the database at {self.place} cannot be opened: {reason(error)}") from error
        self._writer: Writer | None = None

    @property
    def place(self) -> str:
        """The address without its password; that of a file with its name as it is, even where that is no UTF-8."""
        if self.url.get_backend_name() == "sqlite":
            return f"sqlite:///{self.url.database}"
        return self.url.render_as_string(hide_password=True)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection on which all reads see one and the same state, whatever is written meanwhile."""
        with self.guarded(), self._read_engine.connect() as connection, connection.begin():
            yield connection

    def submit(self, action: Callable[[Connection], Result], *, nonce: str | None = None) -> Future[Result]:
        """Ask the writer for an action. The future has its result once it is committed, or what it raised.

        With a `nonce` the result must be what JSON can hold: the same nonce again gives it and does nothing.
        """
        if self._writer is None:
            self._writer = Writer(self.write_engine, self.now)
        return self._writer.submit(action, nonce)

    def write(self, action: Callable[[Connection], Result], *, nonce: str | None = None) -> Result:
        """Carry out an action and return its result after the commit (see `submit`)."""
        with self.guarded():
            return self.submit(action, nonce=nonce).result()

    def with_each_action(self, made: Callable[[Callable[[Connection], Any]], Callable[[Connection], Any]]) -> Database:
        """Return this database as one that carries out `made(action)` for each action, such as one that asks first."""
        return _MadeActions(self, made)

    def forget_nonces(self, before: int) -> int:
        """Delete the nonces of forms answered before a time in ms, and return how many there were."""

        def action(connection: Connection) -> int:
            return connection.execute(delete(nonces).where(nonces.c.answered_at < before)).rowcount

        return self.write(action)

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Turn what the database refuses for its own reasons into our errors."""
        try:
            yield
        except OperationalError as error:
            full = getattr(error.orig, "sqlstate", None) == _DISK_FULL
            raise refused(
                "No space left" if full else _reason(error), f"the database at {self.place} refuses"
            ) from error
        except DatabaseError as error:
            if type(error) is not DatabaseError:  # what one action did wrong is no fault of the database
                raise
            raise self._damaged(_reason(error)) from error
        except (msgspec.MsgspecError, JSONDecodeError, UnicodeDecodeError) as error:
            # Some byte of a value was changed, or of what the database's own message quotes.
            raise self._damaged(str(error)) from error

    def _damaged(self, reason: str) -> StorageError:
        return damaged(f"the database at {self.place}", reason)

    def close(self) -> None:
        """Write what waits, and close all connections."""
        if self._writer is not None:
            self._writer.close()
        self.write_engine.dispose()
        self._read_engine.dispose()

    def __enter__(self) -> Self:
        """Return the database itself."""
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        """Close it. Raises `StorageError` for an error that comes of rows that contradict each other."""
        try:
            if isinstance(error, _UNFORESEEN):
                with self.guarded(), self._read_engine.connect() as connection:
                    found = contradiction(connection)
                if found:
                    raise self._damaged(found) from error
        finally:
            self.close()


def _reason(error: DBAPIError) -> str:
    return str(error.orig).strip().partition("\n")[0]


class _MadeActions(Database):
    """A database whose actions are made others before they are carried out; it is never closed by itself."""

    def __init__(
        self, inner: Database, made: Callable[[Callable[[Connection], Any]], Callable[[Connection], Any]]
    ) -> None:
        self._inner, self._made = inner, made
        self.url, self.now, self.durable = inner.url, inner.now, inner.durable
        self.write_engine, self._read_engine = inner.write_engine, inner._read_engine

    def submit(self, action: Callable[[Connection], Result], *, nonce: str | None = None) -> Future[Result]:
        return self._inner.submit(self._made(action), nonce=nonce)
