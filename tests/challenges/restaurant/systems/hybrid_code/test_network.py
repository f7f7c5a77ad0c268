from __future__ import annotations

import numpy as np
import pytest
import torch

from duologue.challenges.restaurant.systems.hybrid_code.network import HybridCodeNetwork, HybridRow, HybridSize, collate
from duologue.models.weights import first_weights

TABLE = [[4], [5, 6], []]
SIZE = HybridSize(vocabulary=8, actions=3, fits=2, width=4, hidden=5, dropout=0.5)


def row(steps: list[int], actions: list[int], allowed: list[bool]) -> HybridRow:
    fits = np.array([(place, 1.0) for place in range(len(actions))], np.float32)
    return HybridRow(np.array(steps, np.int32), np.array(actions, np.int32), fits, np.array(allowed), 0)


ROWS = [row([0, 1, 2], [1, 1, 2], [True, True, True]), row([1], [0, 2], [True, False])]


def network() -> HybridCodeNetwork:
    with first_weights(1):
        return HybridCodeNetwork(SIZE).eval()


def test_candidates_of_one_action_differ_by_their_entities_alone() -> None:
    model = network()
    torch.nn.init.zeros_(model.fit_of_state.weight)
    torch.nn.init.zeros_(model.fit_of_state.bias)
    scored = model(collate(ROWS, TABLE))
    assert (scored[0, 1] - scored[0, 0]).item() == pytest.approx(model.fit_of_action.weight[1, 0].item(), abs=1e-6)


def test_what_the_code_forbids_and_what_is_not_there_comes_last() -> None:
    model = network()
    free = [ROWS[0], ROWS[1]._replace(allowed=np.array([True, True]))]
    before, after = model(collate(free, TABLE)), model(collate(ROWS, TABLE))
    assert (before - after)[1, :2].tolist() == pytest.approx([0.0, 20.0], abs=1e-5)
    assert after[1, 2] < -1e8


def test_the_score_of_a_row_does_not_depend_on_its_batch() -> None:
    model = network()
    together = model(collate(ROWS, TABLE))
    assert model(collate(ROWS[1:], TABLE))[0].tolist() == pytest.approx(together[1, :2].tolist(), abs=1e-6)
