from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.mobilecs.systems.agent_baseline.network import collate, learner
from duologue.core.protocols import Run
from duologue.models.decode import DecodingLimits, greedy
from duologue.models.decoder_lm import DecoderLMConfig, TokenBatch, new_decoder_lm
from duologue.models.tokens import padded
from duologue.models.train import TrainConfig, train

if TYPE_CHECKING:
    from pathlib import Path


def test_each_character_is_predicted_from_those_before() -> None:
    batch = collate([[4, 5, 6], [7, 8]])
    assert batch.words.tolist() == [[4, 5], [7, 8]]
    assert batch.wanted is not None
    assert batch.wanted.tolist() == [[5, 6], [8, 0]]


@pytest.mark.slow
def test_it_overfits_a_few_streams(tmp_path: Path) -> None:
    model = new_decoder_lm(DecoderLMConfig(vocabulary=12, width=16, heads=2, inner=32, layers=2, dropout=0.0), 1)
    rows = [[4, 10, 5, 6, 7, 11], [8, 10, 7, 7, 5, 11]]
    config = TrainConfig(epochs=120, batch=2, learning_rate=1e-2, patience=120, choose="loss")
    train(learner(model), rows, rows, config, Run(folder=tmp_path, seed=1))
    model.eval()
    limits = DecodingLimits(longest=5, begin=10, end=11)
    said = greedy(model, model.encode(TokenBatch(padded([[4], [8]]))), 2, limits)
    assert [one.words for one in said] == [[5, 6, 7], [7, 7, 5]]
