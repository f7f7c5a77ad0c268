"""The simulations of `benchmarks/ratings.py`: quick ones, and what its page says of a figure that is missed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.slow  # of a program in benchmarks/, which nobody changes by the way
_BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def simulations(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(_BENCHMARKS))
    spec = importlib.util.spec_from_file_location("simulations_of_ratings", _BENCHMARKS / "ratings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def test_every_kind_of_simulation_runs(simulations: Any) -> None:
    for simulate, places in simulations.KINDS.values():
        for cell in simulate(places[0], 3):
            assert np.isfinite(cell.found)
            assert cell.kind
            assert cell.what in places[0] or places[0] in cell.what


def test_populations_have_the_means_they_are_said_to_have(simulations: Any) -> None:
    campaign = simulations.Campaign(raters=200, items=400, per_item=5)
    table = campaign.table(1)
    found = [table.value[table.system == place].mean() for place in range(2)]
    assert found == pytest.approx(campaign.truth(), abs=0.06)
    battles = simulations.Battles(raters=300, items=900, taste=0.5, item=0.5)
    truth, ties = simulations.battle_truth(battles)
    said = battles.preferences(1)
    shares = {one.system: one.win_share.value for one in simulations.rank_by_preference(said).systems}
    assert [shares[name] for name in battles.systems] == pytest.approx(truth, abs=0.04)
    assert sum(one.outcome == "tie" for one in said) / len(said) == pytest.approx(ties, abs=0.02)
    assert truth.mean() == pytest.approx(0.5)


def test_a_figure_that_is_not_what_it_must_be_is_marked(simulations: Any) -> None:
    cells = [simulations.Cell("coverage, mean", "somewhere", 0.9, 0.93, 1.0, "note")]
    assert "| 0.900 **missed** | 0.93 to 1 | note |" in simulations.page(cells, 7)
