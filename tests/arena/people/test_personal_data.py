from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import JSON, Column, ForeignKey, MetaData, Table, Text, insert, select

import duologue.arena.rooms  # noqa: F401 - every room says its tables
from duologue.arena.database.tables import metadata
from duologue.arena.people import personal_data
from duologue.arena.people.audit import audit_entries
from duologue.arena.people.links import follow_link, make_link
from duologue.arena.people.people import add_person, find_person, list_people
from duologue.arena.people.personal_data import data_of, delete_person, person_columns
from duologue.arena.people.secret import new_secret
from duologue.arena.people.tables import people, person_roles
from duologue.arena.people.tokens import make_token
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.database.database import Database


def test_every_column_that_names_a_person_says_what_becomes_of_its_rows() -> None:
    columns = [one for table in metadata.sorted_tables for one in person_columns(table)]
    unsaid = [f"{one.table.name}.{one.name}" for one in columns if one.info.get("erase") not in ("row", "keep")]
    assert unsaid == [], "give these columns by `person_column`, or with info={'erase': 'row' or 'keep'}"


def test_a_row_that_stays_does_not_refer_to_one_that_goes() -> None:
    """A kept row with a foreign key to rows that are deleted would make the database refuse the whole deletion."""
    going: set[str] = {"people"}
    for table in metadata.sorted_tables:
        if any(one.info.get("erase") in ("row", "with") for one in table.columns):
            going.add(table.name)
    wrong = [
        f"{table.name}.{one.name} -> {key.column.table.name}"
        for table in metadata.sorted_tables
        for one in table.columns
        for key in one.foreign_keys
        if key.column.table.name in going
        and one.info.get("erase") != "with"
        and not any(mine.info.get("erase") == "row" for mine in person_columns(table))
        and one not in person_columns(table)
    ]
    assert wrong == [], "say info={'erase': 'with'}: these rows go with the row that they refer to"


def test_a_persons_data_are_given_out_whole_but_for_secrets(database: Database) -> None:
    wei = database.write(lambda connection: _wei(connection, database.now()))
    with database.reading() as connection:
        found = data_of(connection, wei)
    assert set(found) == {
        "people",
        "person_roles",
        "sign_in_links",
        "sign_in_sessions",
        "access_tokens",
        "audit_log",
    }
    assert found["people"][0]["name"] == "Wei"
    assert "hash" not in str(found)


def test_a_deleted_person_leaves_a_log_without_a_name(database: Database) -> None:
    now = database.now()
    wei = database.write(lambda connection: _wei(connection, now))
    other = database.write(lambda connection: add_person(connection, "Bo", ["judge"], now=now, by=None))
    done = database.write(lambda connection: delete_person(connection, wei, now=now, by=wei))
    assert done.deleted == {"person_roles": 1, "sign_in_links": 1, "sign_in_sessions": 1, "access_tokens": 1}
    assert done.kept == {"audit_log": 1}
    with database.reading() as connection:
        assert data_of(connection, wei) == {}
        with pytest.raises(UsageError, match="no person"):
            find_person(connection, wei)
        assert sorted(one.name for one in list_people(connection)) == ["", "Bo"]
        assert find_person(connection, other).roles == ("judge",)
        assert [one.person_id for one in audit_entries(connection, action="person.delete")] == [None]
        assert "Wei" not in str([connection.execute(select(table)).all() for table in metadata.sorted_tables])


def test_an_admin_is_not_deleted(database: Database) -> None:
    now = database.now()
    ada = database.write(lambda connection: add_person(connection, "Ada", ["admin"], now=now, by=None))
    with pytest.raises(UsageError, match="admin"):
        database.write(lambda connection: delete_person(connection, ada, now=now, by=None))


def test_rows_stay_nameless_or_go_as_their_columns_say(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ratings that stay, talks that go, and turns that go with their talk."""
    other = MetaData()
    for table in (people, person_roles, metadata.tables["audit_log"]):
        table.to_metadata(other)
    ratings = Table(
        "made_ratings",
        other,
        Column("id", Text, primary_key=True),
        Column("person_id", Text, ForeignKey("people.id"), info={"erase": "keep"}),
        Column("value", Text),
        Column("remark", Text, nullable=False, info={"text": True}),
        Column("notes", JSON, nullable=False, info={"text": True}),
        Column("mail", Text, info={"personal": True}),
    )
    talks = Table(
        "made_talks",
        other,
        Column("id", Text, primary_key=True),
        Column("person_id", Text, ForeignKey("people.id"), info={"erase": "row"}),
    )
    turns = Table(
        "made_turns",
        other,
        Column("id", Text, primary_key=True),
        Column("talk_id", Text, ForeignKey("made_talks.id"), info={"erase": "with"}),
    )
    monkeypatch.setattr(personal_data, "metadata", other)
    monkeypatch.setattr(personal_data, "people", other.tables["people"])
    now = database.now()

    def make(connection: Connection) -> str:
        other.create_all(connection)
        wei, bo = (add_person(connection, name, ["judge"], now=now, by=None) for name in ("Wei", "Bo"))
        for number, who in enumerate((wei, bo)):
            kept = {"value": "3", "remark": "call me", "notes": {"a": "b"}, "mail": "a@b.c"}
            connection.execute(insert(ratings).values(id=f"r{number}", person_id=who, **kept))
            connection.execute(insert(talks).values(id=f"t{number}", person_id=who))
            connection.execute(insert(turns).values(id=f"u{number}", talk_id=f"t{number}"))
        return wei

    wei = database.write(make)
    done = database.write(lambda connection: delete_person(connection, wei, now=now, by=None))
    assert done.deleted == {"person_roles": 1, "made_talks": 1, "made_turns": 1}
    assert done.kept == {"made_ratings": 1}
    with database.reading() as connection:
        assert connection.execute(select(turns.c.id)).scalars().all() == ["u1"]
        gone, stays = connection.execute(select(ratings).order_by(ratings.c.id)).all()
        assert (gone.value, gone.remark, gone.notes, gone.mail) == ("3", "", {}, None)
        assert gone.person_id != wei
        assert stays.remark == "call me"


def _wei(connection: Connection, now: int) -> str:
    wei = add_person(connection, "Wei", ["volunteer"], now=now, by=None)
    link, session, token = new_secret(), new_secret(), new_secret()
    make_link(connection, link, wei, now=now, by=None)
    follow_link(connection, link.text, session, now=now)
    make_token(connection, token, wei, "Wei's laptop", now=now, by=None)
    return wei
