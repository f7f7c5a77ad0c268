"""The figures of `benchmarks/endpoints.py`: what is computed of told probabilities, and the page."""

from __future__ import annotations

import importlib
import math
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow  # of a program in benchmarks/, which nobody changes by the way
_BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
ORDERS = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 2, 3, 0], [0, 3, 2, 1]]


@pytest.fixture
def rankings(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(_BENCHMARKS))
    return importlib.import_module("endpoint_rankings")


@pytest.fixture
def page(rankings: Any) -> Any:
    return importlib.import_module("endpoint_page")


def told(rankings: Any, *, known: float, favour: float) -> Any:
    """Return labels of a model that knows candidate 2 by so many nats and favours the first place."""
    rows = []
    for order in ORDERS:
        weights = [math.exp(known * (one == 2) + favour * (place == 0)) for place, one in enumerate(order)]
        rows.append([weight / sum(weights) for weight in weights])
    return rankings.ToldLabels(id="a", gold=2, orders=ORDERS, chances=rows)


def test_what_a_model_knows_is_found_by_both_ways_beside_its_favour_for_a_place(rankings: Any) -> None:
    labels = [told(rankings, known=2.0, favour=3.0)] * 5
    assert rankings.told_hit(labels) == (1.0, 1.0, 1.0)
    rows = rankings.drawn_rows(labels)
    assert [row.calls for row in rows] == list(rankings.CALLS)
    assert rows[-1].hit == rows[-1].agreement == 1.0
    assert rows[-1].difference == (0.0, 0.0, 0.0)
    assert rows[0].hit < 1.0


def test_knowledge_is_added_to_the_right_candidate_alone(rankings: Any) -> None:
    (label,) = rankings.knowing([told(rankings, known=0.0, favour=1.0)], 2.0)
    before = told(rankings, known=0.0, favour=1.0)
    ratios = {
        (one, round(after / chance, 6))
        for order, row, old in zip(label.orders, label.chances, before.chances, strict=True)
        for one, after, chance in zip(order, row, old, strict=True)
    }
    assert ratios == {(0, 1.0), (1, 1.0), (3, 1.0), (2, round(math.exp(2), 6))}


def test_sections_of_other_programs_stay(page: Any, rankings: Any) -> None:
    labels = {"tiny": [told(rankings, known=1.0, favour=1.0)] * 3}
    first = page.page("", [], labels, 8)
    assert first.count("Not measured yet.") == 3
    assert "### tiny" in first
    judged = first.replace("<!-- judges: begin -->\nNot measured yet.\n", "<!-- judges: begin -->\nA table.\n")
    again = page.page(judged, [], {}, 8)
    assert again == judged
