from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import msgspec
import pytest
from tests.exports.conftest import demand_schema, read_elsewhere

from duologue.core.errors import UsageError
from duologue.exports.every_eval_ever import to_every_eval_ever
from duologue.exports.hub import ExportDetails

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Report


def test_the_file_keeps_the_schema_and_its_figures_are_equal(
    report: Report, details: ExportDetails, tmp_path: Path
) -> None:
    text = to_every_eval_ever([report], details)
    found = json.loads(text)
    demand_schema("every-eval-ever", found)
    assert str(tmp_path) not in text
    whole = [(score, report.n) for score in report.scores]
    parts = [(score, part.n) for part in report.slices for score in part.scores]
    assert len(found["evaluation_results"]) == len(whole) + len(parts)
    for told, (score, n) in zip(found["evaluation_results"], [*whole, *parts], strict=True):
        assert told["score_details"]["score"] == score.value
        uncertainty = told["score_details"]["uncertainty"]
        assert uncertainty["num_samples"] == n
        assert uncertainty["confidence_interval"]["lower"] == score.low
        assert uncertainty["confidence_interval"]["upper"] == score.high
        assert told["score_details"]["details"]["signature"] == str(score.signature)
        assert (told["metric_config"]["min_score"], told["metric_config"]["max_score"]) == (0, 1)
    assert len({one["evaluation_result_id"] for one in found["evaluation_results"]}) == len(whole) + len(parts)
    assert found["model_info"]["additional_details"]["seen_in_training"] == report.seen
    assert found["source_metadata"]["evaluator_relationship"] == "first_party"


def test_what_is_no_fraction_has_no_bounds_and_what_is_no_number_is_left_out(
    report: Report, details: ExportDetails
) -> None:
    first, second, *_ = report.scores
    odd = (
        msgspec.structs.replace(first, value=9.5, low=None, high=None, percent=False, higher_is_better=False),
        msgspec.structs.replace(second, value=math.nan),
    )
    bare = msgspec.structs.replace(report, scores=odd, slices=())
    found = json.loads(to_every_eval_ever([bare], details))
    demand_schema("every-eval-ever", found)
    (told,) = found["evaluation_results"]
    assert "min_score" not in told["metric_config"]
    assert told["metric_config"]["lower_is_better"] is True
    assert told["score_details"]["uncertainty"] == {"num_samples": 100}


@pytest.mark.parametrize(("by", "wanted"), [("", "other"), ("lab", "first_party"), ("judges", "third_party")])
def test_who_ran_it_is_told_only_where_it_is_known(report: Report, by: str, wanted: str) -> None:
    found = json.loads(to_every_eval_ever([report], ExportDetails("2026-01-31", "lab/bot", by)))
    assert found["source_metadata"]["evaluator_relationship"] == wanted
    demand_schema("every-eval-ever", found)


def test_a_file_is_of_one_report(report: Report, details: ExportDetails) -> None:
    with pytest.raises(UsageError, match="export each alone"):
        to_every_eval_ever([report, report], details)


VALIDATE = """
from pathlib import Path
from every_eval_ever.validator.validation_core import validate_aggregate
told = validate_aggregate(Path(sys.argv[1]), repo_path=sys.argv[2], run_semantic_checks=True)
print(json.dumps([told.valid, [str(one) for one in [*told.errors, *told.warnings]]]))
"""


@pytest.mark.slow
def test_its_own_validator_has_nothing_to_say(report: Report, details: ExportDetails, tmp_path: Path) -> None:
    path = tmp_path / "0b0cd4b7-5f3e-4c6f-9b60-0e0f5ad7a3e1.json"
    path.write_text(to_every_eval_ever([report], details), encoding="utf-8")
    place = f"data/duologue/lab/bot/{path.name}"
    assert read_elsewhere("every_eval_ever", VALIDATE, path, place) == [True, []]
