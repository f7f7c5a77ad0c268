from __future__ import annotations

import numpy as np
import pytest
import torch

from duologue.challenges.restaurant.systems.memory_network.network import (
    MemoryNetwork,
    MemoryRow,
    MemorySize,
    collate,
)
from duologue.models.weights import first_weights

TABLE = [[4], [5, 6], [7], [], [8, 9, 9]]
SIZE = MemorySize(vocabulary=10, width=4, hops=2, memories=3)


def row(query: int, memories: list[tuple[int, int, int]], candidates: list[int]) -> MemoryRow:
    return MemoryRow(query, np.array(memories, np.int32).reshape(-1, 3), np.array(candidates, np.int32), 0)


ROWS = [row(0, [(1, 2, 2), (4, 1, 1)], [2, 4, 1]), row(3, [], [0, 2])]


def network(seed: int = 1) -> MemoryNetwork:
    with first_weights(seed):
        return MemoryNetwork(SIZE)


def test_scores_are_the_product_with_the_query_after_its_hops() -> None:
    """Written out by hand for the first row."""
    model = network()
    a, w, r = model.turns.weight, model.replies.weight, model.turned.weight
    memories = torch.stack(
        [
            a[5] + a[6] + model.speakers.weight[2] + model.ages.weight[2],
            a[8] + 2 * a[9] + model.speakers.weight[1] + model.ages.weight[1],
        ]
    )
    query = a[4]
    for _ in range(SIZE.hops):
        query = query + r @ ((memories @ query).softmax(0) @ memories)
    expected = [(query @ w[words].sum(0)).item() for words in ([7], [8, 9, 9], [5, 6])]
    assert model(collate(ROWS, TABLE))[0].tolist() == pytest.approx(expected, abs=1e-6)


def test_a_row_without_memories_is_scored_by_its_query_alone() -> None:
    scored = network()(collate(ROWS, TABLE))
    assert scored[1, :2].tolist() == [0.0, 0.0]  # the query is empty, too
    assert scored[1, 2] < -1e8


def test_the_score_of_a_row_does_not_depend_on_its_batch() -> None:
    model = network(2)
    together = model(collate(ROWS, TABLE))[0]
    assert model(collate(ROWS[:1], TABLE))[0].tolist() == pytest.approx(together.tolist(), abs=1e-6)
