from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest
from tests.judges.test_session import CONVERSATION, recipe

from duologue.core.errors import UsageError
from duologue.judges.session import JudgeSession
from duologue.judges.sheet import sheet_text
from duologue.ratings.files import read_ratings

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.judges.results import JudgedFiles

NOWHERE = "http://127.0.0.1:9/v1"


def test_a_sheet_that_is_filled_in_is_a_file_of_ratings(files: JudgedFiles, tmp_path: Path) -> None:
    session = JudgeSession(CONVERSATION, files, recipe(NOWHERE))
    text = sheet_text(session, 10)
    assert sheet_text(JudgeSession(CONVERSATION, files, recipe(NOWHERE)), 10) == text
    rows = list(csv.DictReader(text.splitlines()))
    for row in rows:
        item = session.systems[row["system"]][row["item"]]
        assert row["reply"] == item.reply
        assert item.sample.history[-1].text in text
    path = tmp_path / "people.csv"
    for number, row in enumerate(rows[:7]):
        row |= {"quality": str(1 + number % 5), "rater": "ann"}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    read = read_ratings(path, session.protocol)
    assert len(read.ratings) == 7
    assert not read.warnings  # of what shows people what they rate


def test_more_labels_than_answers_are_all_answers_and_pairs_have_no_sheet(files: JudgedFiles) -> None:
    session = JudgeSession(CONVERSATION, files, recipe(NOWHERE))
    assert len(list(csv.reader(sheet_text(session, 999).splitlines()))) > 24
    with pytest.raises(UsageError, match="leave --pairs out"):
        sheet_text(JudgeSession(CONVERSATION, files, recipe(NOWHERE), kind="pairs"), 10)


def test_no_cell_is_a_formula(files: JudgedFiles) -> None:
    session = JudgeSession(CONVERSATION, files, recipe(NOWHERE))
    item = session.systems["short"]["1"]
    session.systems["short"]["1"] = item._replace(reply="=1+1")
    assert "'=1+1" in sheet_text(session, 999)
