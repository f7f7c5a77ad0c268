"""`noise` and `robustness` through the command line, on the small files of `tests/golden/spoken`."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

_BOT = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    found = [
        {"label": "主套餐", "text": "青松套餐", "entity": "e", "span": {"turn": at, "start": start, "end": start + 4}}
        for at, turn in enumerate(asked["history"])
        for start in range(len(turn["text"]))
        if turn["text"].startswith("青松套餐", start)
    ]
    print(json.dumps({"id": asked["id"], "mentions": found, "values": []}), flush=True)
"""
"""Finds one name, wherever it stands."""
SPOKEN = Path(__file__).resolve().parents[1] / "golden" / "spoken"
VALID, TEST, KG = (SPOKEN / name for name in ("small-valid.json", "small-test.json", "small-kg.json"))


@pytest.mark.parametrize("task", ["restaurant", "spoken", "mobilecs/extraction", "mobilecs/dialogue"])
def test_a_file_without_utterances_is_told_of(duologue: Any, tmp_path: Path, task: str) -> None:
    pytest.importorskip("pypinyin", reason="the noise of Chinese needs the extra zh")
    empty, out = tmp_path / "empty.json", tmp_path / "noisy.json"
    empty.write_text("[]", encoding="utf-8")
    words = ("data", "noise", task, empty, "--regime", "test" if task == "spoken" else "user", "--out", out)
    done = duologue(*words)
    assert (done.code, done.out) == (0, f"0 utterances changed in {out}\n")
    assert "empty.json holds no utterance that this noise could change; is it the file that was meant?" in done.err
    assert "holds no" not in duologue(*words, "--strength", 0).err


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
    other = duologue("data", "noise", "conversation", "--regime", "test", TEST, "--out", tmp_path / "out.json")
    assert (other.code, "has no noise" in other.err) == (2, True)
    none = duologue("data", "noise", "spoken", TEST, "--out", tmp_path / "out.json")
    assert (none.code, "--regime: validation, test" in none.err) == (2, True)


def test_kinds_of_noise_are_switches_with_strengths(duologue: Any, tmp_path: Path) -> None:
    data, out = SPOKEN.parent / "restaurant" / "small-data.json", tmp_path / "out.json"
    done = duologue("data", "noise", "restaurant", data, "--kind", "fillers=2.5", "--strength", 2, "--out", out)
    assert (done.code, "3 utterances changed" in done.out) == (0, True), done.err
    assert duologue("data", "noise", "restaurant", data, "--kind", "cuts", "--kind", "cuts=2", "--out", out).code == 2


@pytest.mark.slow
def test_labels_of_noisy_calls_are_scored_where_they_are(duologue: Any, tmp_path: Path) -> None:
    calls = SPOKEN.parent / "mobilecs" / "small-dialogues.json"
    bot = tmp_path / "bot.py"
    bot.write_text(_BOT, encoding="utf-8")
    words = ("--strengths", "0,5", "--kind", "cuts", "--system", "process", "--out", tmp_path / "noise.html")
    command = f"command={shlex.join([sys.executable, str(bot)])}"
    done = duologue("robustness", "mobilecs/extraction", "--gold", calls, *words, "--set", command, "--json")
    assert done.code == 0, done.err
    clean, noisy = json.loads(done.out)
    assert noisy["noise"] == {"cuts": 1}
    assert clean["scores"] == noisy["scores"]
    assert clean["scores"]["entity-f1"] > 0
    page = (tmp_path / "noise.html").read_text(encoding="utf-8")
    assert "cuts 1: speech noise of our own, fitted to no challenge" in page
    truth = tmp_path / "noise.reports" / "truth" / "noise-5" / "1-small-dialogues.json"
    assert truth.read_bytes() != calls.read_bytes()
    report = next((tmp_path / "noise.reports").rglob("noise-5/*.report.json"))
    again = duologue("verify", report, "--gold", truth)
    assert (again.code, "equal" in again.out) == (0, True), again.out + again.err


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
