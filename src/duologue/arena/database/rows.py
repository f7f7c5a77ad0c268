"""Rows of a table as lines of JSON, and back: the same on every kind of database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import JSON, Boolean, DefaultClause, LargeBinary, insert, select, update

from duologue.arena.database.column_types import Read
from duologue.core.errors import StorageError
from duologue.core.typed import convert, decode_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Column, Connection, Table

_TOGETHER = 1_000
"""Rows held in memory at a time."""


def read_rows(connection: Connection, table: Table) -> Iterator[dict[str, Any]]:
    """Yield all rows in the order of their keys, as what JSON can hold, so that the same rows give the same bytes."""
    binary = _binary(table)
    statement = select(table).order_by(*table.primary_key.columns)
    found = connection.execute(statement, execution_options={"yield_per": _TOGETHER})
    for row in found.mappings():
        yield {
            name: msgspec.to_builtins(value) if name in binary and value is not None else value
            for name, value in row.items()
        }


def write_rows(connection: Connection, table: Table, rows: Iterator[dict[str, Any]]) -> int:
    """Insert rows as `read_rows` gave them, and return how many there were.

    What a row says of other rows of its table is written once all are there. A row of an older version lacks columns
    that have come since, and gets what the step that brought them gave. Raises `StorageError` where a row has other
    columns than the table, or a value that is not of its column's type.
    """
    binary, own, since = _binary(table), _of_own_rows(table), _come_since(table)
    columns = set(table.columns.keys())
    later: list[dict[str, Any]] = []
    batch: list[dict[str, Any]] = []
    count = 0
    for given in rows:
        row = since | given
        if set(row) != columns:
            odd = ", ".join(sorted(set(row) ^ columns))
            raise StorageError(f"a row of {table.name} has other columns than this version knows: {odd}")
        for name in binary:
            if row[name] is not None:
                row[name] = convert(row[name], bytes)
        _expect(table, row, count + 1)
        if any(row[column.name] is not None for column in own):
            later.append(row)
        batch.append(row | {column.name: None for column in own})
        count += 1
        if len(batch) == _TOGETHER:
            connection.execute(insert(table), batch)
            batch = []
    if batch:
        connection.execute(insert(table), batch)
    for row in later:
        same = (column == row[column.name] for column in table.primary_key.columns)
        connection.execute(update(table).where(*same).values({column.name: row[column.name] for column in own}))
    return count


def _expect(table: Table, row: dict[str, Any], number: int) -> None:
    """Raise `StorageError` for a value that its column does not hold."""
    for column in table.columns:
        value, trouble = row[column.name], ""
        if value is None and (column.nullable or not isinstance(column.type, JSON)):
            trouble = "" if column.nullable else "expected a value, found none"
        elif isinstance(column.type, Read):
            trouble = column.type.trouble(value)
        elif isinstance(column.type, Boolean) and not isinstance(value, bool):
            trouble = f"expected true or false, found {value!r:.60}"
        if trouble:
            raise StorageError(f"{table.name}, row {number}: {column.name}: {trouble}")


def _binary(table: Table) -> frozenset[str]:
    return frozenset(column.name for column in table.columns if isinstance(column.type, LargeBinary))


def _come_since(table: Table) -> dict[str, Any]:
    """Return what rows that were there before a column came have in it: what the database gives by itself."""
    found = {}
    for column in table.columns:
        if isinstance(default := column.server_default, DefaultClause):
            told = str(default.arg)
            found[column.name] = decode_json(told, Any) if isinstance(column.type, JSON) else told
    return found


def _of_own_rows(table: Table) -> list[Column[Any]]:
    """Return the columns that name other rows of the same table; they may be empty for a while."""
    return [column for column in table.columns if any(key.column.table is table for key in column.foreign_keys)]
