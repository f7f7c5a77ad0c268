"""Every value that is read is of its column's type, or told as damage with table, column and what was found."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import ValidationError
from sqlalchemy import Boolean, LargeBinary, create_engine, insert, select, text

from duologue.arena.database.column_types import Read
from duologue.arena.database.tables import metadata
from duologue.arena.people.people import list_people
from duologue.core.errors import RequestError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.arena.database.database import Database


@pytest.mark.parametrize(
    ("table", "column", "value", "told"),
    [
        ("people", "name", "x'ff00'", r"people.name: expected a text, found b'\xff\x00'"),
        ("people", "created_at", "'monday'", "people.created_at: expected milliseconds since 1970"),
        ("people", "created_at", "9007199254740993", "before the year 10000, found 9007199254740993"),
        ("people", "created_at", "-1", "before the year 10000, found -1"),
        ("open_links", "most", "0.5", "open_links.most: expected a whole number, found 0.5"),
        (
            "annotation_projects",
            "overlap",
            "9e999",
            "overlap: expected a share from 0 to 1, found inf",
        ),
        ("annotation_projects", "unassisted", "1e308", "expected a share from 0 to 1, found 1e+308"),
        ("annotation_projects", "lease_ms", "'x'", "annotation_projects.lease_ms: expected a whole number, found 'x'"),
    ],
)
def test_a_value_that_nobody_wrote_is_told(
    opened: Callable[[str | None], Database], table: str, column: str, value: str, told: str
) -> None:
    database = opened(None)
    rows: dict[str, dict[str, Any]] = {
        "people": {"id": "1", "name": "Ann", "language": "en", "created_at": 1},
        "open_links": {
            "id": "1", "hash": "h", "kind": "track", "subject": "s", "most": 1, "created_at": 1, "expires_at": 2,
        },
        "annotation_projects": {
            "id": "1", "name": "calls", "task": "t", "overlap": 0.5, "annotators": 2, "unassisted": 0, "lease_ms": 1,
            "seed": 1, "created_at": 1,
        },
    }  # fmt: skip
    kept = metadata.tables[table]
    database.write(lambda connection: connection.execute(insert(kept).values(rows[table])).rowcount)
    with database.reading() as connection:
        assert dict(connection.execute(select(kept)).mappings().one()).items() >= rows[table].items()
    changed = text(f"UPDATE {table} SET {column} = {value}")  # the test's own words
    database.write(lambda connection: connection.execute(changed).rowcount)
    with pytest.raises(StorageError) as damaged, database.reading() as connection:
        connection.execute(select(kept)).all()
    assert told in str(damaged.value)
    assert "is damaged" in str(damaged.value)


def test_what_is_not_there_is_read_as_such(database: Database) -> None:
    with database.reading() as connection:
        assert list_people(connection) == []
        assert connection.execute(text("SELECT 1")).scalar_one() == 1


def test_all_columns_are_of_these_types() -> None:
    """One that is not would give whatever SQLite keeps in it; a flag is what Python makes of it."""
    others = [
        f"{table.name}.{one.name}"
        for table in metadata.sorted_tables
        for one in table.columns
        if not isinstance(one.type, Read | Boolean | LargeBinary)
    ]
    assert others == []


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("'null'", r"audit_log.detail: Expected `object`, got `null`"),
        ("'{'", "audit_log.detail: Expecting property name"),
        ("5", "audit_log.detail: Expected `object`, got `int`"),
        ('\'{"a": "\\uD800"}\'', "surrogates not allowed"),
        ("x'ff00'", "audit_log.detail: "),
        ("'" + "[" * 900 + "]" * 900 + "'", "audit_log.detail: "),
        ("'" + "[" * 9000 + "]" * 9000 + "'", "audit_log.detail: "),
    ],
)
def test_json_that_is_not_of_its_columns_type_is_told(
    opened: Callable[[str | None], Database], value: str, told: str
) -> None:
    database = opened(None)
    kept = metadata.tables["audit_log"]
    row = {"id": "1", "at": 1, "action": "a", "about": "", "detail": {"n": [1, None]}}
    database.write(lambda connection: connection.execute(insert(kept).values(row)).rowcount)
    with database.reading() as connection:
        assert connection.execute(select(kept.c.detail)).scalar_one() == {"n": [1, None]}
    database.write(
        lambda connection: connection.execute(text(f"UPDATE audit_log SET detail = {value}")).rowcount
    )  # the test's own words
    with pytest.raises(StorageError) as damaged, database.reading() as connection:
        connection.execute(select(kept)).all()
    assert told in str(damaged.value)


def test_json_with_half_a_character_is_refused_when_it_is_written(opened: Callable[[str | None], Database]) -> None:
    database, kept = opened(None), metadata.tables["audit_log"]
    row = {"id": "1", "at": 1, "action": "a", "about": "", "detail": {"n": "\U0001f468\u200d"}}
    database.write(lambda connection: connection.execute(insert(kept).values(row)).rowcount)
    with database.reading() as connection:
        assert connection.execute(select(kept.c.detail)).scalar_one() == row["detail"]
    row |= {"id": "2", "detail": {"n": ["\ud800"]}}
    with pytest.raises(RequestError, match="half a character"):
        database.write(lambda connection: connection.execute(insert(kept).values(row)).rowcount)


ODD_VALUES = (
    b"\xff\x00", "", "x", "\x00", "\ufffd", "9" * 400, "null", "{", "[]", "{}", "[null]", "[" * 50_000, '{"": 1e999}',
    '"\\ud800"', 0, -1, 2, 0.5, math.inf, -math.inf, 2**53 + 1, -(2**63), 2**63 - 1,
)  # fmt: skip
"""What SQLite may hold in any column, whatever it was declared as."""


def test_every_column_gives_a_value_of_its_type_or_says_what_is_damaged() -> None:
    """In place of a sweep of all commands over all columns: whatever else came out was a fault somewhere else."""
    dialect = create_engine("sqlite://").dialect
    looked_at, told = 0, []
    for column in (one for table in metadata.sorted_tables for one in table.columns):
        if not isinstance(column.type, Read):
            continue
        process = column.type.dialect_impl(dialect).result_processor(dialect, None)
        assert process is not None
        for value in ODD_VALUES:
            looked_at += 1
            try:
                read = process(value)
            except ValidationError as error:
                told.append((f"{column.table.name}.{column.name}: ", str(error)))
            else:
                assert column.type.trouble(read) == ""
    assert looked_at > 4_000
    assert [error for place, error in told if not error.startswith(place)] == []
