from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.core.errors import UsageError
from duologue.metrics.conversation_report import VARIANT, conversation_report
from duologue.metrics.formulas import Ratio

if TYPE_CHECKING:
    from duologue.core.records import Report

METRICS = (Ratio("success", "successes", "dialogues"), Ratio("calls-right", "right calls", "calls"))


def report(*counts: dict[str, int]) -> Report:
    ids = [f"d{number}" for number in range(len(counts))]
    return conversation_report(
        "echo", ids, counts, METRICS, rank_by="success", version="v1", options=("seed 1",), hashes={"goals": "ab"}
    )


def test_dialogues_are_the_items_and_what_intervals_leave_out() -> None:
    found = report(*({"dialogues": 1, "successes": n % 2, "calls": 2, "right calls": 1} for n in range(8)))
    assert (found.task, found.variant, found.n, len(set(found.groups))) == ("echo", VARIANT, 8, 8)
    assert {one.name: one.value for one in found.scores} == {"success": 0.5, "calls-right": 0.5}
    low, high = found.scores[0].low, found.scores[0].high
    assert low is not None
    assert high is not None
    assert low < 0.5 < high
    assert "seed 1" in str(found.signature)


def test_what_nothing_was_counted_of_has_no_score() -> None:
    found = report({"dialogues": 1, "successes": 1, "calls": 0, "right calls": 0})
    assert [one.name for one in found.scores] == ["success"]


def test_no_dialogues_are_refused() -> None:
    with pytest.raises(UsageError, match="no dialogues to judge"):
        report()
