from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.arena.annotation.adjudication import adjudicate
from duologue.arena.annotation.export import export
from duologue.arena.annotation.items import items_of, pack
from duologue.arena.annotation.leases import next_sheet
from duologue.arena.annotation.projects import add_members, import_dialogues, new_project
from duologue.arena.annotation.sheets import record_sheet, save_sheet
from duologue.core.errors import UsageError
from tests.arena.annotation.calls import project, read, rows, write
from tests.arena.annotation.test_adjudication import two_opinions

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.database.database import Database


def test_official_bytes_go_through_a_project_unchanged(database: Database, tmp_path: Path) -> None:
    path = write(rows(5), tmp_path / "annotated.json")
    made = new_project(database, "calls", "mobilecs/extraction")
    import_dialogues(database, made, read(path))
    for one in read(path):
        record_sheet(database, made, "anna", one, items_of(one, "i", confirmed=True))
    found = export(database, made, tmp_path / "out.json")
    assert (found.single, found.written, found.disputed, found.unfinished) == (5, 5, (), ())
    assert (tmp_path / "out.json").read_bytes() == path.read_bytes()


def test_a_bare_call_that_is_annotated_is_the_official_one(database: Database, tmp_path: Path) -> None:
    made = project(database, tmp_path, 1)
    add_members(database, made, ["anna"], "annotator")
    sheet = next_sheet(database, made, "anna")
    assert sheet is not None
    path = write(rows(1), tmp_path / "annotated.json")
    truth = pack(items_of(read(path)[0], "m", confirmed=True))
    assert save_sheet(database, sheet, "anna", 0, truth, done=True)["done"]
    export(database, made, tmp_path / "out.json")
    assert [one.turns for one in read(tmp_path / "out.json")] == [one.turns for one in read(path)]


def test_what_people_differ_on_waits_for_a_third(database: Database, tmp_path: Path) -> None:
    made = two_opinions(database, tmp_path)
    names = [row["id"] for row in rows(3)]
    found = export(database, made, tmp_path / "out.json")
    assert (found.agreed, found.single, found.adjudicated) == (1, 0, 0)
    assert found.disputed == (names[1], names[2])
    assert export(database, made, tmp_path / "ben.json", person="ben").written == 3
    add_members(database, made, ["cleo"], "adjudicator")
    sheet = adjudicate(database, made, names[1], "cleo")
    truth = read(write(rows(3), tmp_path / "annotated.json"))[1]
    save_sheet(database, sheet, "cleo", 0, pack(items_of(truth, "m", confirmed=True)), done=True)
    found = export(database, made, tmp_path / "out.json")
    assert (found.agreed, found.adjudicated, found.disputed) == (1, 1, (names[2],))
    assert [one.id for one in read(tmp_path / "out.json")] == names[:2]


def test_nothing_finished_is_nothing_to_export(database: Database, tmp_path: Path) -> None:
    made = project(database, tmp_path, 1)
    with pytest.raises(UsageError, match="nothing of 'calls' is finished"):
        export(database, made, tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()
