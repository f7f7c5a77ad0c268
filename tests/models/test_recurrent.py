from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional

from duologue.models.recurrent import Gru, TwoWayGru, cell, pack

E, D = 5, 4
TEXTS = [[3, 1, 4], [1], [5, 9, 2, 6, 5], [3, 5, 8]]


@pytest.fixture(autouse=True)
def _chance() -> None:
    torch.manual_seed(1)


def library(ours: TwoWayGru) -> nn.GRU:
    """The library's units with our weights."""
    theirs = nn.GRU(E, D, bidirectional=True, batch_first=True)
    with torch.no_grad():
        for suffix, one in (("", ours.forward_gru), ("_reverse", ours.backward_gru)):
            for theirs_name, weight in (
                ("weight_ih_l0", one.w_input),
                ("weight_hh_l0", one.w_hidden),
                ("bias_ih_l0", one.b_input),
                ("bias_hh_l0", one.b_hidden),
            ):
                getattr(theirs, theirs_name + suffix).copy_(weight)
    return theirs


def test_tokens_lie_step_after_step_and_are_found_again() -> None:
    packed = pack(TEXTS)
    assert packed.sizes == (4, 3, 3, 1, 1)
    assert packed.tokens.tolist()[:4] == [5, 3, 3, 1]
    for row, text in enumerate(TEXTS):
        places = packed.grid[row, : len(text)]
        assert packed.tokens[places].tolist() == text
        assert packed.tokens[packed.turned[places]].tolist() == text[::-1]
        assert packed.tokens[packed.ends[row]].item() == text[-1]
    assert packed.real.sum(1).tolist() == [len(text) for text in TEXTS]


@pytest.mark.parametrize("texts", [[], [[1], []]], ids=["none", "an empty one"])
def test_sequences_without_tokens_are_refused(texts: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="at least one token"):
        pack(texts)


def test_states_of_all_sequences_are_those_of_the_library_for_each_alone() -> None:
    ours, words, packed = TwoWayGru(E, D), torch.randn(10, E), pack(TEXTS)
    theirs = library(ours)
    onward, back = ours(words[packed.tokens], packed, torch.float32)
    last = ours.last(words[packed.tokens], packed, torch.float32)
    assert last.shape == (4, 2 * D)
    for row, text in enumerate(TEXTS):
        expected, ends = theirs(words[text].unsqueeze(0))
        places = packed.grid[row, : len(text)]
        assert torch.allclose(onward[places], expected[0, :, :D], atol=1e-6)
        assert torch.allclose(back[packed.turned[places]], expected[0, :, D:], atol=1e-6)
        assert torch.allclose(last[row], ends.flatten(), atol=1e-6)


def test_gradients_are_those_of_the_library() -> None:
    ours, words, packed = TwoWayGru(E, D), torch.randn(10, E), pack(TEXTS)
    theirs = library(ours)
    mine, yours = words.clone().requires_grad_(), words.clone().requires_grad_()
    ours.last(mine[packed.tokens], packed, torch.float32).square().sum().backward()  # type: ignore[no-untyped-call]  # untyped in torch
    for text in TEXTS:
        theirs(yours[text].unsqueeze(0))[1].square().sum().backward()
    assert mine.grad is not None
    assert yours.grad is not None
    assert torch.allclose(mine.grad, yours.grad, atol=1e-5)
    for one, suffix in ((ours.forward_gru, ""), (ours.backward_gru, "_reverse")):
        assert one.w_hidden.grad is not None
        assert torch.allclose(one.w_hidden.grad, getattr(theirs, "weight_hh_l0" + suffix).grad, atol=1e-5)
        assert one.b_input.grad is not None
        assert torch.allclose(one.b_input.grad, getattr(theirs, "bias_ih_l0" + suffix).grad, atol=1e-5)


def test_bfloat16_stays_near_float32() -> None:
    ours, x, packed = TwoWayGru(E, D), torch.randn(12, E), pack(TEXTS)
    exact, rough = (ours.last(x, packed, kind) for kind in (torch.float32, torch.bfloat16))
    assert torch.allclose(exact, rough, atol=0.03)
    assert not torch.equal(exact, rough)


def test_one_step_is_that_of_the_library() -> None:
    theirs, x, state = nn.GRUCell(E, D), torch.randn(3, E), torch.randn(3, D)
    of_input = functional.linear(x, theirs.weight_ih, theirs.bias_ih)
    of_state = functional.linear(state, theirs.weight_hh, theirs.bias_hh)
    assert torch.allclose(cell(of_input, of_state, state), theirs(x, state), atol=1e-6)


def test_it_overfits_eight_examples() -> None:
    unit, words, out = Gru(E, D), nn.Embedding(9, E), nn.Linear(D, 2)
    packed = pack([[n, 8, n // 2] for n in range(8)])
    wanted = torch.tensor([0, 1] * 4)
    optimiser = torch.optim.Adam([*unit.parameters(), *words.parameters(), *out.parameters()], lr=0.05)

    def loss() -> torch.Tensor:
        states = unit(words(packed.tokens), packed.sizes, torch.float32)
        return functional.cross_entropy(out(states[packed.ends]), wanted)

    for _ in range(80):
        optimiser.zero_grad()
        loss().backward()  # type: ignore[no-untyped-call]  # untyped in torch
        optimiser.step()
    assert loss().item() < 0.05
