"""Golden cases of the spoken challenge: every option of the metrics, and the published baseline's own code."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from duologue.core.records import Scoring
from golden.cases import BLEU, EXACT, Case, files_below, near, put, read, report_on, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from golden.cases import Differences

OPTIONS: dict[str, dict[str, str]] = {
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
NAMES = {
    "bleu1": "bleu-1",
    "bleu2": "bleu-2",
    "distinct1": "distinct-1",
    "distinct2": "distinct-2",
    "generation_f1": "generation-f1",
    "score": "total",
}


def find(golden: Path) -> Iterator[Case]:
    """Yield two cases per file with `gold`, `prediction` and `expected`: all options, and the baseline's own code."""
    for path in files_below(golden, "*.json"):
        case = read(path)
        if isinstance(case, dict) and {"gold", "prediction", "expected"} <= case.keys():
            yield Case("scores", path.stem, partial(_scores, case))
            if "baseline_selection_code" in case:
                yield Case("baseline selection", path.stem, partial(_baseline, case))


def _found(case: dict[str, Any], scratch: Path, how: Scoring) -> dict[str, float]:
    gold, pred = put(scratch / "gold.json", case["gold"]), put(scratch / "result.json", case["prediction"])
    return values_of(report_on("spoken", [gold], pred, how))


def _scores(case: dict[str, Any], scratch: Path) -> Differences:
    differences = []
    default = {name: one["value"] for name, one in case["expected"]["default"].items()}
    for option in dict.fromkeys((*OPTIONS, *case["expected"])):
        if option not in OPTIONS:
            differences.append(f"{option}: an option that is not known here")
            continue
        expected = default | {name: one["value"] for name, one in case["expected"].get(option, {}).items()}
        found = _found(case, scratch, Scoring(variant="strict", options=OPTIONS[option], partial=True))
        for name, value in expected.items():
            tolerance = BLEU if name in {"bleu1", "bleu2", "score"} else EXACT
            differences += near(f"{option}, {name}", found.get(NAMES.get(name, name)), value, tolerance)
    return differences


def _baseline(case: dict[str, Any], scratch: Path) -> Differences:
    found = _found(case, scratch, Scoring(variant="official"))
    wanted = case["baseline_selection_code"].items()
    return [difference for name, value in wanted for difference in near(name, found.get(name), value)]
