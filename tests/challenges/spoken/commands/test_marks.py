from __future__ import annotations

from typing import TYPE_CHECKING

from click.testing import CliRunner
from tests.challenges.spoken.worlds import WORLD

from duologue.challenges.spoken.simulator.exam import make_exam, write_key
from duologue.cli.main import cli
from duologue.core.errors import FormatError

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
