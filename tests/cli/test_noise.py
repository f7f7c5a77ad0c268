"""`noise` and `robustness` through the installed command, on the small files of `tests/golden/spoken`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SPOKEN = Path(__file__).resolve().parents[1] / "golden" / "spoken"
VALID, TEST, KG = (SPOKEN / name for name in ("small-valid.json", "small-test.json", "small-kg.json"))


def test_noise_is_laid_on_a_file_and_the_seed_decides(duologue: Any, tmp_path: Path) -> None:
    for name, seed in (("a.json", 1), ("b.json.gz", 1), ("c.json", 2)):
        words = ("--regime", "test", "--seed", seed, "--strength", 3, "--out", tmp_path / name)
        done = duologue("data", "noise", "spoken", TEST, *words)
        assert done.code == 0, done.err
        assert "utterances changed" in done.out
    again = tmp_path / "again.json"
    more = ("--regime", "test", "--strength", 3, "--out", again)
    assert duologue("data", "noise", "spoken", tmp_path / "b.json.gz", *more).code == 0
    assert (tmp_path / "a.json").read_bytes() != (tmp_path / "c.json").read_bytes()
    assert (
        json.loads((tmp_path / "a.json").read_text(encoding="utf-8")).keys()
        == json.loads(TEST.read_text(encoding="utf-8")).keys()
    )


def test_an_unknown_regime_or_a_task_without_noise_is_a_usage_error(duologue: Any, tmp_path: Path) -> None:
    wrong = duologue("data", "noise", "spoken", "--regime", "tset", TEST, "--out", tmp_path / "out.json")
    assert (wrong.code, "did you mean 'test'" in wrong.err) == (2, True)
    other = duologue("data", "noise", "restaurant", "--regime", "test", TEST, "--out", tmp_path / "out.json")
    assert (other.code, "has no noise" in other.err) == (2, True)


def test_systems_are_scored_clean_and_under_noise(duologue: Any, tmp_path: Path) -> None:
    words = ("robustness", "spoken", "--system", "reader", "--gold", VALID, "--kg", KG, "--strengths", "0,2")
    plugin = {"PYTHONPATH": str(SPOKEN / "plugin")}
    done = duologue(*words, "--out", tmp_path / "noise.html", "--json", **plugin)
    assert done.code == 0, done.err
    rows = json.loads(done.out)
    assert [(row["system"], row["strength"]) for row in rows] == [("reader", 0), ("reader", 2)]
    assert "polyline" in (tmp_path / "noise.html").read_text(encoding="utf-8")
    reports = sorted((tmp_path / "noise.reports").rglob("*.report.json"))
    assert [one.parent.name for one in reports] == ["noise-0", "noise-2"]
    for report in reports:
        again = duologue("verify", report, "--gold", VALID, **plugin)
        assert (again.code, "equal" in again.out) == (0, True), again.out + again.err
    forged = reports[1].read_text(encoding="utf-8").replace('"n":', '"n":1', 1)
    reports[1].write_text(forged, encoding="utf-8")
    assert duologue("verify", reports[1], "--gold", VALID, **plugin).code == 1
    wrong = duologue(*words[:-1], "0,much", "--out", tmp_path / "x.html", **plugin)
    assert (wrong.code, "expected numbers" in wrong.err) == (2, True)


def test_a_number_that_is_none_is_refused_before_anything_is_read(duologue: Any, tmp_path: Path) -> None:
    done = duologue("noise", "spoken", "--regime", "test", "--strength", "nan", TEST, tmp_path / "n.json")
    assert done.code == 2
    assert "nan is no number" in done.err
    assert not (tmp_path / "n.json").exists()
