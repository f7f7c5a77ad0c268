"""What is given to others names nobody."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import JSON, CheckConstraint, Column, ForeignKey, MetaData, Table, Text, insert

from duologue.arena import anonymised_export
from duologue.arena.anonymised_export import export_anonymised, is_given, is_kept, names_person
from duologue.arena.database.tables import metadata
from duologue.arena.people.people import add_person
from duologue.arena.people.tables import people

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.database.database import Database

OURS = MetaData()
people.to_metadata(OURS)
NOTES = Table(
    "notes",
    OURS,
    Column("id", Text, primary_key=True),
    Column("person_id", Text, ForeignKey("people.id")),
    Column("text", Text, info={"personal": True, "text": True}),
    Column("answers", JSON, info={"text": True}),
    Column("nickname", Text, info={"personal": True}),
    Column("forgotten", Text),
    Column("kind", Text, CheckConstraint("kind IN ('a', 'b')", name="kind")),
)
KEYS = Table("keys", OURS, Column("id", Text, primary_key=True), Column("hash", Text, info={"secret": True}))


@pytest.fixture
def site(database: Database, monkeypatch: pytest.MonkeyPatch) -> tuple[Database, list[str]]:
    def action(connection: Any) -> list[str]:
        return [add_person(connection, name, ["volunteer"], now=5, by=None) for name in ("Ada Byron", "王小明")]

    ids = database.write(action)
    with database.write_engine.begin() as connection:
        OURS.create_all(connection)
        connection.execute(
            insert(NOTES),
            [
                {
                    "id": f"n{number}",
                    "person_id": ids[number % 2],
                    "text": "mail ada@example.org",
                    "answers": {"why": ["call 138 1234 5678", 3, None]},
                    "nickname": "Countess",
                    "forgotten": "Countess",
                    "kind": "b",
                }
                for number in range(4)
            ],
        )
        connection.execute(insert(KEYS).values(id="k", hash="deadbeef"))
    monkeypatch.setattr(anonymised_export, "metadata", OURS)
    return database, ids


def _read(path: Path) -> dict[str, list[dict[str, Any]]]:
    with zipfile.ZipFile(path) as archive:
        return {
            name.removesuffix(".jsonl"): [json.loads(line) for line in archive.read(name).splitlines()]
            for name in archive.namelist()
            if name.endswith(".jsonl")
        }


def test_names_secrets_and_personal_data_are_not_in_it(site: tuple[Database, list[str]], tmp_path: Path) -> None:
    database, ids = site
    replaced = export_anonymised(database, tmp_path / "out.zip")
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist()).decode()
    for word in ("Ada", "王小明", "ada@", "1234", "Countess", "deadbeef", *ids):
        assert word not in everything
    assert replaced.counts == {"EMAIL": 4, "PHONE": 4}
    tables = _read(tmp_path / "out.zip")
    assert set(tables) == {"people", "notes"}
    assert tables["notes"][0] == {
        "id": "n0",
        "person_id": tables["notes"][2]["person_id"],
        "text": "mail <EMAIL_1>",
        "answers": {"why": ["call <PHONE_1>", 3, None]},
        "kind": "b",
    }
    assert (
        {row["id"] for row in tables["people"]} == {row["person_id"] for row in tables["notes"]} == {"p0001", "p0002"}
    )


def test_two_exports_cannot_be_joined_by_their_pseudonyms(site: tuple[Database, list[str]], tmp_path: Path) -> None:
    database, _ = site

    def action(connection: Any) -> None:
        for number in range(30):
            add_person(connection, f"Volunteer {number}", ["volunteer"], now=5, by=None)

    database.write(action)
    found = set()
    for number in range(8):
        export_anonymised(database, tmp_path / f"{number}.zip")
        found.add(_read(tmp_path / f"{number}.zip")["notes"][0]["person_id"])
    assert len(found) > 1, "one of 32 pseudonyms eight times: once in 3e10 runs where they are drawn"


def test_only_what_is_said_to_be_given_is_given() -> None:
    assert [column.name for column in NOTES.columns if is_kept(column)] == [
        "id",
        "person_id",
        "text",
        "answers",
        "kind",
    ]
    assert [is_given(table) for table in (people, NOTES, KEYS)] == [True, True, False]
    assert [column.name for column in people.columns if is_kept(column)] == [
        "id",
        "language",
        "created_at",
        "closed_at",
    ]


def test_whoever_is_named_is_named_by_a_key_to_people() -> None:
    for table in metadata.sorted_tables:
        for column in table.columns:
            if column.name.endswith("person_id"):
                assert names_person(column), f"{table.name}.{column.name}"
