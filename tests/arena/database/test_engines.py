"""SQLite and PostgreSQL by address, nothing else, and no password in a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, text

from duologue.arena.database import engines
from duologue.arena.database.database import Database
from duologue.arena.database.engines import make_engines, parse_url
from duologue.arena.storage import open_database
from duologue.core.errors import StorageError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("address", ["mysql://host/name", "sqlite://", "sqlite:///:memory:", "nonsense"])
def test_another_kind_of_database_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match=r"sqlite:////path/file\.db"):
        Database(address)
    with pytest.raises(UsageError):
        parse_url(address)


def test_a_password_is_not_shown() -> None:
    database = Database("postgresql://me:secret@nowhere.invalid/name")
    assert "secret" not in database.place
    with pytest.raises(StorageError, match="refuses") as raised, database.reading():
        pass
    assert "secret" not in str(raised.value)


def test_sqlite_keeps_what_it_answered_over_a_loss_of_power(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("db") / "deep" / "site.db"
    for engine in make_engines(parse_url(f"sqlite:///{file}"), durable=True):
        with engine.connect() as connection:
            found = {
                name: connection.execute(text(f"PRAGMA {name}")).scalar_one()
                for name in ("journal_mode", "synchronous", "foreign_keys")
            }
        engine.dispose()
        assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}
    assert (file.stat().st_mode & 0o077) == 0


def test_an_idle_connection_that_is_gone_is_made_anew(
    postgres_server: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with open_database(tmp_path, postgres_server) as database:
        with database.reading() as connection:
            mine = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
        with database.reading() as connection:  # in use all the time: the same, and nobody asks
            assert connection.execute(text("SELECT pg_backend_pid()")).scalar_one() == mine
        _end(postgres_server, mine)
        monkeypatch.setattr(engines, "_IDLE_SECONDS", 0.0)
        with database.reading() as connection:
            assert connection.execute(text("SELECT pg_backend_pid()")).scalar_one() != mine


def _end(server: str, backend: int) -> None:
    """End a connection from the server's side, as a restart of the server does."""
    other = create_engine(server.replace("postgresql://", "postgresql+psycopg://"))
    with other.connect() as connection:
        assert connection.execute(text("SELECT pg_terminate_backend(:pid, 60000)"), {"pid": backend}).scalar_one()
    other.dispose()
