"""Our own layers and those of torch, as `benchmarks/networks.py` puts them side by side, give the same."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from duologue.models.matmul import multiplies_bfloat16

pytestmark = pytest.mark.slow  # of a program in benchmarks/, which nobody changes by the way
_SCRIPT = Path(__file__).resolve().parents[1] / "benchmarks" / "networks.py"
_SPEC = importlib.util.spec_from_file_location("networks_beside_torch", _SCRIPT)
assert _SPEC is not None
assert _SPEC.loader is not None
networks: Any = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = networks
_SPEC.loader.exec_module(networks)

_QUICK = ("gru, triples", "gru, one row", "gru cell", "lstm, the same", "attention, a step", "encoder, the same")
_NATIVE = pytest.mark.skipif(not multiplies_bfloat16(), reason="the processor has no bfloat16: half a minute each")
_EXACT = [
    pytest.param(row, id=row.name, marks=[_NATIVE] if "bfloat16" in row.name else [])
    for row in networks.ROWS
    if row.name.startswith(_QUICK)
]


@pytest.mark.parametrize("row", _EXACT)
def test_ours_and_the_library_give_the_same_from_the_same_weights(row: Any) -> None:
    found = []
    for ours in (True, False):
        step, results = networks.made(row, ours=ours)
        step()
        found.append(list(results))
    assert networks.difference(*found) < (2e-2 if "bfloat16" in row.name else 2e-6)  # eight bits of a number


def test_a_step_has_a_time_and_a_line() -> None:
    row = next(row for row in networks.ROWS if row.name.startswith("gru cell"))
    cells = networks.measured(row, (1.0, 2.0), 1).split(" | ")
    assert cells[:4] == ["| gru cell, 32 x 192", "inference", "`cell`", "`nn.GRUCell`"]
    assert all(float(cell) > 0 for cell in cells[4:12])
