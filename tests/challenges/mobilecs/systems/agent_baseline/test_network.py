from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from duologue.challenges.mobilecs.systems.agent_baseline.network import StreamSize, learner, new_stream_lm
from duologue.core.protocols import Run
from duologue.models.decode import DecodingLimits, greedy
from duologue.models.tokens import padded
from duologue.models.train import TrainConfig, train

if TYPE_CHECKING:
    from pathlib import Path


def size(*, copy: bool = True) -> StreamSize:
    return StreamSize(vocabulary=12, width=16, heads=2, inner=32, layers=2, dropout=0.0, copy=copy)


@pytest.mark.parametrize("copy", [True, False])
def test_step_by_step_is_as_at_once_and_padding_does_not_matter(*, copy: bool) -> None:
    model = new_stream_lm(size(copy=copy), 1).eval()
    rows = [[4, 5, 6, 7], [8, 9]]
    whole = torch.stack([model(torch.tensor([row])) for row in rows])
    n = torch.tensor([len(row) - 1.0 for row in rows])
    assert torch.allclose(model(padded(rows)), (whole * n).sum() / n.sum(), atol=1e-5)
    state = model.encode(padded([row[:1] for row in rows]))
    total = torch.zeros(())
    for word in rows[0][1:]:
        log_p, state = model.step(state, torch.tensor([word - 1, 5]))
        assert torch.allclose(log_p.exp().sum(1), torch.ones(2), atol=1e-4)
        total = total + log_p[0, word]
    late = model.encode(padded([[4, 5, 6], [8]]))
    alone = model.encode(padded([[8]]))
    assert torch.allclose(
        model.step(late, torch.tensor([7, 9]))[0][1], model.step(alone, torch.tensor([9]))[0][0], atol=1e-5
    )
    assert torch.equal(model.pick(late, torch.tensor([1])).places, torch.tensor([1]))


def test_it_overfits_a_few_streams(tmp_path: Path) -> None:
    model = new_stream_lm(size(), 1)
    rows = [[4, 10, 5, 6, 7, 11], [8, 10, 7, 7, 5, 11]]
    config = TrainConfig(epochs=120, batch=2, learning_rate=1e-2, patience=120, choose="loss")
    train(learner(model), rows, rows, config, Run(folder=tmp_path, seed=1))
    model.eval()
    limits = DecodingLimits(longest=5, begin=10, end=11)
    said = greedy(model, model.encode(padded([[4], [8]])), 2, limits)
    assert [one.words for one in said] == [[5, 6, 7], [7, 7, 5]]
