"""The page of costs: what was measured, what was not, and the material that systems are given."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from duologue.core.plugins import load_task

if TYPE_CHECKING:
    from types import ModuleType

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import system_costs

    return system_costs


def test_what_was_measured_is_a_row_and_what_was_not_is_named(program: ModuleType) -> None:
    train = {"cpu": 131.4, "mb": 1234.5, "wall": 200.0}
    figures = {"train": train, "bytes": 2_500_000, "p50": 4.26, "p95": 8.0, "n": 60, "mb": 300.0}
    text = program.page({"ranker-open": figures}, {})
    assert "| restaurant | `ranker-open` | all: the same in 601 schemas | 131 | 1,234 | 4.3 | 8.0 | 300 | 2.5 |" in text
    assert "Not measured yet: `random`, `tfidf`," in text
    assert "`hcn`, `ranker-closed`, `rule-agent`, `extractor`," in text
    assert "Not measured" not in program.page({row.name: figures for row in program.ROWS}, {})


def test_a_system_that_does_not_learn_has_no_training_and_no_model(program: ModuleType) -> None:
    text = program.page({"solver": {"p50": 0.21, "p95": 0.4, "n": 60, "mb": 90.0}}, {})
    assert "| restaurant | `solver` | nothing | - | - | 0.2 | 0.4 | 90 | - | `RESTAURANT.md` |" in text


def test_a_row_that_was_not_measured_here_stays_as_the_page_has_it(program: ModuleType) -> None:
    before = program.page({"solver": {"p50": 0.21, "p95": 0.4, "n": 60, "mb": 90.0}}, {})
    after = program.page({"random": {"p50": 0.01, "p95": 0.02, "n": 60, "mb": 80.0}}, program.earlier(before))
    assert "| restaurant | `random` | nothing | - | - | 0.0 | 0.0 | 80 | - | `RESTAURANT.md` |" in after
    assert "| restaurant | `solver` | nothing | - | - | 0.2 | 0.4 | 90 | - | `RESTAURANT.md` |" in after
    assert "Not measured yet: `tfidf`, `medoid`, `memn2n`," in after


def test_what_stands_behind_the_mark_outlives_the_next_making(
    program: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "COSTS.md"
    page.write_text(program.page({}, {}) + "\n<!-- by hand -->\n\n| a want | `solver` | 3 s |\n", "utf-8")
    monkeypatch.setattr(program, "PAGE", page)
    monkeypatch.setattr("sys.argv", ["system_costs.py", "--work", str(tmp_path / "work"), "--only", "--write"])
    assert program.main() == 0
    text = page.read_text("utf-8")
    assert text.count("| a want | `solver` | 3 s |") == 1
    assert text.endswith("<!-- by hand -->\n\n| a want | `solver` | 3 s |\n")


def test_tweets_are_asked_about_that_were_not_learned(program: ModuleType, tmp_path: Path) -> None:
    blocks = [f"U: question {number} ?\nS: answer {number} ." for number in range(1600)]
    (tmp_path / "twitter_care").mkdir()
    with gzip.open(tmp_path / "twitter_care" / "expected_dialogs.txt.gz", "wt", encoding="utf-8") as out:
        out.write("\n\n".join(blocks) + "\n\n")
    material = program.conversation(tmp_path, tmp_path)
    asked = list(load_task("conversation").load(material.samples))
    assert [one.references[0].text for one in asked[:2]] == ["answer 1540 .", "answer 1541 ."]
    assert asked[0].sample.history[-1].text == "question 1540 ?"
    learned = material.train[1].read_text(encoding="utf-8")
    assert "question 1499 ?" in learned
    assert "question 1540 ?" not in learned
