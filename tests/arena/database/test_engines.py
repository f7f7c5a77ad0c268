"""SQLite and PostgreSQL by address, nothing else, and no password in a message."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from duologue.arena.database.database import Database
from duologue.arena.database.engines import make_engines, parse_url
from duologue.core.errors import StorageError, UsageError


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
