"""The network with speakers is tested where dialogues are its input: `test_encoded_dialogue.py` of system `copy`."""

from __future__ import annotations

import pytest
import torch

from duologue.models.decoder_lm import DecoderLMConfig, TokenBatch, new_decoder_lm
from duologue.models.tokens import padded


def loss_of(model: torch.nn.Module, rows: list[list[int]]) -> torch.Tensor:
    words = padded(rows)
    found: torch.Tensor = model(TokenBatch(words[:, :-1], wanted=words[:, 1:]))
    return found


@pytest.mark.parametrize("copy", [True, False])
def test_step_by_step_is_as_at_once_and_padding_does_not_matter(*, copy: bool) -> None:
    size = DecoderLMConfig(vocabulary=12, width=16, heads=2, inner=32, layers=2, dropout=0.0, copy=copy)
    model = new_decoder_lm(size, 1).eval()
    rows = [[4, 5, 6, 7], [8, 9]]
    whole = torch.stack([loss_of(model, [row]) for row in rows])
    n = torch.tensor([len(row) - 1.0 for row in rows])
    assert torch.allclose(loss_of(model, rows), (whole * n).sum() / n.sum(), atol=1e-5)
    state = model.encode(TokenBatch(padded([row[:1] for row in rows])))
    total = torch.zeros(())
    for word in rows[0][1:]:
        log_p, state = model.step(state, torch.tensor([word - 1, 5]))
        assert torch.allclose(log_p.exp().sum(1), torch.ones(2), atol=1e-4)
        total = total + log_p[0, word]
    late = model.encode(TokenBatch(padded([[4, 5, 6], [8]])))
    alone = model.encode(TokenBatch(padded([[8]])))
    assert torch.allclose(
        model.step(late, torch.tensor([7, 9]))[0][1], model.step(alone, torch.tensor([9]))[0][0], atol=1e-5
    )
    assert torch.equal(model.pick(late, torch.tensor([1])).places, torch.tensor([1]))


def test_only_networks_with_speakers_have_weights_for_them() -> None:
    size = DecoderLMConfig(vocabulary=12, width=8, heads=2, inner=8, layers=1)
    without, having = new_decoder_lm(size, 1), new_decoder_lm(DecoderLMConfig.of(size, speakers=2), 1)
    assert having.state_dict().keys() - without.state_dict().keys() == {"speakers.weight"}
