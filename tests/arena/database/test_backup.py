"""A backup is one moment of a running site, checked before it is restored, on either kind of database."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import tracemalloc
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, insert, select

from duologue.arena.database.backup import back_up, restore
from duologue.arena.database.blobs import Blobs
from duologue.arena.database.tables import nonces
from duologue.arena.storage import open_database
from duologue.arena.talks import rooms
from duologue.core.errors import FormatError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlalchemy import Connection

    from duologue.arena.database.database import Database


def _add(database: Database, name: str) -> None:
    def action(connection: Connection) -> None:
        connection.execute(insert(nonces).values(nonce=name, result={"中": [1, None]}, answered_at=7))

    database.write(action)


def _rows(database: Database) -> list[tuple[object, ...]]:
    with database.reading() as connection:
        return [tuple(row) for row in connection.execute(select(nonces).order_by(nonces.c.nonce))]


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(tmp_path / "site" / "files")


def test_a_backup_restores_rows_and_files_into_an_empty_site(
    database: Database, blobs: Blobs, tmp_path: Path, opened: Callable[[str | None], Database]
) -> None:
    for number in range(1_200):
        _add(database, f"n{number}")
    name = blobs.put(b"a file")
    backup = back_up(database, blobs, tmp_path / "backup.zip")
    assert (backup.rows, backup.files) == (1_200, 1)
    assert ((tmp_path / "backup.zip").stat().st_mode & 0o077) == 0
    other, files = opened(f"sqlite:///{tmp_path / 'other.db'}"), Blobs(tmp_path / "other")
    assert restore(tmp_path / "backup.zip", other, files) == backup
    assert _rows(other) == _rows(database)
    assert files.read(name) == b"a file"
    assert back_up(other, files, tmp_path / "again.zip").tables == backup.tables


def test_a_backup_of_sqlite_restores_into_postgresql(
    blobs: Blobs, tmp_path: Path, postgres: str, opened: Callable[[str | None], Database]
) -> None:
    first, second = opened(None), opened(postgres)
    _add(first, "a")
    back_up(first, blobs, tmp_path / "backup.zip")
    restore(tmp_path / "backup.zip", second, Blobs(tmp_path / "other"))
    assert _rows(second) == _rows(first)


def test_a_backup_holds_one_moment_while_others_write(database: Database, blobs: Blobs, tmp_path: Path) -> None:
    stop = threading.Event()
    written = 0

    def writing() -> None:
        nonlocal written
        while not stop.is_set():
            _add(database, f"{written:06}")
            written += 1

    thread = threading.Thread(target=writing)
    thread.start()
    try:
        backups = [back_up(database, blobs, tmp_path / f"{number}.zip") for number in range(5)]
    finally:
        stop.set()
        thread.join()
    for number, backup in enumerate(backups):
        with zipfile.ZipFile(tmp_path / f"{number}.zip") as archive:
            lines = archive.read("tables/nonces.jsonl").splitlines()
        assert [json.loads(line)["nonce"] for line in lines] == [f"{one:06}" for one in range(backup.rows)]
    assert backups[-1].rows <= written


def test_a_site_with_rows_is_not_restored_over(database: Database, blobs: Blobs, tmp_path: Path) -> None:
    _add(database, "a")
    back_up(database, blobs, tmp_path / "backup.zip")
    with pytest.raises(StorageError, match="1 rows in nonces"):
        restore(tmp_path / "backup.zip", database, blobs)
    assert len(_rows(database)) == 1


def _changed(source: Path, out: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = change(name, old.read(name))
            if data is not None:
                new.writestr(name, data)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda name, data: None if name == "manifest.json" else data, "has no manifest"),
        (lambda name, data: b"{}" if name == "manifest.json" else data, "cannot be read"),
        (lambda name, data: data.replace(b'"format":1', b'"format":9'), "another version"),
        (lambda name, data: data.replace(b'"nonces":', b'"elsewhere":'), "another version"),
        (lambda name, data: data.replace(b'"answered_at":7', b'"answered_at":8'), "other rows of nonces"),
        (lambda name, data: None if name.startswith("tables/nonces") else data, "lacks tables/nonces"),
        (lambda name, data: None if name.startswith("files/") else data, "0 kept files"),
        (lambda name, data: data + b"!" if name.startswith("files/") else data, "other bytes"),
    ],
)
def test_what_was_changed_is_refused_whole(
    change: Callable[[str, bytes], bytes | None], message: str, blobs: Blobs, tmp_path: Path
) -> None:
    with open_database(tmp_path, durable=False) as database:
        _add(database, "a")
        blobs.put(b"a file")
        back_up(database, blobs, tmp_path / "backup.zip")
    _changed(tmp_path / "backup.zip", tmp_path / "changed.zip", change)
    files = Blobs(tmp_path / "other-files")
    with open_database(tmp_path / "other", durable=False) as other:
        with pytest.raises(FormatError, match=message):
            restore(tmp_path / "changed.zip", other, files)
        with other.reading() as connection:
            assert connection.execute(select(func.count()).select_from(nonces)).scalar_one() == 0
    assert list(files.names()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"answered_at": "monday"}, "nonces, row 1: answered_at: expected milliseconds since 1970"),
        ({"answered_at": 10**30}, "nonces, row 1: answered_at: expected milliseconds since 1970"),
        ({"nonce": None}, "nonces, row 1: nonce: expected a value, found none"),
        ({"nonce": ["a"]}, "nonces, row 1: nonce: expected a text"),
        ({"more": 1}, "other columns than this version knows: more"),
        ([], "tables/nonces.jsonl, line 1: Expected `object`"),
        ("[" * 5_000, "tables/nonces.jsonl, line 1: "),
        (None, "rows that contradict each other"),
    ],
)
def test_rows_that_no_site_writes_are_told_and_nothing_stays(
    row: Any, message: str, blobs: Blobs, tmp_path: Path
) -> None:
    """Their hashes are right: somebody has made the backup by hand."""
    with open_database(tmp_path, durable=False) as database:
        blobs.put(b"a file")
        back_up(database, blobs, tmp_path / "backup.zip")
    sound = {"nonce": "a", "result": None, "answered_at": 7}
    rows = [sound, sound] if row is None else [sound | row if isinstance(row, dict) else row]
    lines = "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in rows).encode()

    def change(name: str, data: bytes) -> bytes:
        if name == "manifest.json":
            told = json.loads(data)
            told["tables"]["nonces"] = {"rows": len(rows), "sha256": hashlib.sha256(lines).hexdigest()}
            return json.dumps(told).encode()
        return lines if name == "tables/nonces.jsonl" else data

    _changed(tmp_path / "backup.zip", tmp_path / "changed.zip", change)
    files = Blobs(tmp_path / "other-files")
    with open_database(tmp_path / "other", durable=False) as other:
        with pytest.raises((FormatError, StorageError)) as told:
            restore(tmp_path / "changed.zip", other, files)
        assert message in str(told.value)
        assert _rows(other) == []
    assert list(files.names()) == []


def test_a_backup_of_an_older_version_gets_the_columns_that_came_since(
    database: Database, blobs: Blobs, tmp_path: Path, opened: Callable[[str | None], Database]
) -> None:
    room = database.write(
        lambda c: rooms.open_room(c, title="T", task="restaurant", system="solver", settings=["a=1"], now=1)
    )
    back_up(database, blobs, tmp_path / "backup.zip")
    rows: dict[str, bytes] = {}

    def older(name: str, data: bytes) -> bytes | None:
        if name == "tables/talk_rooms.jsonl":
            row = json.loads(data)
            assert row.pop("settings") == ["a=1"]
            rows["talk_rooms"] = data = json.dumps(row).encode() + b"\n"
        if name == "tables/open_links.jsonl":
            return None
        if name == "manifest.json":
            told = json.loads(data)
            told["tables"]["talk_rooms"]["sha256"] = hashlib.sha256(rows["talk_rooms"]).hexdigest()
            del told["tables"]["open_links"]
            return json.dumps(told).encode()
        return data

    _changed(tmp_path / "backup.zip", tmp_path / "older.zip", older)
    other = opened(f"sqlite:///{tmp_path / 'other.db'}")
    restore(tmp_path / "older.zip", other, Blobs(tmp_path / "other"))
    with other.reading() as connection:
        found = rooms.find_room(connection, room)
    assert found is not None
    assert (found.title, found.settings) == ("T", ())


def test_a_file_that_is_no_backup_is_refused(tmp_path: Path, blobs: Blobs) -> None:
    (tmp_path / "x.zip").write_bytes(b"nothing")
    with open_database(tmp_path, durable=False) as database, pytest.raises(FormatError, match="cannot be read"):
        restore(tmp_path / "x.zip", database, blobs)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damage_that_the_libraries_see_first_is_told_whatever_it_is_packed_with(
    method: int, tmp_path: Path, blobs: Blobs
) -> None:
    path = tmp_path / "backup.zip"
    with open_database(tmp_path, durable=False) as database:
        _add(database, "a")
        back_up(database, blobs, path)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(tmp_path / "packed.zip", "w", method) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
        places = [info.header_offset + 30 + len(info.filename) for info in new.infolist() if info.file_size]
    whole = (tmp_path / "packed.zip").read_bytes()
    with open_database(tmp_path / "other", durable=False) as other:
        for place in places:
            for change in (bytes(12), b"\xff" * 12):
                path.write_bytes(whole[:place] + change + whole[place + len(change) :])
                with pytest.raises((FormatError, StorageError)) as told:
                    restore(path, other, blobs)
                assert "None" not in str(told.value)


@pytest.mark.parametrize("part", ["file", "table"])
def test_a_backup_that_swells_is_refused_before_any_of_it_is_held(
    database: Database, blobs: Blobs, tmp_path: Path, opened: Callable[[str | None], Database], part: str
) -> None:
    back_up(database, blobs, tmp_path / "backup.zip")
    bomb = b" " * (4 << 20)
    sha256 = hashlib.sha256(bomb).hexdigest()
    with (
        zipfile.ZipFile(tmp_path / "backup.zip") as old,
        zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as new,
    ):
        manifest = json.loads(old.read("manifest.json"))
        if part == "file":
            manifest["files"] = 1
            new.writestr(f"files/{sha256}", bomb)
        else:
            manifest["tables"]["nonces"]["sha256"] = sha256
        for name in old.namelist():
            content = bomb if part == "table" and name == "tables/nonces.jsonl" else old.read(name)
            new.writestr(name, json.dumps(manifest) if name == "manifest.json" else content)
    other = opened(f"sqlite:///{tmp_path / 'other.db'}")
    with pytest.raises(FormatError, match=r"the backup unpacks to more than 1 MiB and over 100 times its packed size"):
        restore(tmp_path / "bomb.zip", other, Blobs(tmp_path / "other"))
    assert not _rows(other)


def test_a_large_kept_file_is_not_held_when_it_is_restored(
    database: Database, blobs: Blobs, tmp_path: Path, opened: Callable[[str | None], Database]
) -> None:
    name = blobs.put(os.urandom(24 << 20))
    back_up(database, blobs, tmp_path / "backup.zip")
    other, files = opened(f"sqlite:///{tmp_path / 'other.db'}"), Blobs(tmp_path / "other")
    tracemalloc.start()
    try:
        restore(tmp_path / "backup.zip", other, files)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 12 << 20
    assert files.path(name).read_bytes() == blobs.path(name).read_bytes()


@pytest.mark.parametrize("when", [0, 5e9])
def test_a_kept_file_may_be_of_any_time(
    database: Database, blobs: Blobs, tmp_path: Path, opened: Callable[[str | None], Database], when: float
) -> None:
    name = blobs.put(b"a file")
    os.utime(blobs.path(name), (when, when))
    backup = back_up(database, blobs, tmp_path / "backup.zip")
    other, files = opened(f"sqlite:///{tmp_path / 'other.db'}"), Blobs(tmp_path / "other")
    assert restore(tmp_path / "backup.zip", other, files) == backup
    assert files.read(name) == b"a file"


def test_a_kept_file_that_was_changed_is_told_before_a_backup_is_needed(
    database: Database, blobs: Blobs, tmp_path: Path
) -> None:
    blobs.path(blobs.put(b"a file")).write_bytes(b"a fils")
    with pytest.raises(StorageError, match=r"the kept file .* is damaged: its bytes are not those it was named by"):
        back_up(database, blobs, tmp_path / "backup.zip")
    assert sorted(one.name for one in tmp_path.iterdir() if "backup" in one.name) == []
