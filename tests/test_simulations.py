"""The simulations of `benchmarks/statistics.py`: quick ones, and that its name harms nobody."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def simulations(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return pytest.importorskip("simulations")


@pytest.mark.slow
def test_the_verbs_agree_on_random_pairs_of_systems(simulations: Any) -> None:
    (cell,) = simulations.agreement(60)
    assert (cell.found, cell.missed) == (0, False)


def test_a_figure_that_is_not_what_it_must_be_is_marked(simulations: Any) -> None:
    cell = simulations.Cell("coverage", "somewhere", 0.9, 0.93, 0.97)
    assert cell.missed
    assert "0.9 **missed** | 0.93 to 0.97" in simulations.page([cell], 7)


def test_the_coverage_of_hits_is_computed_and_not_drawn(simulations: Any) -> None:
    data = pytest.importorskip("simulated_data")
    for dialogues, items, alike in ((20, 1, 0.0), (10, 5, 0.2)):
        found = simulations.exact_coverage(dialogues, items, 0.97, alike)
        drawn = simulations.covered(simulations.P1, data.hits(dialogues, items, 0.97, alike), 0.97, 400)
        assert found == pytest.approx(drawn, abs=0.04)
    possible = simulations.possible_coverage(20, 0.97)
    assert possible[0] <= 0.95 <= possible[1]


def test_all_that_may_come_out_is_looked_at_once(simulations: Any) -> None:
    made = list(simulations.outcomes(4, 3, 0.7, 0.2))
    assert sum(chance for chance, _ in made) == pytest.approx(1)
    seen = [(rows[:, 1].sum(), (rows[:, 1] ** 2).sum()) for _, rows in made]
    assert len(set(seen)) == len(seen)
    mean = sum(chance * rows[:, 1].sum() for chance, rows in made) / 12
    square = sum(chance * rows[:, 1].sum() ** 2 for chance, rows in made) / 12
    assert (mean, square - 12 * mean**2) == pytest.approx((0.7, 0.21 * (1 + 2 * 0.2)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["edge", "off the edge"])
def test_the_intervals_of_shares_hold_in_every_cell(simulations: Any, kind: str) -> None:
    cells = list(simulations.coverage_at_the_edge(1) if kind == "edge" else simulations.coverage_of_shares())
    assert len(cells) == {"edge": 13, "off the edge": 20}[kind]
    assert [cell.what for cell in cells if cell.missed] == []


def test_made_up_systems_have_the_scores_they_are_said_to_have(simulations: Any) -> None:
    rng = np.random.default_rng(1)
    totals = sum(simulations.rivals(50, 5, 0.6, 0.2, 3, gain=0.1)(rng).sum(axis=1) for _ in range(400))
    assert (totals[:, 1] / totals[:, 0]).tolist() == pytest.approx([0.6, 0.6, 0.7], abs=0.01)


def test_a_script_beside_it_gets_the_standard_librarys_statistics() -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import statistics; print(statistics.median([3, 1, 2]))"
    done = subprocess.run([sys.executable, "-c", code, BENCHMARKS], capture_output=True, text=True, check=True)
    assert done.stdout == "2\n"
