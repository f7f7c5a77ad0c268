"""Rows become the same lines, and the same rows again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from sqlalchemy import Column, ForeignKey, Integer, LargeBinary, MetaData, Table, Text, insert, select

from duologue.arena.database.rows import read_rows, write_rows
from duologue.core.errors import StorageError

if TYPE_CHECKING:
    from duologue.arena.database.database import Database

_METADATA = MetaData()
_TREE = Table(
    "tree",
    _METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", Text),
    Column("data", LargeBinary),
    Column("parent", ForeignKey("tree.id")),
)


def test_rows_that_name_later_rows_and_bytes_come_back(database: Database) -> None:
    with database.write_engine.begin() as connection:
        _METADATA.create_all(connection)
        connection.execute(
            insert(_TREE),
            [{"id": number, "name": f"n{number}", "data": None} for number in range(2_500)],
        )
        connection.execute(_TREE.update().where(_TREE.c.id == 0).values(parent=2_499, data=b"\x00\xff"))
        lines = [msgspec.json.encode(row) for row in read_rows(connection, _TREE)]
        connection.execute(_TREE.delete())
        assert write_rows(connection, _TREE, map(msgspec.json.decode, lines)) == 2_500
        assert [msgspec.json.encode(row) for row in read_rows(connection, _TREE)] == lines
        first = connection.execute(select(_TREE).where(_TREE.c.id == 0)).one()
        assert (first.parent, first.data) == (2_499, b"\x00\xff")


def test_a_row_with_other_columns_is_refused(database: Database) -> None:
    with database.write_engine.begin() as connection:
        _METADATA.create_all(connection)
        with pytest.raises(StorageError, match="other columns than this version knows: odd, parent"):
            write_rows(connection, _TREE, iter([{"id": 1, "name": "", "data": None, "odd": 1}]))
