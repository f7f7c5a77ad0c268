from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.arena.annotation.projects import (
    add_members,
    dialogues_in,
    find_project,
    import_dialogues,
    list_projects,
    members,
    new_project,
    projects_of,
)
from duologue.arena.annotation.sheets import all_work
from duologue.core.errors import UsageError
from duologue.core.records import Turn
from tests.arena.annotation.calls import TASK, bare_rows, project, read, rows, write

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.database.database import Database


def test_shares_hold_for_all_dialogues_however_they_come_in(database: Database, tmp_path: Path) -> None:
    made = new_project(database, "calls", TASK, overlap=0.25, unassisted=0.1)
    given = bare_rows(rows(20))
    path = tmp_path / "part.json"
    for start in range(0, 20, 3):
        write(given[start : start + 3], path)
        import_dialogues(database, made, read(path))
    again = import_dialogues(database, made, read(path))
    assert again == (0, 2)
    with database.reading() as connection:
        work = all_work(connection, made)
        assert dialogues_in(connection, made) == 20
    assert [one.name for one in work] == [row["id"] for row in given]
    assert sum(one.wanted == 2 for one in work) == 5
    assert sum(one.control for one in work) == 2


def test_half_a_character_is_told_with_its_dialogue(database: Database, tmp_path: Path) -> None:
    made = project(database, tmp_path, 2)
    (given,) = read(write(bare_rows(rows(3))[2:], tmp_path / "third.json"))
    broken = msgspec.structs.replace(given, turns=(Turn(speaker="user", text="a\ud800"),))
    with pytest.raises(UsageError, match=rf"dialogue '{given.id}' holds \\ud800, half of a character"):
        import_dialogues(database, made, [broken])


def test_a_known_dialogue_with_other_words_is_refused(database: Database, tmp_path: Path) -> None:
    made = project(database, tmp_path, 2)
    row = bare_rows(rows(1))[0]
    row["content"][0]["[SPEAKER 1]"] += "吗"
    with pytest.raises(UsageError, match="given twice with different words"):
        import_dialogues(database, made, read(write([row], tmp_path / "other.json")))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"name": "Calls"}, "no name of a project"),
        ({"overlap": 1.5}, "shares are from 0 to 1"),
        ({"annotators": 1}, "two annotators"),
        ({"task": "restaurant"}, "no layers that people annotate"),
        ({"lease_minutes": 1e14}, "at most 527,040, a year"),
        ({"lease_minutes": float("nan")}, "at most 527,040, a year"),
    ],
)
def test_odd_projects_are_refused(database: Database, options: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        new_project(database, **{"name": "calls", "task": TASK, **options})
    with database.reading() as connection:
        assert list_projects(connection) == []


def test_a_project_is_found_by_its_name_alone(database: Database) -> None:
    made = new_project(database, "calls", TASK)
    with pytest.raises(UsageError, match="there is a project 'calls' already"):
        new_project(database, "calls", TASK)
    with database.reading() as connection:
        assert find_project(connection, "calls") == made
        with pytest.raises(UsageError, match="did you mean 'calls'"):
            find_project(connection, "call")


def test_whoever_gets_another_part_has_this_one_alone(database: Database) -> None:
    made = new_project(database, "calls", TASK)
    add_members(database, made, ["anna", "ben", "anna"], "annotator")
    add_members(database, made, ["ben"], "adjudicator")
    with pytest.raises(UsageError, match="no part"):
        add_members(database, made, ["ben"], "king")
    with database.reading() as connection:
        assert members(connection, made) == {"anna": "annotator", "ben": "adjudicator"}
        assert projects_of(connection, "ben") == [made]
        assert projects_of(connection, "eve") == []


@pytest.mark.parametrize("minutes", [0, -1, 1e10, float("inf"), float("nan")])
def test_a_lease_ends_before_the_calendar_does(database: Database, minutes: float) -> None:
    with pytest.raises(UsageError, match=r"more than 0 minutes|at most 527,040, a year"):
        new_project(database, "calls", TASK, lease_minutes=minutes)
    assert new_project(database, "calls", TASK, lease_minutes=527_040).lease_ms == 60_000 * 527_040
