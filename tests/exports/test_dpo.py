from __future__ import annotations

import csv
import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.exports.conftest import demand_schema, read_elsewhere
from tests.judges.judged_pairs import note_of_pairs

from duologue.core.errors import FormatError, UsageError
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


def test_pairs_of_which_none_could_be_read_are_refused_with_what_to_do(tmp_path: Path) -> None:
    note = note_of_pairs(tmp_path, said="both have something")
    with pytest.raises(UsageError, match=r"has 12 judged pairs, none of which could be read.*pairs\.calls\.jsonl, and"):
        to_dpo(note)


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


@pytest.mark.parametrize(("column", "value"), [(0, "elsewhere"), (1, "stranger")])
def test_judgements_of_something_else_are_refused(tmp_path: Path, column: int, value: str) -> None:
    note = note_of_pairs(tmp_path)
    ratings = tmp_path / "pairs.csv"
    lines = ratings.read_text(encoding="utf-8").splitlines()
    cells = lines[1].split(",")
    winner = cells[-1] if cells[-1] != cells[column] else value
    cells[column], cells[-1] = value, winner
    lines[1] = ",".join(cells)
    ratings.write_text("\n".join(lines) + "\n", encoding="utf-8")
    told = json.loads(note.read_bytes())
    told["ratings"]["sha256"] = hashlib.sha256(ratings.read_bytes()).hexdigest()
    note.write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(FormatError, match=rf"{value}.* is none that was judged; take ratings, note and results"):
        to_dpo(note)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"calls": []}, "calls has 0 files, expected 1"),
        ({"results": [], "systems": []}, "results has 0 files, expected 2"),
        ({"results": [], "systems": [], "kind": "points"}, "results has 0 files, expected some"),
        ({"systems": []}, "systems has 0 names, expected one for each of results"),
        ({"n": -1}, "Expected `int` >= 0 - at `\\$.n`"),
    ],
)
def test_a_note_that_contradicts_itself_is_refused(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    note = note_of_pairs(tmp_path)
    note.write_text(json.dumps({**json.loads(note.read_bytes()), **changed}), encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        to_dpo(note)


READ = """
import datasets
found = datasets.load_dataset("json", data_files=sys.argv[1], split="train", cache_dir=sys.argv[2])
print(json.dumps([found.column_names, found.to_list()]))
"""
CONVERSATIONAL = """
import datasets
from trl.data_utils import extract_prompt, is_conversational
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
assert all(is_conversational(one) and set(extract_prompt(one)) == {"prompt", "chosen", "rejected"} for one in rows)
print(len(rows))
"""


@pytest.mark.slow
def test_the_library_of_data_sets_loads_it_and_trl_takes_it_for_pairs_of_chats(tmp_path: Path) -> None:
    path, text = tmp_path / "pairs.jsonl", to_dpo(note_of_pairs(tmp_path)).text
    path.write_text(text, encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    assert read_elsewhere("datasets", READ, path, tmp_path / "cache") == [["prompt", "chosen", "rejected"], rows]
    assert read_elsewhere("trl", CONVERSATIONAL, path) == len(rows)
