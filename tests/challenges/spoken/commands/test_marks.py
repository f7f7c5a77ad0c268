from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from click.testing import CliRunner
from tests.challenges.spoken.worlds import WORLD

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.simulator.exam import make_exam, write_key
from duologue.cli.main import cli
from duologue.core.errors import FormatError, UsageError
from duologue.core.result_note import provenance_path

if TYPE_CHECKING:
    from pathlib import Path


def test_missing_answers_are_wrong_and_a_broken_file_is_refused(tmp_path: Path) -> None:
    write_key(make_exam(WORLD, 1, part="test", seed=1), tmp_path / "key.json")
    result = tmp_path / "result.json"
    result.write_text('{"count-0": {"message": "我不知道。"}}', encoding="utf-8")
    told = CliRunner().invoke(cli, ["data", "marks", str(tmp_path), "--pred", str(result)])
    assert told.exit_code == 0, told.output
    assert "0.0 %  (0 of 9)" in told.output
    result.write_text('{"count-0": {}}', encoding="utf-8")
    refused = CliRunner().invoke(cli, ["data", "marks", str(tmp_path), "--pred", str(result)])
    assert isinstance(refused.exception, FormatError)


def test_the_truth_is_not_marked_and_a_copy_of_it_is_doubted(tmp_path: Path) -> None:
    questions = make_exam(WORLD, 1, part="test", seed=1)
    write_key(questions, tmp_path / "key.json")
    gold, copy = tmp_path / "gold.json", tmp_path / "copy.json"
    files.write_gold([question.example() for question in questions], gold)
    refused = CliRunner().invoke(cli, ["data", "marks", str(tmp_path), "--pred", str(gold)])
    assert isinstance(refused.exception, UsageError)
    assert "is the truth itself" in str(refused.exception)
    copy.write_bytes(gold.read_bytes())
    told = CliRunner().invoke(cli, ["data", "marks", str(tmp_path), "--pred", str(copy)])
    assert "the result has the very bytes of the truth" in told.stderr
    assert "100.0 %  (9 of 9)" in told.stdout


def test_a_run_that_is_fully_right_is_not_doubted(tmp_path: Path) -> None:
    """The note that `run` writes beside its result tells it from a copy of the truth."""
    questions = make_exam(WORLD, 1, part="test", seed=1)
    write_key(questions, tmp_path / "key.json")
    gold, result, note = tmp_path / "gold.json", tmp_path / "result.json", provenance_path(tmp_path / "result.json")
    files.write_gold([question.example() for question in questions], gold)
    result.write_bytes(gold.read_bytes())
    note.write_text(f'result_hash = "{hashlib.sha256(result.read_bytes()).hexdigest()}"\n', encoding="utf-8")
    told = CliRunner().invoke(cli, ["data", "marks", str(tmp_path), "--pred", str(result)])
    assert told.exit_code == 0, told.output
    assert not told.stderr
    for other in ('result_hash = "0"\n', "no note"):
        note.write_text(other, encoding="utf-8")
        told = CliRunner().invoke(cli, ["data", "marks", str(tmp_path), "--pred", str(result)])
        assert "the result has the very bytes of the truth" in told.stderr
