"""The object that `--json` prints."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.core.records import Exposure
from duologue.metrics.rank import PrecisionAt
from duologue.report import compare, comparisons_to_json, to_json
from duologue.report.comparison import widest_gaps
from duologue.report.serialize import json_number

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


def test_all_that_is_known_is_added_and_nothing_else(make_report: MakeReport) -> None:
    report = msgspec.structs.replace(
        make_report("a", wrong=10, dialogues=False),
        external=("wiki",),
        exposure=Exposure(files=("x",), samples=4, samples_seen=1),
    )
    found = to_json(report)
    assert found["caution"] == report.caution != ""
    assert found["external"] == ("wiki",)
    assert (found["exposure"]["samples_seen"], found["exposure"]["leak"]) == (1, True)
    assert found["scores"]["p@1"] == {name: getattr(report.scores[0], name) for name in ("value", "low", "high")}
    assert set(to_json(make_report())) & {"caution", "exposure", "system", "seen", "slices"} == set()


def test_a_comparison_is_written_with_every_figure(make_report: MakeReport) -> None:
    a, b = make_report("a", wrong=2), make_report("b", wrong=60)
    found = compare(a, b)
    told = comparisons_to_json(found, "p@1", widest_gaps(a, b, PrecisionAt(1), 1))
    row, one = told["comparisons"][0], found[0]
    assert row == {
        "score": "p@1",
        "a": "a",
        "b": "b",
        "n": 100,
        "value_a": 0.98,
        "value_b": 0.4,
        "better": "a",
        **{name: getattr(one.tested, name) for name in ("difference", "low", "high", "p", "p_adjusted", "detectable")},
        "family": one.family,
        "swaps": one.swaps,
        "wins": 58,
        "losses": 0,
        "ties": 42,
    }
    assert told["differ_most"] == {"score": "p@1", "items": [{"id": "tst1/0002", "a": 1.0, "b": 0.0}]}
    plain = comparisons_to_json([one._replace(win_loss=None, caution="who knows")])
    assert plain["comparisons"][0]["caution"] == "who knows"
    assert "wins" not in plain["comparisons"][0]
    assert plain["differ_most"] == {"score": "", "items": []}


@pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf])
def test_json_has_no_such_numbers(value: float | None) -> None:
    assert json_number(value) is None
    assert json_number(-1.5) == -1.5
