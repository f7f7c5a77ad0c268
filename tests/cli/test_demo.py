"""The hard part of the demo; `make demo` in .ci/run does the whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from duologue.cli.demo import _hard, _Shell

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_the_demo_ends_with_systems_that_cannot_be_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shell, data = _Shell(), tmp_path / "data"
    shell.run("generate", "restaurant", "--part", "tst4", "--subtask", 5, "--n", 100, "--out", data)
    page = _hard(shell, data, tmp_path, seed=1)
    assert page.is_file()
    league = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    rows = {row["system"].partition(".")[0]: row for row in league["systems"]}
    assert rows.keys() == {"random", "tfidf", "ranker-20", "ranker-60-a", "ranker-60-b"}
    assert rows["ranker-60-a"]["tier"] == rows["ranker-60-b"]["tier"] == 1
    assert rows["random"]["tier"] > 1
    printed = capsys.readouterr()
    assert "95 % interval" in printed.out
    assert "tie" in printed.out
    assert "warning" not in printed.err  # nobody chose a model by the test set
