"""The script that runs all golden cases: finds them by their files, and sees what differs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

GOLDEN = Path(__file__).resolve().parent / "golden"
SCRIPT = Path(__file__).resolve().parents[1] / "benchmarks" / "parity.py"


def parity(folder: Path) -> tuple[int, list[str]]:
    here = {name: value for name, value in os.environ.items() if name != "DUOLOGUE_METEOR"}
    done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False, env=here)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout.splitlines()


def case(value: float) -> dict[str, object]:
    reply = {"message": "门票十元。", "attrs": [{"name": "园", "attrname": "门票", "attrvalue": "十元"}]}
    expected = {"default": {"precision": {"value": 1.0}, "f1": {"value": value}}}
    return {"gold": {"1": reply}, "prediction": {"1": reply}, "expected": expected}


def put(folder: Path, value: object) -> None:
    folder.mkdir(parents=True)
    (folder / "any name.json").write_text(json.dumps(value), encoding="utf-8")


def test_an_equal_case_is_counted(tmp_path: Path) -> None:
    put(tmp_path / "spoken" / "golden" / "deep" / "er", case(1.0))
    assert parity(tmp_path) == (0, ["spoken scores: equal 1 of 1", "cases 1, equal 1, differing 0"])


def test_a_case_that_differs_is_named_with_what_was_found(tmp_path: Path) -> None:
    put(tmp_path / "spoken" / "golden", case(0.5))
    code, lines = parity(tmp_path)
    assert code == 1
    assert lines[0] == "spoken scores: equal 0 of 1"
    assert "spoken scores, any name: default, f1: expected 0.5, found 1.0" in lines
    assert lines[-1] == "cases 1, equal 0, differing 1"


def test_an_official_program_that_is_not_known_is_a_difference(tmp_path: Path) -> None:
    folder = tmp_path / "restaurant" / "golden"
    folder.mkdir(parents=True)
    (folder / "case.json").write_text('{"tool": "other", "stdout": ""}', encoding="utf-8")
    code, lines = parity(tmp_path)
    assert code == 1
    assert "restaurant other, case: the official program other is not known here" in lines


def test_conversions_are_told_apart_by_what_their_files_hold(tmp_path: Path) -> None:
    folder = tmp_path / "proactive" / "golden" / "one"
    folder.mkdir(parents=True)
    row = {"goal": [["START", "甲", "乙"]], "knowledge": [["甲", "领域", "电影"], ["乙", "领域", "明星"]]}
    files: dict[str, list[dict[str, object]]] = {
        "p.d.jsonl": [{**row, "conversation": ["看 甲", "好"]}],
        "p.s.jsonl": [{**row, "history": [], "response": "看 甲"}],
        "p.t.jsonl": [{"video_topic_a": "甲", "person_topic_b": "乙"}],
        "q.d.jsonl": [{**row, "conversation": ["乙"]}],
        "q.s.jsonl": [{**row, "history": [], "response": "甲"}],
    }
    for name, rows in files.items():
        text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows)
        (folder / name).write_text(text, encoding="utf-8")
    code, lines = parity(tmp_path)
    assert lines[:2] == ["proactive sessions to samples: equal 1 of 2", "proactive samples to topics: equal 1 of 1"]
    assert lines[2].startswith("proactive sessions to samples, one, q: q.s.jsonl: line 1")
    assert code == 1


def test_a_folder_without_cases_is_no_success(tmp_path: Path) -> None:
    assert parity(tmp_path) == (1, ["cases 0, equal 0, differing 0"])


def test_no_folder_is_a_wrong_call(tmp_path: Path) -> None:
    assert parity(tmp_path / "nowhere")[0] == 2


def test_every_golden_case_of_our_own_is_equal_whatever_its_folder_is_called(tmp_path: Path) -> None:
    for challenge in ("restaurant", "proactive", "spoken", "conversation", "mobilecs"):
        shutil.copytree(GOLDEN / challenge / "official", tmp_path / challenge / "golden" / "of another name")
    code, lines = parity(tmp_path)
    assert code == 0, lines
    assert lines[-1] == "cases 220, equal 220, differing 0"
    assert "restaurant baseline_tfidf: equal 1 of 1" in lines
    assert "conversation twitter preprocessing: equal 95 of 95" in lines
    assert "conversation subtitle extraction: equal 1 of 1" in lines
    assert "conversation collection: equal 1 of 1" in lines
    assert "proactive matching text: equal 6 of 6" in lines
    assert "spoken scores: equal 15 of 15" in lines
    assert "mobilecs track 2: equal 7 of 7" in lines
    assert any(line.startswith("conversation meteor: skipped: needs the Java program") for line in lines)


@pytest.mark.real_data(twin="test_every_golden_case_of_our_own_is_equal_whatever_its_folder_is_called")
@pytest.mark.slow
def test_every_golden_case_is_equal_whatever_its_folder_is_called(real_data: Path, tmp_path: Path) -> None:
    for challenge in ("restaurant", "proactive", "spoken", "conversation", "mobilecs"):
        shutil.copytree(real_data / challenge / "golden", tmp_path / challenge / "golden")
    scoring = tmp_path / "conversation" / "golden" / "scoring"
    scoring.rename(scoring.with_name("of another name"))
    shutil.copytree(real_data / "mobilecs" / "examples", tmp_path / "mobilecs" / "examples")
    for number, path in enumerate(sorted((tmp_path / "proactive" / "golden").iterdir())):
        if path.is_dir():
            path.rename(path.with_name(f"renamed {number}"))
    for challenge in ("restaurant", "spoken"):
        for number, path in enumerate(sorted((tmp_path / challenge / "golden").glob("*.json"))):
            path.rename(path.with_name(f"case {number}.json"))
    code, lines = parity(tmp_path)
    assert code == 0, lines
    assert lines[-1] == "cases 268, equal 268, differing 0"
    assert "conversation bleu: equal 5 of 5" in lines
    assert "conversation twitter preprocessing: equal 95 of 95" in lines
    assert "conversation twitter extraction: equal 3 of 3" in lines
    assert "conversation subtitle parsing: equal 27 of 27" in lines
    assert "conversation subtitle extraction: equal 1 of 1" in lines
    assert "conversation collection: equal 1 of 1" in lines
    assert any(line.startswith("conversation meteor: skipped: needs the Java program") for line in lines)
