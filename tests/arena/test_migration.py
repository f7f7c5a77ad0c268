"""A developer writes the next migration by one command."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import CheckConstraint, Column, MetaData, Table, Text

from duologue.arena import migration
from duologue.arena.database import schema, tables

if TYPE_CHECKING:
    from pathlib import Path


def test_the_next_step_is_written_from_the_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "migrations"
    shutil.copytree(schema.FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(schema, "FOLDER", folder)
    monkeypatch.setattr(migration, "FOLDER", folder)
    there = {path.name for path in folder.glob("versions/0*.py")}
    more = MetaData(naming_convention=tables.metadata.naming_convention)
    for table in tables.metadata.sorted_tables:
        table.to_metadata(more)
    Table("added", more, Column("id", Text, CheckConstraint("id IN ('a')", name="id"), primary_key=True))
    assert migration.main(["One table more"], more) == 0
    (written,) = {path.name for path in folder.glob("versions/0*.py")} - there
    text = (folder / "versions" / written).read_text(encoding="utf-8")
    assert written.endswith("_one_table_more.py")
    assert text.count("create_table(") == 1
    assert "'added'" in text
    assert "id IN ('a')" in text
    compile(text, written, "exec")


def test_it_says_how_it_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        migration.main([])
    assert ended.value.code == 2
    assert "usage" in capsys.readouterr().err
