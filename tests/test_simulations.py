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


def test_the_verbs_agree_on_random_pairs_of_systems(simulations: Any) -> None:
    (cell,) = simulations.agreement(60)
    assert (cell.found, cell.missed) == (0, False)


def test_a_figure_that_is_not_what_it_must_be_is_marked(simulations: Any) -> None:
    cell = simulations.Cell("coverage", "somewhere", 0.9, 0.93, 0.97)
    assert cell.missed
    assert "0.9 **missed** | 0.93 to 0.97" in simulations.page([cell], 7)


def test_the_coverage_of_hits_is_computed_and_not_drawn(simulations: Any) -> None:
    found, possible = simulations.exact_coverage(20, 0.97)
    drawn = simulations.covered(simulations.P1, simulations.hits(20, 1, 0.97, 0.0), 0.97, 400)
    assert found == pytest.approx(drawn, abs=0.03)
    assert possible[0] <= 0.95 <= possible[1]


def test_made_up_systems_have_the_scores_they_are_said_to_have(simulations: Any) -> None:
    rng = np.random.default_rng(1)
    totals = sum(simulations.rivals(50, 5, 0.6, 0.2, 3, gain=0.1)(rng).sum(axis=1) for _ in range(400))
    assert (totals[:, 1] / totals[:, 0]).tolist() == pytest.approx([0.6, 0.6, 0.7], abs=0.01)


def test_a_script_beside_it_gets_the_standard_librarys_statistics() -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import statistics; print(statistics.median([3, 1, 2]))"
    done = subprocess.run([sys.executable, "-c", code, BENCHMARKS], capture_output=True, text=True, check=True)
    assert done.stdout == "2\n"
