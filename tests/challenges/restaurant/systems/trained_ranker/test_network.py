from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
import torch

from duologue.challenges.restaurant.systems.trained_ranker.network import bags_of, padded, ranking_task, scores, whole

if TYPE_CHECKING:
    from duologue.models.train import TrainingTask

TABLE = [[5, 6], [], [7], [8, 8]]


class Batch(NamedTuple):
    """Scores that are told."""

    told: torch.Tensor
    targets: torch.Tensor


class Told(torch.nn.Module):
    """Gives the scores of a batch back."""

    def forward(self, batch: Batch) -> torch.Tensor:
        return batch.told


class Row(NamedTuple):
    """A row of a length."""

    length: int


BATCH = Batch(torch.tensor([[2.0, 1.0, 0.0], [0.0, 3.0, -1e9]]), torch.tensor([0, 0]))


def test_arrays_are_padded_to_the_longest() -> None:
    out, mask = padded([np.array([[1, 2]], np.int32), np.zeros((0, 2), np.int32)], least=2)
    assert out.tolist() == [[[1, 2], [0, 0]], [[0, 0], [0, 0]]]
    assert mask.tolist() == [[True, False], [False, False]]
    assert whole(out).dtype == torch.int64


def test_distinct_bags_lie_one_after_the_other_and_an_empty_one_is_nothing() -> None:
    index, bags = bags_of(np.array([[3, 1], [0, 3]]), TABLE)
    assert index.tolist() == [[2, 1], [0, 2]]
    assert bags.words.tolist() == [5, 6, 8, 8]
    assert bags.starts.tolist() == [0, 2, 2]
    summed = torch.nn.EmbeddingBag(9, 1, mode="sum")
    torch.nn.init.constant_(summed.weight, 1.0)
    assert summed(bags.words, bags.starts).squeeze(1).tolist() == [2.0, 0.0, 2.0]


def test_the_right_candidate_is_learned_against_the_others_of_its_row() -> None:
    task: TrainingTask[Row, Batch] = ranking_task(Told(), lambda rows: BATCH)
    assert task.hits is not None
    assert task.hits(BATCH).tolist() == [1.0, 0.0]
    expected = torch.logsumexp(BATCH.told, 1) - BATCH.told[:, 0]
    assert task.loss(BATCH).item() == pytest.approx(expected.mean().item())
    assert task.length(Row(7)) == 7
    assert task.collate([Row(1)]) is BATCH


def test_scores_are_those_of_the_candidates_that_are_there() -> None:
    assert scores(Told(), BATCH, [3, 2]) == [[2.0, 1.0, 0.0], [0.0, 3.0]]
