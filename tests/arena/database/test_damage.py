"""Rows that contradict each other are told; sound ones are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import create_engine, text

from duologue.arena.database.damage import contradiction

if TYPE_CHECKING:
    from pathlib import Path


def test_rows_that_contradict_each_other_are_told(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'a.db'}")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE team (id TEXT PRIMARY KEY)"))
        connection.execute(text("CREATE TABLE entry (team TEXT REFERENCES team(id), size INTEGER CHECK (size > 0))"))
        connection.execute(text("INSERT INTO team VALUES ('ours')"))
        connection.execute(text("INSERT INTO entry VALUES ('ours', 1)"))
        assert contradiction(connection) == ""
        connection.execute(text("PRAGMA ignore_check_constraints = ON"))
        connection.execute(text("INSERT INTO entry VALUES ('ours', -1)"))
        connection.execute(text("PRAGMA ignore_check_constraints = OFF"))
        assert "CHECK constraint failed" in contradiction(connection)
        connection.execute(text("INSERT INTO entry VALUES ('theirs', 2)"))
        assert contradiction(connection) == "a row of entry names one of team that is not there"
    engine.dispose()
