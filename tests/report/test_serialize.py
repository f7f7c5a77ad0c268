"""The object that `--json` prints."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import msgspec

from duologue.report import to_json

if TYPE_CHECKING:
    from tests.report.conftest import MakeReport


def test_the_object_has_exactly_the_promised_keys(make_report: MakeReport) -> None:
    found = to_json(make_report(wrong=10))
    assert list(found) == ["task", "variant", "n", "scores", "signature", "external"]
    assert list(found["scores"]) == ["p@1", "p@2", "p@5", "mrr"]
    assert all(list(score) == ["value", "low", "high"] for score in found["scores"].values())


def test_fractions_are_not_rounded(make_report: MakeReport) -> None:
    report = make_report(wrong=1, n=3)
    assert to_json(report)["scores"]["p@1"]["value"] == 2 / 3
    assert json.loads(json.dumps(to_json(report)))["scores"]["p@1"]["value"] == 2 / 3


def test_system_training_data_and_slices_are_added_when_known(make_report: MakeReport) -> None:
    found = to_json(make_report("parrot", seen="nothing", slices=True))
    assert (found["system"], found["seen"]) == ("parrot", "nothing")
    assert [(part["by"], part["value"], part["n"]) for part in found["slices"]] == [
        ("answer-type", "api_call", 50),
        ("answer-type", "question", 50),
    ]
    assert found["slices"][0]["scores"]["p@1"]["value"] == 1


def test_what_is_not_a_number_becomes_null(make_report: MakeReport) -> None:
    report = make_report()
    empty = msgspec.structs.replace(
        report, scores=(msgspec.structs.replace(report.scores[0], value=math.nan, low=None, high=None),)
    )
    assert (
        json.dumps(to_json(empty)["scores"], allow_nan=False) == '{"p@1": {"value": null, "low": null, "high": null}}'
    )
