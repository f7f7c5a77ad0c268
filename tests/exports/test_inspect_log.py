from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.exports.conftest import demand_schema, read_elsewhere

from duologue.core.errors import UsageError
from duologue.exports.inspect_log import log_file_name, to_inspect_log

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Report
    from duologue.exports.hub import ExportDetails


def test_the_log_keeps_the_schema_and_its_figures_are_equal(
    report: Report, details: ExportDetails, tmp_path: Path
) -> None:
    text = to_inspect_log([report], details)
    log = json.loads(text)
    demand_schema("inspect-log", log)
    assert str(tmp_path) not in text
    told = {one["name"]: {name: held["value"] for name, held in one["metrics"].items()} for one in _scores(log)}
    assert told == {one.name: {"value": one.value, "low": one.low, "high": one.high} for one in report.scores}
    assert log["eval"]["metadata"]["signature"] == str(report.signature)
    assert log["eval"]["metadata"]["seen_in_training"] == report.seen
    assert log["eval"]["metadata"]["remarks"] == ["warning: these are the bytes of truth.json [copy]"]
    ranking = next(one for one in _scores(log) if one["name"] == "p@1")
    assert [(one["value"], one["n"]) for one in ranking["metadata"]["slices"]] == [("api_call", 50), ("question", 50)]
    assert ranking["metadata"]["signature"] == str(report.scores[0].signature)


def test_samples_have_what_each_item_scores_and_their_mean_is_the_score(report: Report, details: ExportDetails) -> None:
    samples = json.loads(to_inspect_log([report], details))["samples"]
    assert [one["id"] for one in samples] == [name for name, _ in report.items]
    for score in report.scores:
        mean = math.fsum(one["scores"][score.name]["value"] for one in samples) / len(samples)
        assert mean == pytest.approx(score.value, abs=1e-12)
    assert samples[0]["metadata"] == {
        "dialogue": report.groups[0],
        "counts": dict(zip(report.columns, report.items[0][1], strict=True)),
    }


def test_a_score_without_a_value_is_left_out_and_so_are_items_that_are_not_kept(
    report: Report, details: ExportDetails
) -> None:
    nothing = msgspec.structs.replace(report.scores[0], value=math.nan, low=None)
    bare = msgspec.structs.replace(report, scores=(nothing, *report.scores[1:]), items=(), groups=(), slices=())
    log = json.loads(to_inspect_log([bare], details))
    demand_schema("inspect-log", log)
    assert log["samples"] == []
    assert len(_scores(log)) == len(report.scores) - 1


def test_a_log_is_of_one_report_and_the_same_report_is_the_same_log(report: Report, details: ExportDetails) -> None:
    assert to_inspect_log([report], details) == to_inspect_log([report], details)
    with pytest.raises(UsageError, match="2 reports are given"):
        to_inspect_log([report, report], details)


def test_a_sample_explains_its_scores_by_counts_and_empty_columns_are_not_shown(
    report: Report, details: ExportDetails
) -> None:
    log = json.loads(to_inspect_log([msgspec.structs.replace(report, external=())], details))
    demand_schema("inspect-log", log)
    held = log["samples"][0]["scores"]["p@1"]
    counts = dict(zip(report.columns, report.items[0][1], strict=True))
    assert set(held["explanation"].split(", ")) == {f"items {counts['items']:g}", f"hit@1 {counts['hit@1']:g}"}
    columns = log["eval"]["viewer"]["task_samples_view"]["columns"]
    shown = [one["id"] for one in columns if one["visible"]]
    assert shown == ["sampleId", *(f"score__{one.name}__{one.name}" for one in report.scores)]
    assert "answer" in {one["id"] for one in columns} - {*shown}
    assert log["eval"]["metadata"]["external_data"] == "none"


def test_a_log_gets_a_name_that_the_viewer_lists(report: Report, details: ExportDetails) -> None:
    name = log_file_name([report], details)
    task_id = json.loads(to_inspect_log([report], details))["eval"]["task_id"]
    assert re.fullmatch(rf"\d{{4}}-\d\d-\d\dT00-00-00\+00-00_duologue-[a-z]+_{task_id}\.json", name)
    assert name.startswith(details.date)
    with pytest.raises(UsageError, match="2 reports are given"):
        log_file_name([report, report], details)


READ = """
from inspect_ai.log import read_eval_log, list_eval_logs
log = read_eval_log(sys.argv[1])
assert log.status == "success" and len(log.samples) == 100
assert len(list_eval_logs(sys.argv[2])) == 1
header = read_eval_log(sys.argv[1], header_only=True)
assert header.samples is None
print(json.dumps({one.name: {name: held.value for name, held in one.metrics.items()} for one in log.results.scores}))
"""
BUNDLE = """
import warnings
from inspect_ai.log import bundle_log_dir
bundle_log_dir(log_dir=sys.argv[1], output_dir=sys.argv[2])
print("{}")
"""


@pytest.mark.slow
def test_inspect_reads_it_and_shows_it(report: Report, details: ExportDetails, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    path = logs / log_file_name([report], details)
    path.write_text(to_inspect_log([report], details), encoding="utf-8")
    found = read_elsewhere("inspect_ai", READ, path, logs)
    assert found == {one.name: {"value": one.value, "low": one.low, "high": one.high} for one in report.scores}
    read_elsewhere("inspect_ai", BUNDLE, logs, tmp_path / "view")
    assert (tmp_path / "view" / "index.html").is_file()


def _scores(log: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = log["results"]["scores"]
    return found
