from __future__ import annotations

import json
import math
import os
import shutil
import stat
from pathlib import Path

import numpy as np
import pytest

from duologue.core.errors import MissingExtraError, UsageError
from duologue.metrics.corpus_bleu import TokenizedPair
from duologue.metrics.meteor import COLUMNS, PACKAGE, VARIABLE, Meteor, count_meteor, find_meteor

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "conversation" / "official"
STATISTICS = (
    "3.0 7.0 1.0 4.0 0.0 0.0 1.0 1.0 1.0 1.0 0.0 0.0 1.0 1.0 0.0 0.0 0.0 0.0 0.0 0.0 1.0 3.0 3.0",
    "6.0 6.0 3.0 3.0 3.0 3.0 3.0 3.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 1.0 6.0 6.0",
    "4.0 4.0 0.0 0.0 2.0 2.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 1.0 2.0 2.0",
)
"""Lines of the original program: the second is a reply equal to its reference."""


def fake_java(folder: Path, script: str) -> None:
    """Put a program called `java` into a folder."""
    path = folder / "java"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty jar, and a path whose only program can be `java`."""
    path = tmp_path / "meteor-1.5.jar"
    path.touch()
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.defpath}")
    monkeypatch.setenv(VARIABLE, "")
    return path


def test_counts_total_as_the_program_evaluates_them(tmp_path: Path, jar: Path) -> None:
    fake_java(tmp_path, f"cat >/dev/null; printf '{STATISTICS[1]}\\n{STATISTICS[2]}\\n'")
    counts = count_meteor(["how may i help you ?", "a b c d"], [["how may i help you ?"], ["a b x y"]], jar)
    metric = Meteor()
    assert metric.total(counts).tolist() == pytest.approx([1.0, 0.23883483101116276], rel=1e-14)
    assert float(metric.total(counts.sum(axis=0))) == pytest.approx(0.45311072007609887, rel=1e-14)


def test_one_item_is_counted_as_among_others(tmp_path: Path, jar: Path) -> None:
    fake_java(tmp_path, f"tee {tmp_path}/heard >/dev/null; printf '{STATISTICS[2]}\\n'")
    counted = Meteor(jar).count(TokenizedPair(["a", "b", "c", "d"], [["a", "b", "x", "y"]]))
    assert (tmp_path / "heard").read_text(encoding="utf-8") == "SCORE ||| a b x y ||| a b c d\n"
    assert list(counted) == count_meteor(["a b c d"], [["a b x y"]], jar)[0].tolist()
    assert float(Meteor().total(np.array(counted))) == pytest.approx(0.23883483101116276, rel=1e-14)


@pytest.mark.parametrize(("matched", "chunks"), [("4.0 3.0", 0.0), ("3.0 3.0", 1.0), ("4.0 2.0", 1.0)])
def test_one_piece_is_no_fragment_where_it_is_the_whole_reply_and_reference(
    tmp_path: Path, jar: Path, matched: str, chunks: float
) -> None:
    line = " ".join(["4.0 3.0", *["1.0"] * 18, "1.0", matched])
    fake_java(tmp_path, f"cat >/dev/null; echo '{line}'")
    assert count_meteor(["a b c d"], [["a b c"]], jar)[0, 20] == chunks


def test_texts_go_to_the_program_one_item_per_line(tmp_path: Path, jar: Path) -> None:
    fake_java(tmp_path, f"tee {tmp_path}/heard | sed 's/.*/{STATISTICS[0]}/'")
    counts = count_meteor(["a ||| b", "", "c"], [["r 1", "r  2"], ["x"], [""]], jar)
    assert (tmp_path / "heard").read_text(encoding="utf-8").splitlines() == [
        "SCORE ||| r 1 ||| r 2 ||| a b",
        "SCORE ||| x ||| \u2603",
        "SCORE ||| \u2603 ||| c",
    ]
    assert counts[:, 0].tolist() == [3, 0, 3]
    assert counts[:, 20].tolist() == [1, 1, 1]  # one piece, but not the whole reference
    assert counts.shape == (3, len(COLUMNS))


def test_a_paraphrase_matches_other_words_of_hypothesis_and_reference() -> None:
    """Three content words of six are a paraphrase of two of four, in two pieces."""
    row = np.zeros(23)
    row[[0, 1, 16, 17, 20, 21, 22]] = 6, 4, 3, 2, 2, 3, 2
    assert (COLUMNS[16], COLUMNS[17]) == (
        "meteor hypothesis paraphrase content",
        "meteor reference paraphrase content",
    )
    assert float(Meteor().total(row)) == pytest.approx(0.3 * (1 - 0.6 * (2 / 2.5) ** 0.2), rel=1e-12)
    row[17] = 1
    fmean = 1 / (0.15 / 0.3 + 0.85 / 0.15)
    assert float(Meteor().total(row)) == pytest.approx(fmean * (1 - 0.6 * (2 / 2.5) ** 0.2), rel=1e-12)


def test_nothing_matched_is_0_and_nothing_counted_is_no_score() -> None:
    metric = Meteor()
    assert float(metric.total(np.array([2.0, 2.0, *[0.0] * 21]))) == 0
    assert math.isnan(float(metric.total(np.zeros(23))))


def test_without_the_program_there_is_a_message_and_never_a_score(tmp_path: Path, jar: Path) -> None:
    assert find_meteor() is None
    with pytest.raises(UsageError, match=VARIABLE):
        count_meteor(["a"], [["a"]])
    with pytest.raises(UsageError, match="there is no METEOR program"):
        count_meteor(["a"], [["a"]], tmp_path / "none.jar")


def test_the_environment_names_the_program(jar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(jar))
    assert find_meteor() == jar


def test_the_package_of_the_extra_is_found_where_there_is_a_java(
    tmp_path: Path, jar: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / PACKAGE / "meteor"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("raise AssertionError('it is not imported')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv(VARIABLE)
    fake_java(tmp_path, "exit 1")
    assert find_meteor() is None  # the package lacks its program
    jar.rename(package / jar.name)
    assert find_meteor() == package / jar.name
    monkeypatch.setenv(VARIABLE, "")
    assert find_meteor() is None
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("PATH", "")
    assert find_meteor() is None


def test_without_java_the_message_says_so(jar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingExtraError, match="needs Java"):
        count_meteor(["a"], [["a"]], jar)


@pytest.mark.parametrize(
    "script", ["echo broken >&2; exit 3", "cat >/dev/null; echo 'Error: x'", "cat >/dev/null; echo 1 2"]
)
def test_a_program_that_fails_is_an_error_with_its_last_words(tmp_path: Path, jar: Path, script: str) -> None:
    fake_java(tmp_path, script)
    with pytest.raises(MissingExtraError, match="it said last"):
        count_meteor(["a"], [["a"]], jar)


def test_no_item_needs_no_start(tmp_path: Path, jar: Path) -> None:
    fake_java(tmp_path, "exit 1")
    assert count_meteor([], [], jar).shape == (0, len(COLUMNS))


@pytest.mark.slow
def test_the_golden_cases_are_equal_with_the_original_program(monkeypatch: pytest.MonkeyPatch) -> None:
    if not os.environ[VARIABLE]:
        monkeypatch.delenv(VARIABLE)
    if find_meteor() is None or shutil.which("java") is None:
        pytest.skip("install duologue[meteor] and Java")
    rows = [json.loads(line) for line in (GOLDEN / "multi_reference.jsonl").read_text().splitlines()]
    expected = json.loads((GOLDEN / "multi_reference_expected.json").read_text())["coco"]
    counts = count_meteor([row["hyp"] for row in rows], [row["refs"] for row in rows])
    metric = Meteor()
    assert metric.total(counts).tolist() == pytest.approx(expected["METEOR_each"], rel=1e-12)
    assert float(metric.total(counts.sum(axis=0))) == pytest.approx(expected["METEOR"], rel=1e-12)
    pair = TokenizedPair(rows[0]["hyp"].split(), [one.split() for one in rows[0]["refs"]])
    assert metric.count(pair) == tuple(counts[0].tolist())
