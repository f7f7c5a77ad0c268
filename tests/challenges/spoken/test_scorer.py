from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.spoken import scorer
from duologue.challenges.spoken.files import load, read_result, write_result
from duologue.core.errors import FormatError, UsageError
from duologue.core.records import Annotation, Answer, Example, Fact, Sample, Scoring, Submission
from duologue.metrics.counts import Counts
from duologue.metrics.significance import paired_tests

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from duologue.core.records import Report

STRICT = Scoring(variant="strict")
OPTIONS = {
    "default": {},
    "selection_corpus": {"average": "corpus"},
    "selection_empty_skip": {"empty": "skip"},
    "selection_empty_zero": {"empty": "zero"},
    "selection_gold_only": {"empty": "gold_only"},
    "selection_count_duplicates": {"duplicates": "count"},
    "selection_strict_types": {"strict_types": "true"},
    "tokens_han": {"tokens": "han"},
    "bleu_corpus": {"bleu": "corpus"},
    "bleu_add1": {"smoothing": "add1"},
    "bleu_epsilon": {"smoothing": "epsilon"},
    "f1_set": {"f1": "set"},
    "distinct_types": {"distinct": "types"},
    "distinct_once_corpus": {"scope": "corpus"},
    "distinct_types_corpus": {"distinct": "types", "scope": "corpus"},
}
"""Names of the golden cases to options."""
NAMES = {
    "precision": "precision",
    "recall": "recall",
    "f1": "f1",
    "bleu1": "bleu-1",
    "bleu2": "bleu-2",
    "distinct1": "distinct-1",
    "distinct2": "distinct-2",
    "generation_f1": "generation-f1",
    "score": "total",
}
"""Names of the golden cases to ours."""
SCORES = list(NAMES.values())


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make intervals cheap where nobody looks at them."""
    monkeypatch.setattr(scorer, "_RESAMPLES", 20)
    monkeypatch.setattr(scorer, "_SLICE_RESAMPLES", 20)


def examples_of(gold: dict[str, Any]) -> list[Example]:
    return [
        Example(
            sample=Sample(id=name, dialogue_id=name),
            references=(Answer(text=row["message"]),),
            source=row,
        )
        for name, row in gold.items()
    ]


def report_on(gold: dict[str, Any], prediction: dict[str, Any], how: Scoring = STRICT) -> Report:
    return scorer.score(examples_of(gold), Submission(rows=prediction, layout="spoken-result"), how)


def figures(report: Report) -> dict[str, float]:
    return {score.name: score.value for score in report.scores}


def with_options(**options: str) -> Scoring:
    return Scoring(variant="strict", options=options)


def attr(name: str, attribute: str, value: Any) -> dict[str, Any]:
    return {"name": name, "attrname": attribute, "attrvalue": value}


def test_every_golden_case_is_equal_under_every_option(real_data: Path, tmp_path: Path) -> None:
    cases = [json.loads(path.read_text("utf-8")) for path in sorted((real_data / "spoken" / "golden").glob("*.json"))]
    assert len(cases) >= 15
    for case in cases:
        (tmp_path / "gold.json").write_text(json.dumps(case["gold"]), "utf-8")
        (tmp_path / "result.json").write_text(json.dumps(case["prediction"]), "utf-8")
        examples, submission = load(tmp_path / "gold.json"), read_result(tmp_path / "result.json")
        default = {name: entry["value"] for name, entry in case["expected"]["default"].items()}
        assert set(case["expected"]) <= set(OPTIONS)
        for option, choice in OPTIONS.items():
            expected = default | {name: one["value"] for name, one in case["expected"].get(option, {}).items()}
            found = figures(scorer.score(examples, submission, with_options(**choice)))
            for name, value in expected.items():
                close = 1e-9 if name in {"bleu1", "bleu2", "score"} else 1e-12
                assert found[NAMES[name]] == pytest.approx(value, abs=close, rel=0), (case["case"], option, name)


def test_the_official_variant_is_the_baselines_own_scorer_of_triples(real_data: Path) -> None:
    for path in (real_data / "spoken" / "golden").glob("*.json"):
        case = json.loads(path.read_text("utf-8"))
        found = figures(report_on(case["gold"], case["prediction"], Scoring(variant="official")))
        for name, value in case["baseline_selection_code"].items():
            assert found[name] == pytest.approx(value, abs=1e-12, rel=0), case["case"]
