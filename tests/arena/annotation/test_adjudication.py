from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.arena.annotation import sheets
from duologue.arena.annotation.adjudication import adjudicate, disputed, merge
from duologue.arena.annotation.items import AnnotationItem, items_of
from duologue.arena.annotation.projects import add_members, read_dialogue
from duologue.arena.annotation.sheets import all_work, find_sheet, record_sheet, save_sheet
from duologue.core.errors import UsageError
from tests.arena.annotation.calls import project, read, rows, write
from tests.arena.annotation.test_items import marks

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.annotation.projects import AnnotationProject
    from duologue.arena.database.database import Database
    from duologue.core.records import Dialogue


@given(marks(), st.integers(2, 4))
def test_what_all_mark_is_confirmed_and_stays_as_the_first_has_it(items: list[AnnotationItem], people: int) -> None:
    merged = merge([items] * people, "ent-")
    assert all(one.confirmed and len(one.by) == people for one in merged)
    assert sorted(str(one.content) for one in merged) == sorted(str(one.content) for one in items)
    assert len({one.id for one in merged}) == len(merged)


@given(marks(), marks())
def test_nothing_that_anybody_marked_is_lost(ours: list[AnnotationItem], theirs: list[AnnotationItem]) -> None:
    merged = merge([ours, theirs], "ent-")
    places = {one.content[:5] for one in merged}
    assert {one.content[:5] for one in (*ours, *theirs)} == places
    assert all(one.confirmed == (one.by == ("A", "B")) for one in merged)


def two_opinions(database: Database, folder: Path) -> AnnotationProject:
    """Return a project whose three calls anna and ben annotated: alike, with one difference, with three."""
    made = project(database, folder, 3)
    for number, one in enumerate(read(write(rows(3), folder / "annotated.json"))):
        items = items_of(one, "i", confirmed=True)
        record_sheet(database, made, "anna", one, items)
        first = next(item for item in items if item.layer == "intent")
        greeting = msgspec.structs.replace(first, label="其他")
        others = [greeting if item.id == first.id and number else item for item in items]
        if number == 2:
            mentions = [item for item in others if item.layer == "mention"]
            added = [
                msgspec.structs.replace(mentions[0], id=f"x{place}", start=0, end=1 + place, entity="ent-77")
                for place in range(2)
            ]
            others += added
        record_sheet(database, made, "ben", one, others)
    return made


def test_disagreements_come_first(database: Database, tmp_path: Path) -> None:
    made = two_opinions(database, tmp_path)
    names = [row["id"] for row in rows(3)]
    with database.reading() as connection:
        found = disputed(all_work(connection, made))
    assert [(one.dialogue, one.differing, one.status) for one in found] == [
        (names[2], 4, "waiting"),
        (names[1], 2, "waiting"),
        (names[0], 0, "agreed"),
    ]


def test_only_the_dialogue_that_is_adjudicated_is_read(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read by the database's one writer, for which everybody's saves wait."""
    made = two_opinions(database, tmp_path)
    add_members(database, made, ["cleo"], "adjudicator")
    seen: list[str] = []

    def counted(content: str) -> Dialogue:
        seen.append(content)
        return read_dialogue(content)

    monkeypatch.setattr(sheets, "read_dialogue", counted)
    adjudicate(database, made, rows(2)[1]["id"], "cleo")
    assert len(seen) == 1


def test_a_third_person_decides(database: Database, tmp_path: Path) -> None:
    made = two_opinions(database, tmp_path)
    name = rows(2)[1]["id"]
    add_members(database, made, ["anna", "cleo", "dora"], "adjudicator")
    with pytest.raises(UsageError, match="a third person does"):
        adjudicate(database, made, name, "anna")
    with pytest.raises(UsageError, match="does not adjudicate in"):
        adjudicate(database, made, name, "ben")
    with pytest.raises(UsageError, match="has no dialogue"):
        adjudicate(database, made, "nothing", "cleo")
    sheet = adjudicate(database, made, name, "cleo")
    assert adjudicate(database, made, name, "cleo") == sheet
    with pytest.raises(UsageError, match="by somebody else"):
        adjudicate(database, made, name, "dora")
    with database.reading() as connection:
        items = find_sheet(connection, sheet).sheet.items
    assert [one.by for one in items if not one.confirmed] == [("A",), ("B",)]
    decided = [msgspec.structs.replace(one, confirmed=True) for one in items if one.by != ("B",)]
    told = save_sheet(database, sheet, "cleo", 0, msgspec.to_builtins(decided), done=True)
    assert told["done"]
    with database.reading() as connection:
        found = disputed(all_work(connection, made))
    assert [one.status for one in found] == ["waiting", "done", "agreed"]


def test_it_takes_two_to_differ(database: Database, tmp_path: Path) -> None:
    made = project(database, tmp_path, 1)
    add_members(database, made, ["cleo"], "adjudicator")
    with pytest.raises(UsageError, match="finished by 0"):
        adjudicate(database, made, rows(1)[0]["id"], "cleo")
