from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.arena.annotation.leases import give_out, next_sheet
from duologue.arena.annotation.projects import add_members
from duologue.arena.annotation.sheets import all_work, find_sheet, save_sheet
from duologue.arena.annotation.suggestions import suggest_by_annotation
from duologue.arena.people.personal_data import data_of
from duologue.core.errors import UsageError
from tests.arena.annotation.calls import project, rows, write

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.database.database import Database
    from tests.arena.conftest import Clock

HOUR = 3600


def test_everybody_gets_their_own_and_the_overlap_goes_to_two(database: Database, tmp_path: Path) -> None:
    made = project(database, tmp_path, 4, overlap=0.5)
    add_members(database, made, ["anna", "ben", "cleo"], "annotator")
    assert [give_out(database, made, person, 4) for person in ("anna", "ben", "cleo")] == [4, 2, 0]
    with database.reading() as connection:
        work = all_work(connection, made)
    assert [len(one.sheets) == one.wanted for one in work] == [True] * 4
    assert next_sheet(database, made, "cleo") is None


def test_one_goes_on_with_what_one_has(database: Database, tmp_path: Path) -> None:
    made = project(database, tmp_path, 2, overlap=0)
    add_members(database, made, ["anna"], "annotator")
    first = next_sheet(database, made, "anna")
    assert first is not None
    assert next_sheet(database, made, "anna") == first


def test_strangers_and_adjudicators_get_nothing(database: Database, tmp_path: Path) -> None:
    made = project(database, tmp_path, 2)
    add_members(database, made, ["ben"], "adjudicator")
    for person in ("anna", "ben"):
        with pytest.raises(UsageError, match="annotate assign calls --to"):
            next_sheet(database, made, person)
        with pytest.raises(UsageError, match="annotate assign calls --to"):
            give_out(database, made, person, 1)


def test_a_lease_that_ran_out_frees_its_place_and_loses_nothing(
    database: Database, tmp_path: Path, clock: Clock
) -> None:
    made = project(database, tmp_path, 1, overlap=0, lease_minutes=60)
    add_members(database, made, ["anna", "ben"], "annotator")
    first = next_sheet(database, made, "anna")
    assert first is not None
    mark = {"id": "m1", "layer": "intent", "turn": 0, "label": "问候", "confirmed": True}
    save_sheet(database, first, "anna", 0, [mark])
    clock.pass_by(seconds=HOUR - 1)
    assert next_sheet(database, made, "ben") is None
    clock.pass_by(seconds=2)
    second = next_sheet(database, made, "ben")
    assert second not in (None, first)
    assert next_sheet(database, made, "anna") == first
    with database.reading() as connection:
        assert [one.label for one in find_sheet(connection, first).sheet.items] == ["问候"]


def test_one_of_those_who_annotate_a_dialogue_of_the_control_group_sees_no_suggestions(
    database: Database, tmp_path: Path
) -> None:
    made = project(database, tmp_path, 4, overlap=0.5, unassisted=0.5)
    suggest_by_annotation(database, made, write(rows(3), tmp_path / "annotated.json"))
    people = ["anna", "ben"]
    add_members(database, made, people, "annotator")
    for person in people:
        give_out(database, made, person, 4)
    with database.reading() as connection:
        work = all_work(connection, made)
        downloaded = data_of(connection, "anna")["annotation_sheets"]
    assert not {name for one in downloaded for name in one if name.startswith("suggested")}
    assert any(one.wanted == 2 for one in work)
    for one in work[:3]:
        assert sum(not sheet.assisted for sheet in one.sheets) == one.control
        for sheet in one.sheets:
            assert sheet.items == sheet.shown == (sheet.suggested if sheet.assisted else [])
            assert sheet.suggested_by == "annotated.json"
    assert work[3].suggested is None
    assert [(sheet.assisted, sheet.suggested_by) for sheet in work[3].sheets] == [(False, None)] * work[3].wanted
