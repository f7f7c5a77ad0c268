"""The hard part of the demo; `make demo` in .ci/run does the whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from duologue.cli import demo
from duologue.cli.demo import _hard, _Shell

if TYPE_CHECKING:
    from pathlib import Path

    from tests.command import Command


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


def test_the_demo_empties_its_own_folder_alone(
    duologue: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def steps(out: Path, *_: object) -> None:
        (out / "data").mkdir()
        (out / "data" / "a.json").write_text("ours", "utf-8")
        (out / "report.html").write_text("ours", "utf-8")

    monkeypatch.setattr(demo, "_steps", steps)
    out, theirs = tmp_path / "demo", tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "report.html").write_text("a night's work", "utf-8")
    kept = duologue("demo", "--out", theirs)
    assert (kept.code, "holds other files" in kept.err) == (2, True), kept.err
    assert [path.read_text("utf-8") for path in theirs.iterdir()] == ["a night's work"]
    for _ in range(2):
        assert duologue("demo", "--out", out).code == 0
    for name in ("report.html", "mine.txt", "data/mine.txt"):
        path = out / name
        path.write_text("a night's work", "utf-8")
        kept = duologue("demo", "--out", out)
        assert (kept.code, f"({name})" in kept.err) == (2, True), kept.err
        assert path.read_text("utf-8") == "a night's work"
        path.unlink()
    assert duologue("demo", "--out", out).code == 0
    assert (out / "report.html").read_text("utf-8") == "ours"
