from __future__ import annotations

import math

import pytest
import torch
from torch import nn
from torch.nn import functional

from duologue.core.errors import UsageError
from duologue.models.blocks import (
    Attention,
    CopyHead,
    Dropout,
    Encoder,
    Layer,
    Positions,
    Seen,
    causal_bias,
    copy_distribution,
    copy_log_likelihood,
    padding_bias,
    sinusoids,
)

D, H = 8, 2
CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def _chance() -> None:
    torch.manual_seed(1)


def test_sinusoids_are_sines_and_cosines_of_falling_pace() -> None:
    table = sinusoids(3, 5)
    assert table.shape == (3, 5)
    assert table[0].tolist() == [0, 0, 1, 1, 0]
    assert table[2].tolist() == pytest.approx([math.sin(2), math.sin(2e-4), math.cos(2), math.cos(2e-4), 0])


@pytest.mark.parametrize("longest", [None, 9])
def test_positions_from_a_place_on_are_those_of_the_whole(longest: int | None) -> None:
    positions, x = Positions(D, longest), torch.randn(2, 9, D)
    assert torch.equal(positions(x)[:, 4:], positions(x[:, 4:], start=4))
    assert not torch.equal(positions(x), x)


def test_sinusoidal_positions_never_end_and_learned_ones_say_so() -> None:
    positions, x = Positions(D), torch.zeros(1, 700, D, requires_grad=True)
    with torch.inference_mode():
        positions(x)
    out = positions(x)
    assert torch.equal(out[0], sinusoids(700, D))
    out.sum().backward()
    assert list(positions.buffers()) == []
    with pytest.raises(UsageError, match="learned 9 positions, found 10"):
        Positions(D, 9)(torch.zeros(1, 10, D))


def test_attention_is_the_same_in_training_and_out_of_it() -> None:
    block, x = Attention(D, H, 0.0), torch.randn(3, 5, D)
    mask = torch.arange(5) < torch.tensor([5, 2, 0]).unsqueeze(1)  # the last row may look at nothing
    for bias in (None, padding_bias(mask), padding_bias(mask) + causal_bias(5, CPU)):
        written_out = block.train()(x, block.look(x), bias)
        torch.testing.assert_close(block.eval()(x, block.look(x), bias), written_out, rtol=0, atol=1e-6)


def test_a_layer_that_is_normed_after_its_sums_returns_the_first_token_alone() -> None:
    layer, x = Layer(D, H, 16, 0.0, post_norm=True), torch.randn(3, 5, D)
    bias = padding_bias(torch.arange(5) < torch.tensor([5, 2, 4]).unsqueeze(1))
    whole, seen = layer(x, bias)
    first, _ = layer(x, bias, first=True)
    torch.testing.assert_close(first, whole[:, :1])
    by_hand = layer.attention_after(x + layer.attention(layer.attention_norm(x), seen, bias))
    by_hand = layer.feed_after(by_hand + layer.feed(layer.feed_norm(by_hand)))
    torch.testing.assert_close(whole, by_hand)
    assert whole.mean(-1).abs().max() < 1e-6


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_dropout_drops_its_share_and_keeps_the_mean(rate: float) -> None:
    block, x = Dropout(rate), torch.ones(999, 101, requires_grad=True)
    out = block(x)
    assert (out == 0).float().mean().item() == pytest.approx(rate, abs=0.01)
    assert sorted(set(out.flatten().tolist())) == pytest.approx([0.0, 1 / (1 - rate)])
    out.sum().backward()
    assert x.grad is not None
    assert torch.equal(x.grad, out)
    share = (out == 0).float()
    assert share.mean(0).std().item() < 0.03  # no place in a word of chance is luckier
    assert torch.equal(block.eval()(x), x)


def test_dropout_follows_the_seed_in_any_precision() -> None:
    block, x = Dropout(0.3), torch.randn(7, 3).bfloat16()
    torch.manual_seed(2)
    first = block(x)
    torch.manual_seed(2)
    assert torch.equal(block(x), first)
    assert not torch.equal(block(x), first)
    assert first.dtype == torch.bfloat16


def test_attention_is_what_the_library_computes() -> None:
    ours, theirs = Attention(D, H, 0.0), nn.MultiheadAttention(D, H, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([ours.query.weight, ours.seen.weight]))
        theirs.in_proj_bias.copy_(torch.cat([ours.query.bias, ours.seen.bias]))
        theirs.out_proj.weight.copy_(ours.out.weight)
        theirs.out_proj.bias.copy_(ours.out.bias)
    x, source = torch.randn(2, 3, D), torch.randn(2, 5, D)
    mask = torch.tensor([[True] * 5, [True] * 2 + [False] * 3])
    expected, _ = theirs(x, source, source, key_padding_mask=~mask)
    assert torch.allclose(ours(x, ours.look(source), padding_bias(mask)), expected, atol=1e-6)


def test_attention_by_hand() -> None:
    """One head of width 1: scores 1 and 0, values 10 and 20."""
    block = Attention(1, 1, 0.0)
    with torch.no_grad():
        for layer in (block.query, block.out):
            layer.weight.fill_(1)
            layer.bias.fill_(0)
    seen = Seen(torch.tensor([1.0, 0.0]).view(1, 1, 2, 1), torch.tensor([10.0, 20.0]).view(1, 1, 2, 1))
    weight = math.e / (math.e + 1)
    assert block(torch.ones(1, 1, 1), seen, None).item() == pytest.approx(10 * weight + 20 * (1 - weight))


def test_heads_share_the_width_evenly_or_not_at_all() -> None:
    with pytest.raises(UsageError, match="width of 8 cannot be shared among 3"):
        Attention(8, 3, 0.0)


def test_no_token_sees_later_ones() -> None:
    layer, x = Layer(D, H, 16, 0.0), torch.randn(1, 4, D)
    before, _ = layer(x, causal_bias(4, CPU))
    changed = x.clone()
    changed[:, 3] = 0
    after, _ = layer(changed, causal_bias(4, CPU))
    assert torch.equal(before[:, :3], after[:, :3])
    assert not torch.equal(before[:, 3], after[:, 3])


def test_a_decoder_layer_step_by_step_gives_what_it_gives_at_once() -> None:
    layer, x, source = Layer(D, H, 16, 0.0, crosses=True), torch.randn(2, 4, D), torch.randn(2, 3, D)
    memory, bias = layer.remember(source), padding_bias(torch.tensor([[True, True, True], [True, False, False]]))
    at_once, _ = layer(x, causal_bias(4, CPU), memory=memory, memory_bias=bias)
    past = None
    for place in range(4):
        one, past = layer(x[:, place : place + 1], None, past=past, memory=memory, memory_bias=bias)
        assert torch.allclose(one[:, 0], at_once[:, place], atol=1e-6)


def test_a_layer_that_crosses_asks_for_its_source_and_another_has_none() -> None:
    with pytest.raises(UsageError, match="needs the memory of a source"):
        Layer(D, H, 16, 0.0, crosses=True)(torch.randn(1, 1, D), None)
    with pytest.raises(UsageError, match="sees no source"):
        Layer(D, H, 16, 0.0).remember(torch.randn(1, 1, D))


@pytest.mark.parametrize("activation", ["gelu", "relu"])
def test_padding_and_batch_never_change_what_an_encoder_reads(activation: str) -> None:
    encoder = Encoder(2, D, H, 16, 0.0, activation)  # type: ignore[arg-type]  # one of its two
    x = torch.randn(3, 6, D)
    mask = torch.arange(6) < torch.tensor([[6], [1], [4]])
    together = encoder(x, mask)
    assert together.shape == (3, 6, D)
    for row, count in enumerate((6, 1, 4)):
        alone = encoder(x[row : row + 1, :count], mask[row : row + 1, :count])
        assert torch.allclose(alone[0], together[row, :count], atol=1e-5)


def test_an_encoder_overfits_eight_examples() -> None:
    encoder, out = Encoder(1, D, H, 16, 0.0), nn.Linear(D, 2)
    x, wanted = torch.randn(8, 5, D), torch.tensor([0, 1] * 4)
    mask = torch.ones(8, 5, dtype=torch.bool)
    optimiser = torch.optim.Adam([*encoder.parameters(), *out.parameters()], lr=0.01)

    def loss() -> torch.Tensor:
        return functional.cross_entropy(out(encoder(x, mask)[:, 0]), wanted)

    for _ in range(60):
        optimiser.zero_grad()
        loss().backward()  # type: ignore[no-untyped-call]  # untyped in torch
        optimiser.step()
    assert loss().item() < 0.05


def test_the_copy_head_weighs_real_words_only() -> None:
    head, states, memory = CopyHead(D), torch.randn(2, 3, D), torch.randn(2, 4, D)
    mask = torch.tensor([[True] * 4, [True, False, False, False]])
    weights, gate = head(states, memory, head.key(memory), padding_bias(mask))
    assert weights.shape == (2, 3, 4)
    assert gate.shape == (2, 3)
    assert weights.sum(-1).flatten().tolist() == pytest.approx([1.0] * 6)
    assert weights[1, :, 0].tolist() == [1.0] * 3


def test_the_mixture_by_hand() -> None:
    """Vocabulary of 3 words, each 1/3; the source says word 1, then 3 (unknown), then 3; a = 0.5, 0.2, 0.3; g = 1/4."""
    logits, weights = torch.zeros(1, 3), torch.tensor([[0.5, 0.2, 0.3]])
    source, gate = torch.tensor([[1, 3, 3]]), torch.tensor([math.log(1 / 3)])
    log_p = copy_distribution(logits, weights, gate, source, 2)
    assert log_p.exp()[0].tolist() == pytest.approx([1 / 12, 1 / 12 + 3 / 8, 1 / 12, 3 / 8, 0])


def test_the_likelihood_of_a_word_is_its_place_in_the_distribution() -> None:
    logits, gate = torch.randn(5, 6), torch.randn(5)
    weights, source = torch.randn(5, 7).softmax(1), torch.randint(0, 9, (5, 7))
    log_p = copy_distribution(logits, weights, gate, source, 3)
    assert log_p.exp().sum(1).tolist() == pytest.approx([1.0] * 5)
    target = torch.tensor([0, 5, int(source[2, 0]), int(source[3].max()), 3])
    told = copy_log_likelihood(logits, weights, gate, source, target)
    assert torch.allclose(told, log_p.gather(1, target.unsqueeze(1)).squeeze(1), atol=1e-5)


def test_a_word_that_cannot_be_said_costs_much_but_has_a_finite_gradient() -> None:
    logits, gate = torch.randn(1, 3, requires_grad=True), torch.zeros(1, requires_grad=True)
    weights = torch.tensor([[1.0, 0.0]], requires_grad=True)
    told = copy_log_likelihood(logits, weights, gate, torch.tensor([[1, 2]]), torch.tensor([4]))
    told.sum().backward()  # type: ignore[no-untyped-call]  # untyped in torch
    assert -60 < told.item() < -40
    assert all(one.grad is not None and one.grad.isfinite().all() for one in (logits, gate))
