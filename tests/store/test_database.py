from __future__ import annotations

import sqlite3
from contextlib import closing
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from tests.full_disk import files_up_to

from duologue.core.errors import FormatError, NoSpaceError, StorageError
from duologue.store.database import SqliteDatabase, is_database

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = "CREATE TABLE notes (text TEXT)"


def opened(path: Path, *, writable: bool = True, durable: bool = True) -> SqliteDatabase:
    return SqliteDatabase(path, schema=SCHEMA, version=3, writable=writable, durable=durable)


def notes(base: SqliteDatabase) -> list[str]:
    return [text for (text,) in base.connection.execute("SELECT text FROM notes")]


def stopped_while_writing(base: SqliteDatabase) -> None:
    with base.writing() as connection:
        connection.execute("INSERT INTO notes VALUES ('lost')")
        raise KeyboardInterrupt


def test_a_transaction_is_whole_or_absent(tmp_path: Path) -> None:
    base = opened(tmp_path / "deep" / "a.sqlite")
    with base.writing() as connection:
        connection.execute("INSERT INTO notes VALUES ('kept')")
    with pytest.raises(KeyboardInterrupt):
        stopped_while_writing(base)
    assert notes(base) == ["kept"]
    base.close()
    assert is_database(tmp_path / "deep" / "a.sqlite")


def test_a_second_writer_waits_and_a_reader_does_not(tmp_path: Path) -> None:
    first, second = opened(tmp_path / "a.sqlite"), opened(tmp_path / "a.sqlite", writable=False)
    with first.writing() as connection:
        connection.execute("INSERT INTO notes VALUES ('x')")
        assert notes(second) == []
    assert notes(second) == ["x"]
    third = opened(tmp_path / "a.sqlite")
    third.connection.execute("PRAGMA busy_timeout = 10")
    with first.writing(), pytest.raises(StorageError, match="another program holds it"), third.writing():
        pass
    for base in (first, second, third):
        base.close()


def test_what_is_read_only_is_read_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no store"):
        opened(tmp_path / "none.sqlite", writable=False)
    assert not (tmp_path / "none.sqlite").exists()
    opened(tmp_path / "a.sqlite").close()
    base = opened(tmp_path / "a.sqlite", writable=False)
    with pytest.raises(StorageError, match="read-only"), base.writing() as connection:
        connection.execute("INSERT INTO notes VALUES ('x')")
    base.close()
    assert [path.name for path in tmp_path.iterdir()] == ["a.sqlite"]  # no log, nor its index


def test_damage_that_a_message_quotes_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    opened(path).close()
    whole = path.read_bytes()
    assert b"tablenotesnotes" in whole
    path.write_bytes(whole.replace(b"tablenotesnotes", b"tablen\x82tesnotes").replace(b"CREATE TABLE", b"CRXATE TABLE"))
    for writable in (True, False):
        with pytest.raises(FormatError, match="store-damaged"):
            opened(path, writable=writable)


def test_other_versions_and_other_files_are_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "newer.sqlite") as connection:
        connection.execute("PRAGMA user_version = 9")
    connection.close()
    with pytest.raises(FormatError, match="version 9"):
        opened(tmp_path / "newer.sqlite")
    (tmp_path / "text.sqlite").write_text("no database at all, and long enough to be looked at" * 50)
    with pytest.raises(FormatError, match="store-damaged"):
        opened(tmp_path / "text.sqlite")
    with pytest.raises(StorageError):
        opened(tmp_path / "text.sqlite" / "below.sqlite")
    assert not is_database(tmp_path)
    assert not is_database(tmp_path / "text.sqlite")


@pytest.mark.parametrize(
    ("made", "what"),
    [
        (
            "VIEW more AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n",
            "'more' is a view",
        ),
        ("VIRTUAL TABLE more USING fts5(text)", "'more' is a table that is no part of a store"),
        ("TRIGGER more AFTER INSERT ON notes BEGIN DELETE FROM notes; END", "'more' is a trigger"),
    ],
)
def test_what_would_compute_on_its_own_is_refused(tmp_path: Path, made: str, what: str) -> None:
    path = tmp_path / "a.sqlite"
    opened(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE {made}")
        connection.commit()
    for writable in (True, False):
        with pytest.raises(FormatError, match=what):
            opened(path, writable=writable)


def test_many_that_come_at_once_make_one_database(tmp_path: Path) -> None:
    failed: list[BaseException] = []

    def come() -> None:
        try:
            base = opened(tmp_path / "a.sqlite")
            with base.writing() as connection:
                connection.execute("INSERT INTO notes VALUES ('x')")
            base.close()
        except BaseException as error:  # noqa: BLE001  # whatever it is, the test is to see it
            failed.append(error)

    threads = [Thread(target=come) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    base = opened(tmp_path / "a.sqlite", writable=False)
    assert notes(base) == ["x"] * 12
    base.close()


def note(base: SqliteDatabase, text: str) -> None:
    with base.writing() as connection:
        connection.execute("INSERT INTO notes VALUES (?)", (text,))


def test_a_full_database_says_what_to_do_and_goes_on_when_there_is_space(tmp_path: Path) -> None:
    with closing(opened(tmp_path / "a.sqlite")) as base:
        base.connection.execute("PRAGMA max_page_count = 10")
        with pytest.raises(NoSpaceError, match=r"a\.sqlite: no space left on the disk.*; free some"):
            note(base, "x" * 100_000)
        base.connection.execute("PRAGMA max_page_count = 1000")
        note(base, "kept")
        assert notes(base) == ["kept"]


def test_a_commit_that_the_disk_refuses_leaves_no_transaction_open(tmp_path: Path) -> None:
    """The next one was refused: a transaction within a transaction."""
    with closing(opened(tmp_path / "a.sqlite")) as base:
        with (
            files_up_to(50_000),
            pytest.raises(StorageError, match="the disk fails, is full, or allows no larger file"),
        ):
            note(base, "x" * 100_000)
        note(base, "kept")
        assert notes(base) == ["kept"]
