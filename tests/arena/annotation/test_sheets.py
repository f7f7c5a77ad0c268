from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from duologue.arena.annotation import sheets
from duologue.arena.annotation.items import items_of, pack
from duologue.arena.annotation.leases import next_sheet
from duologue.arena.annotation.projects import add_members
from duologue.arena.annotation.sheets import (
    find_sheet,
    find_version,
    list_versions,
    record_sheet,
    save_sheet,
    versions,
)
from duologue.arena.annotation.suggestions import suggest_by_annotation
from duologue.core.errors import RequestError, UsageError
from tests.arena.annotation.calls import project, read, rows, write

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.database.database import Database
    from tests.arena.conftest import Clock


def begun(database: Database, folder: Path, *, suggest: bool = False) -> tuple[str, list[dict[str, Any]]]:
    """Return a sheet of anna's and the true annotation of its dialogue."""
    made = project(database, folder, 1, unassisted=0)
    annotated = write(rows(1), folder / "annotated.json")
    if suggest:
        suggest_by_annotation(database, made, annotated)
    add_members(database, made, ["anna"], "annotator")
    sheet = next_sheet(database, made, "anna")
    assert sheet is not None
    return sheet, pack(items_of(read(annotated)[0], "m", confirmed=True))


def test_a_save_says_what_the_check_finds_beside_the_place(database: Database, tmp_path: Path) -> None:
    sheet, truth = begun(database, tmp_path)
    told = save_sheet(database, sheet, "anna", 0, truth[:1], done=True)
    assert (told["version"], told["aside"], told["done"]) == (1, False, False)
    lacking = [one for one in told["problems"] if one["rule"] == "intent-none"]
    assert lacking
    assert all(isinstance(one["turn"], int) and one["advice"] for one in lacking)
    told = save_sheet(database, sheet, "anna", 1, truth, done=True)
    assert [one for one in told["problems"] if one["severity"] == "error"] == []
    assert (told["version"], told["done"]) == (2, True)
    with database.reading() as connection:
        assert find_sheet(connection, sheet).sheet.status == "done"


def test_a_save_from_an_old_version_is_kept_beside_the_newer_one(database: Database, tmp_path: Path) -> None:
    sheet, truth = begun(database, tmp_path)
    save_sheet(database, sheet, "anna", 0, truth)
    told = save_sheet(database, sheet, "anna", 0, truth[:2], done=True)
    assert (told["version"], told["aside"], told["done"]) == (1, True, False)
    with database.reading() as connection:
        assert len(find_sheet(connection, sheet).sheet.items) == len(truth)
        kept = versions(connection, sheet)
    assert [(one.number, one.aside, len(one.items)) for one in kept] == [(2, True, 2), (1, False, len(truth))]
    again = save_sheet(database, sheet, "anna", 1, truth[:2])
    assert (again["version"], again["aside"]) == (3, False)


def test_of_saves_at_the_same_time_all_are_kept_and_one_holds(database: Database, tmp_path: Path) -> None:
    sheet, truth = begun(database, tmp_path)
    told: list[dict[str, Any]] = []
    threads = [
        threading.Thread(target=lambda n=n: told.append(save_sheet(database, sheet, "anna", 0, truth[:n])))
        for n in range(1, 9)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one["aside"] for one in told) == [False] + [True] * 7
    with database.reading() as connection:
        kept = versions(connection, sheet)
    assert sorted(len(one.items) for one in kept) == list(range(1, 9))
    assert len({one.number for one in kept}) == 8


def test_versions_are_given_a_hundred_at_a_time_and_listed_without_their_marks(
    database: Database, tmp_path: Path
) -> None:
    sheet, truth = begun(database, tmp_path)
    for number in range(103):
        save_sheet(database, sheet, "anna", number, truth[: number % 3])
    with database.reading() as connection:
        assert [one.number for one in versions(connection, sheet)] == list(range(103, 3, -1))
        assert [one.number for one in versions(connection, sheet, before=6)] == [5, 4, 1]
        listed = list_versions(connection, sheet)
        assert [(one.number, one.marks) for one in listed] == [(n, (n - 1) % 3) for n in (*range(103, 3, -1), 1)]
        last = find_version(connection, sheet, listed[-3].id)
        assert last is not None
        assert pack(last.items) == truth[:1]
        assert find_version(connection, "other", listed[-2].id) is None


def test_old_versions_are_thinned(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script, or an editor left open, filled the database: each save is kept with all its marks."""
    monkeypatch.setattr(sheets, "_THINNED", ((4, 3), (9, 6)))
    monkeypatch.setattr(sheets, "_OLDEST", 15)
    sheet, truth = begun(database, tmp_path)
    for number in range(30):
        save_sheet(database, sheet, "anna", number, truth[: number % 3])
    with database.reading() as connection:
        assert [one.number for one in list_versions(connection, sheet)] == [30, 29, 28, 27, 24, 18, 1]
    for _ in range(30):
        assert save_sheet(database, sheet, "anna", 1, truth)["aside"]
    with database.reading() as connection:
        assert [one.number for one in list_versions(connection, sheet)] == [60, 59, 58, 57, 54, 48, 30, 1]
        assert find_sheet(connection, sheet).sheet.version == 30


def test_the_same_form_sent_twice_is_one_version(database: Database, tmp_path: Path) -> None:
    sheet, truth = begun(database, tmp_path)
    first = save_sheet(database, sheet, "anna", 0, truth, nonce="form-1")
    assert save_sheet(database, sheet, "anna", 0, truth, nonce="form-1") == first
    with database.reading() as connection:
        assert len(versions(connection, sheet)) == 1


def test_what_is_suggested_is_not_finished_before_somebody_decides(database: Database, tmp_path: Path) -> None:
    sheet, truth = begun(database, tmp_path, suggest=True)
    with database.reading() as connection:
        shown = pack(find_sheet(connection, sheet).sheet.items)
    assert len(shown) == len(truth)
    told = save_sheet(database, sheet, "anna", 0, shown, done=True)
    assert (told["done"], told["undecided"]) == (False, len(shown))
    decided = [{**one, "confirmed": True} for one in shown]
    told = save_sheet(database, sheet, "anna", 1, decided, done=True)
    assert (told["done"], told["undecided"]) == (True, 0)


def test_work_counts_no_longer_than_time_has_passed(database: Database, tmp_path: Path, clock: Clock) -> None:
    sheet, truth = begun(database, tmp_path)
    clock.pass_by(seconds=60)
    save_sheet(database, sheet, "anna", 0, truth, active_ms=50_000)
    clock.pass_by(seconds=10)
    save_sheet(database, sheet, "anna", 1, truth, active_ms=999_000)
    with database.reading() as connection:
        assert find_sheet(connection, sheet).sheet.active_ms == 60_000


def test_nobody_saves_on_the_sheet_of_another(database: Database, tmp_path: Path) -> None:
    sheet, truth = begun(database, tmp_path)
    with pytest.raises(RequestError, match="somebody else"):
        save_sheet(database, sheet, "ben", 0, truth)
    with pytest.raises(UsageError, match="no sheet"):
        save_sheet(database, "nothing", "ben", 0, truth)


def test_annotation_made_elsewhere_is_taken_over_once(database: Database, tmp_path: Path) -> None:
    made = project(database, tmp_path, 2)
    first, second = read(write(rows(2), tmp_path / "annotated.json"))
    assert record_sheet(database, made, "anna", first, items_of(first, "i", confirmed=True))
    assert not record_sheet(database, made, "anna", second, []), "open, as it lacks its intents"
    with pytest.raises(UsageError, match="already"):
        record_sheet(database, made, "anna", first, [])
