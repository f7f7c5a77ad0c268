from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest
from tests.exports.conftest import demand_schema
from tests.judges.judged_pairs import note_of_pairs

from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.exports.dpo import to_dpo

if TYPE_CHECKING:
    from pathlib import Path


def test_each_line_is_a_preference_as_trl_takes_it(tmp_path: Path) -> None:
    found = to_dpo(note_of_pairs(tmp_path))
    rows = [json.loads(line) for line in found.text.splitlines()]
    for row in rows:
        demand_schema("dpo", row)
    assert (len(rows), found.pairs, found.ties, found.equal) == (8, 8, 4, 0)
    assert found.remarks() == ["8 pairs; left out: 4 ties, 0 of equal or empty replies"]


def test_the_winner_is_chosen_whoever_it_is(tmp_path: Path) -> None:
    note = note_of_pairs(tmp_path)
    rows = [json.loads(line) for line in to_dpo(note).text.splitlines()]
    said = [(row["chosen"][0]["content"], row["rejected"][0]["content"]) for row in rows]
    assert said == [("sorry", "sorry about that"), ("ok then", "ok")] * 4
    examples = list(load_task("conversation").load(tmp_path / "gold.txt"))
    assert examples[0].sample.history[-1].text in rows[0]["prompt"][0]["content"]
    assert rows[0]["prompt"][0]["content"].endswith("\nSystem:")


def test_equal_replies_are_left_out_and_counted(tmp_path: Path) -> None:
    note = note_of_pairs(tmp_path)
    ratings = tmp_path / "pairs.csv"
    rows = list(csv.reader(ratings.read_text(encoding="utf-8").splitlines()))
    told = json.loads(note.read_bytes())
    told["results"][1] = told["results"][0]
    note.write_text(json.dumps(told), encoding="utf-8")
    found = to_dpo(note)
    assert (found.pairs, found.ties, found.equal) == (0, 4, 8)
    assert len(rows) == 13


def test_points_and_missing_files_are_refused(tmp_path: Path) -> None:
    note = note_of_pairs(tmp_path)
    told = json.loads(note.read_bytes())
    note.write_text(json.dumps({**told, "kind": "points"}), encoding="utf-8")
    with pytest.raises(UsageError, match="is of points"):
        to_dpo(note)
    note.write_text(json.dumps(told), encoding="utf-8")
    (tmp_path / "long.txt").unlink()
    with pytest.raises(UsageError, match="no such file"):
        to_dpo(note)
