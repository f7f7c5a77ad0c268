from __future__ import annotations

import numpy as np
import pytest
import torch

from duologue.challenges.proactive.systems.planner.network import (
    WordNetworkSize,
    WordRow,
    learner,
    new_network,
    probabilities,
)

SIZE = WordNetworkSize(state_words=4, reply_words=3, width=4, hidden=4)


def row(*state: int, reply: tuple[int, ...] = ()) -> WordRow:
    return WordRow(np.array(state, dtype=np.int32), np.array(reply, dtype=np.int64))


def test_equal_seeds_make_equal_weights_and_leave_other_chance_alone() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    one, other, third = (new_network(SIZE, seed).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert not torch.equal(one["words.weight"], third["words.weight"])
    assert torch.equal(torch.get_rng_state(), before)


def test_the_loss_is_the_cross_entropy_of_all_words_of_a_reply() -> None:
    network = new_network(SIZE, 1).eval()
    task = learner(network)
    rows = [row(1, 2, reply=(0, 2)), row(3, reply=(1,))]
    wanted = np.array([[1, 0, 1], [0, 1, 0]])
    chances = probabilities(network, [one.state for one in rows])
    by_hand = -np.log(np.where(wanted == 1, chances, 1 - chances)).sum() / 2
    assert float(task.loss(task.collate(rows)).detach()) == pytest.approx(by_hand, rel=1e-5)


def test_a_state_is_read_alike_alone_and_beside_longer_ones() -> None:
    network = new_network(SIZE, 1)
    alone = probabilities(network, [row(1).state])
    beside = probabilities(network, [row(1).state, row(1, 2, 3).state, row().state])
    assert beside[0] == pytest.approx(alone[0], rel=1e-5)
    assert beside.shape == (3, 3)
