"""Rows that contradict each other are told; sound ones are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, insert, text, update

import duologue.arena.storage  # noqa: F401 - every room says its tables
from duologue.arena.database.damage import _misshapen, contradiction
from duologue.arena.database.tables import metadata

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


@pytest.mark.parametrize(
    ("value", "column"), [("'monday'", "day"), ("x'00'", "name"), ("'many'", "share"), ("'{'", "held"), (2.5, "day")]
)
def test_a_value_of_another_type_is_told(tmp_path: Path, value: object, column: str) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'a.db'}")
    with engine.begin() as connection:
        connection.execute(text('CREATE TABLE "an entry" (name TEXT, day BIGINT, share FLOAT, held JSON, size BLOB)'))
        connection.execute(text("INSERT INTO \"an entry\" VALUES ('a', 1, 2, '{}', x'00'), (NULL, NULL, .5, NULL, 1)"))
        assert contradiction(connection) == ""
        connection.execute(text(f'UPDATE "an entry" SET {column} = {value} WHERE name IS NULL'))  # ours
        assert contradiction(connection).startswith("a row of an entry holds no ")
        assert contradiction(connection).endswith(f"as its {column}")
    engine.dispose()


def test_a_value_that_is_not_of_its_columns_shape_is_told(tmp_path: Path) -> None:
    kept = metadata.tables["phase_boards"]
    row = {"team": "a", "tier": 1, "rank": [1, 1], "value": 0.5, "scores": [], "slices": [], "signature": "s"}
    whole = {"n": 2, "rank_by": "p@1", "variant": "strict", "caution": "", "untested": "", "detectable": None}
    board: dict[str, object] = {**whole, "comparisons": [], "rows": [row]}
    engine = create_engine(f"sqlite:///{tmp_path / 'a.db'}")
    with engine.begin() as connection:
        kept.create(connection)
        connection.execute(text("PRAGMA foreign_keys = OFF"))
        connection.execute(insert(kept).values(track="t", phase="p", board=board, computed_at=1))
        assert _misshapen(connection) == ""
        connection.execute(update(kept).values(board={**board, "rows": [{**row, "rank": [1]}]}))
        told = _misshapen(connection)
        assert told.startswith("phase_boards.board: ")
        assert told.endswith("at `$.rows[0].rank`")
        connection.execute(update(kept).values(board={name: board[name] for name in board if name != "rank_by"}))
        assert _misshapen(connection).endswith("missing required field `rank_by`")
    engine.dispose()


def test_declared_resources_of_a_team_that_are_none_are_told(tmp_path: Path) -> None:
    kept = metadata.tables["teams"]
    engine = create_engine(f"sqlite:///{tmp_path / 'a.db'}")
    with engine.begin() as connection:
        kept.create(connection)
        connection.execute(
            insert(kept).values(id="1", track="t", name="n", state="approved", external=[], registered_at=1)
        )
        assert _misshapen(connection) == ""
        connection.execute(text("UPDATE teams SET external = 'null'"))
        assert _misshapen(connection).startswith("teams.external: ")
    engine.dispose()
