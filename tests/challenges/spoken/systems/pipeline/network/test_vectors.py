from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
import torch

from duologue.challenges.spoken.systems.pipeline.network.vectors import (
    TextPair,
    TextPairs,
    TextVectors,
    VectorSize,
    collate_texts,
    nearest,
    new_vectors,
    vector_learner,
    vectors_of,
)
from duologue.core.protocols import Run
from duologue.models.tokens import padded
from duologue.models.train import TrainConfig, train

if TYPE_CHECKING:
    from pathlib import Path

SIZE = VectorSize(vocabulary=20, width=8, dropout=0.0, temperature=0.5)
PAIRS = [TextPair([4 + at, 12], [12 + at % 6]) for at in range(8)]


def test_vectors_have_length_one_whatever_the_padding() -> None:
    model = new_vectors(SIZE, 1).eval()
    together = model.encode(padded([[4, 5, 6], [7], []]))
    assert together.shape == (3, 8)
    torch.testing.assert_close(together[:2].norm(dim=1), torch.ones(2))
    torch.testing.assert_close(together, vectors_of(model, [[4, 5, 6], [7], []]))


def test_a_vector_is_made_of_the_mean_of_its_grams() -> None:
    model = new_vectors(SIZE, 1).eval()
    mean = model.grams.weight[[4, 5, 5]].mean(0)
    wanted = torch.nn.functional.normalize(mean + torch.tanh(model.layer(mean)), dim=0)
    torch.testing.assert_close(model.encode(padded([[4, 5, 5], [6, 7, 8, 9]]))[0], wanted, rtol=0, atol=1e-6)


def test_the_loss_is_that_of_finding_the_own_partner() -> None:
    model = new_vectors(SIZE, 1).eval()
    batch = collate_texts(PAIRS[:2])
    first, second = model.cosines(batch)[0].tolist()
    wanted = -math.log(math.exp(first / 0.5) / (math.exp(first / 0.5) + math.exp(second / 0.5)))
    assert float(model(batch)[0].detach()) == pytest.approx(wanted, rel=1e-4)


def test_an_equal_partner_is_no_wrong_answer() -> None:
    model = new_vectors(SIZE, 1)
    batch = TextPairs(padded([[4], [5]]), padded([[12], [12]]))
    assert model.cosines(batch)[0, 1] == -torch.inf
    assert model(batch).tolist() == [0.0, 0.0]


def test_the_nearest_is_told_and_of_equals_the_first() -> None:
    vectors = torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    assert nearest(torch.tensor([1.0, 0.1]), vectors) == 1


def test_eight_pairs_are_learned(tmp_path: Path) -> None:
    model: TextVectors = new_vectors(VectorSize(vocabulary=20, width=8, dropout=0.0), 1)
    plan = TrainConfig(epochs=60, batch=8, learning_rate=2e-2, threads=1, patience=60)
    train(vector_learner(model), PAIRS, PAIRS, plan, Run(folder=tmp_path, seed=1))
    found = [
        nearest(query, vectors_of(model, [[12 + at] for at in range(6)]))
        for query in vectors_of(model, [pair.text for pair in PAIRS])
    ]
    assert found == [at % 6 for at in range(8)]
