from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.annotation.adjudication import adjudicate
from duologue.arena.annotation.progress import progress_of
from duologue.arena.annotation.projects import add_members, members
from duologue.arena.annotation.sheets import all_work
from tests.arena.annotation.calls import rows
from tests.arena.annotation.test_adjudication import two_opinions

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.database.database import Database


def test_progress_counts_dialogues_and_people(database: Database, tmp_path: Path) -> None:
    made = two_opinions(database, tmp_path)
    add_members(database, made, ["cleo"], "adjudicator")
    adjudicate(database, made, rows(3)[2]["id"], "cleo")
    with database.reading() as connection:
        found = progress_of(all_work(connection, made), members(connection, made))
    assert (found.dialogues, found.finished, found.begun, found.adjudicated) == (3, 3, 0, 0)
    assert [(one.person, one.role, one.done, one.open) for one in found.people] == [
        ("cleo", "adjudicator", 0, 1),
        ("anna", "annotator", 3, 0),
        ("ben", "annotator", 3, 0),
    ]
