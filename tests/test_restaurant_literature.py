"""What the page of the restaurant's systems says of the baselines of the literature."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from duologue.metrics.rank import count_ranks

if TYPE_CHECKING:
    from types import ModuleType

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
ITEMS = [f"{number}" for number in range(40)]


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import restaurant_literature

    return restaurant_literature


def ranks(wrong: int) -> Any:
    return count_ranks(ITEMS, [2] * wrong + [1] * (len(ITEMS) - wrong), ks=(1,))


def test_neighbours_by_score_are_tested_and_only_what_differs_is_better(page: ModuleType) -> None:
    lines = page.tests({"A tst1": {"low": ranks(30), "high": ranks(0), "near": ranks(1)}})
    assert [line.split(" | ")[1:4] for line in lines] == [["high", "near", "2.50"], ["near", "low", "72.50"]]
    assert lines[0].endswith("| tie |")
    assert lines[1].endswith("| near |")


def test_only_simulated_sets_made_as_release_a_is_are_taken(page: ModuleType) -> None:
    from restaurant_simulated import VARIANTS, Judged

    judged = [
        Judged(variant, part, 1, "hcn", f"{part} {item}", "w", "w", rank, "")
        for rank, variant in enumerate(VARIANTS, start=1)
        for part in ("tst3", "tst4")
        for item in ITEMS
    ]
    found = page.simulated(judged, "tst4")
    assert list(found) == ["hcn"]
    assert page.cell(found["hcn"]).startswith("100.00 (")
    assert len(found["hcn"].ids) == len(ITEMS)
