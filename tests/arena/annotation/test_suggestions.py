from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.arena.annotation.sheets import all_work
from duologue.arena.annotation.suggestions import suggest_by_annotation, suggest_by_result
from duologue.core.errors import FormatError, UsageError
from duologue.core.plugins import load_task
from tests.arena.annotation.calls import TASK, project, read, rows, write

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.database.database import Database


def test_a_result_file_suggests_its_mentions_and_values(database: Database, tmp_path: Path) -> None:
    made = project(database, tmp_path, 3)
    task = load_task(TASK)
    examples = list(task.load(write(rows(2), tmp_path / "annotated.json")))
    answers = [(one.sample.id, one.references[0]) for one in examples]
    task.write(examples, answers, tmp_path / "result.json")
    found = suggest_by_result(database, made, tmp_path / "result.json")
    assert (found.dialogues, found.lacking) == (2, 1)
    assert found.items == sum(
        len(one.mentions) + len(one.values) for _, answer in answers if (one := answer.annotation)
    )
    with database.reading() as connection:
        work = all_work(connection, made)
    assert work[2].suggested is None
    assert not any(item.confirmed for one in work[:2] for item in one.suggested or ())


def test_an_annotated_file_suggests_intents_too(database: Database, tmp_path: Path) -> None:
    made = project(database, tmp_path, 2)
    found = suggest_by_annotation(database, made, write(rows(2), tmp_path / "annotated.json"))
    assert (found.dialogues, found.lacking) == (2, 0)
    with database.reading() as connection:
        assert {item.layer for item in all_work(connection, made)[0].suggested or ()} == {"mention", "value", "intent"}


def test_files_of_other_dialogues_are_refused(database: Database, tmp_path: Path) -> None:
    made = project(database, tmp_path, 2)
    other = write(rows(2, seed=9), tmp_path / "other.json")
    with pytest.raises(UsageError, match="none of the dialogues"):
        suggest_by_annotation(database, made, other)
    task = load_task(TASK)
    examples = list(task.load(other))
    task.write(examples, [(one.sample.id, one.references[0]) for one in examples], tmp_path / "result.json")
    with pytest.raises(UsageError, match="none of the dialogues"):
        suggest_by_result(database, made, tmp_path / "result.json")
    (tmp_path / "bad.json").write_text("[{}]")
    with pytest.raises(FormatError):
        suggest_by_result(database, made, tmp_path / "bad.json")
    assert read(other)
