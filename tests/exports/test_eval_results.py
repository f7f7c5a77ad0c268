from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import yaml
from tests.exports.conftest import demand_schema, read_elsewhere

from duologue.core.errors import UsageError
from duologue.exports.eval_results import to_eval_results

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Report
    from duologue.exports.hub import ExportDetails


def test_each_score_is_an_entry_that_says_what_it_means(report: Report, details: ExportDetails, tmp_path: Path) -> None:
    text = to_eval_results([report], details)
    assert str(tmp_path) not in text
    found = yaml.safe_load(text)
    demand_schema("eval-results", found)
    assert [one["value"] for one in found] == [one.value for one in report.scores]
    assert len({one["dataset"]["task_id"] for one in found}) == len(found)
    for told, score in zip(found, report.scores, strict=True):
        assert (told["dataset"]["id"], told["date"]) == ("lab/bot", "2026-01-31")
        for part in (repr(score.low), repr(score.high), f"n {report.n}", report.seen, str(score.signature)):
            assert part in told["notes"]
    assert found[0]["dataset"]["task_id"] == "restaurant-tst1-p-1"


def test_a_score_without_a_value_is_left_out_and_one_without_interval_has_none(
    report: Report, details: ExportDetails
) -> None:
    nothing, bare, *others = report.scores
    scores = (
        msgspec.structs.replace(nothing, value=math.nan),
        msgspec.structs.replace(bare, low=None, high=None),
        *others,
    )
    found = yaml.safe_load(to_eval_results([msgspec.structs.replace(report, scores=scores)], details))
    demand_schema("eval-results", found)
    assert [one["value"] for one in found] == [one.value for one in scores[1:]]
    assert ["interval" in one["notes"] for one in found] == [False, *(True for _ in others)]


def test_a_file_is_of_one_system_and_one_task(make_report: Any, details: ExportDetails) -> None:
    with pytest.raises(UsageError, match="several systems"):
        to_eval_results([make_report("a"), make_report("b")], details)
    other = msgspec.structs.replace(make_report("a"), task="spoken")
    with pytest.raises(UsageError, match="of spoken and toy; export each alone"):
        to_eval_results([make_report("a"), other], details)
    nameless = yaml.safe_load(to_eval_results([make_report("a")], details._replace(name="")))
    assert {one["dataset"]["id"] for one in nameless} == {"local/toy"}


READ = """
import yaml
from huggingface_hub import eval_result_entries_to_yaml, parse_eval_result_entries
found = yaml.safe_load(open(sys.argv[1], encoding="utf-8"))
entries = parse_eval_result_entries(found)
assert eval_result_entries_to_yaml(entries) == found
print(json.dumps([[one.dataset_id, one.value] for one in entries]))
"""


@pytest.mark.slow
def test_the_hub_reads_it(report: Report, details: ExportDetails, tmp_path: Path) -> None:
    path = tmp_path / "restaurant.yaml"
    path.write_text(to_eval_results([report], details), encoding="utf-8")
    assert read_elsewhere("huggingface_hub", READ, path) == [["lab/bot", one.value] for one in report.scores]
