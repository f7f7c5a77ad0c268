from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml
from tests.exports.conftest import read_elsewhere

from duologue.core.errors import UsageError
from duologue.exports.hugging_face import to_hugging_face

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Report
    from duologue.exports.hub import ExportDetails


def test_the_figures_are_equal_and_say_what_they_mean(report: Report, details: ExportDetails, tmp_path: Path) -> None:
    text = to_hugging_face([report], details)
    assert str(tmp_path) not in text
    found = yaml.safe_load(text)
    assert (found["language"], found["license"]) == (["en"], "apache-2.0")
    (model,) = found["model-index"]
    (result,) = model["results"]
    assert model["name"] == "bot"
    assert result["dataset"] == {
        "type": "restaurant",
        "name": "restaurant: tst1",
        "split": "test",
        "revision": "ab" * 32,
    }
    for told, score in zip(result["metrics"], report.scores, strict=True):
        assert (told["type"], told["value"]) == (score.name, score.value)
        assert (told["args"]["low"], told["args"]["high"]) == (score.low, score.high)
        assert (told["args"]["n"], told["args"]["seen"]) == (report.n, report.seen)
        assert told["args"]["signature"] == str(score.signature)


def test_reports_of_two_systems_are_no_one_card(make_report: Any, details: ExportDetails) -> None:
    with pytest.raises(UsageError, match="several systems"):
        to_hugging_face([make_report("a"), make_report("b")], details)
    with pytest.raises(UsageError, match="scored alike"):
        to_hugging_face([make_report("a"), make_report("a")], details)
    two = yaml.safe_load(to_hugging_face([make_report("a"), make_report("a", test_set="tst2")], details))
    assert [one["dataset"]["name"] for one in two["model-index"][0]["results"]] == ["toy: tst1", "toy: tst2"]


READ = """
import yaml
from huggingface_hub import ModelCardData
found = yaml.safe_load(open(sys.argv[1], encoding="utf-8"))
card = ModelCardData(**found, ignore_metadata_errors=False)
results = [(one.metric_type, one.metric_value, one.metric_args) for one in card.eval_results]
told = [[name, value, args["low"], args["high"]] for name, value, args in results]
assert yaml.safe_load(card.to_yaml())["model-index"] == found["model-index"]
print(json.dumps(told))
"""


@pytest.mark.slow
def test_the_hub_reads_it(report: Report, details: ExportDetails, tmp_path: Path) -> None:
    path = tmp_path / "card.yaml"
    path.write_text(to_hugging_face([report], details), encoding="utf-8")
    found = read_elsewhere("huggingface_hub", READ, path)
    assert found == [[one.name, one.value, one.low, one.high] for one in report.scores]
