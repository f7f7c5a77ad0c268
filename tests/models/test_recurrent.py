from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from duologue.models.recurrent import Gru, TwoWayGru, cell, pack

sequences = st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=6), min_size=1, max_size=6)


@given(sequences)
def test_every_token_has_its_place(some: list[list[int]]) -> None:
    packed = pack(some)
    assert list(packed.sizes) == sorted(packed.sizes, reverse=True)
    for number, one in enumerate(some):
        places = packed.grid[number][packed.real[number]]
        assert packed.tokens[places].tolist() == one
        assert packed.tokens[packed.turned[places]].tolist() == one[::-1]
        assert packed.ends[number] == places[-1]
    lengths = [len(some[number]) for number in packed.order.tolist()]
    assert lengths == sorted(lengths, reverse=True)


@pytest.mark.parametrize("some", [[], [[1], []]])
def test_sequences_without_tokens_are_refused(some: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="at least one token"):
        pack(some)


def test_a_cell_by_hand() -> None:
    """i = (0, 0, 1), j = (0, 0, 2), h = 4: r = z = 1/2, c = tanh(2), h' = tanh(2) / 2 + 2."""
    state = cell(torch.tensor([[0.0, 0.0, 1.0]]), torch.tensor([[0.0, 0.0, 2.0]]), torch.tensor([[4.0]]))
    assert state.item() == pytest.approx(0.96402758 / 2 + 2)


def test_both_directions_are_those_of_torch_on_each_sequence_alone() -> None:
    torch.manual_seed(1)
    ours = TwoWayGru(3, 4).double()
    theirs = nn.GRU(3, 4, bidirectional=True).double()
    names = {"w_input": "weight_ih_l0", "w_hidden": "weight_hh_l0", "b_input": "bias_ih_l0", "b_hidden": "bias_hh_l0"}
    for unit, end in ((ours.forward_gru, ""), (ours.backward_gru, "_reverse")):
        for name, weight in unit.named_parameters():
            getattr(theirs, names[name] + end).data.copy_(weight.data)
    some = [[1, 2, 3], [4], [5, 6, 7, 8], [9, 1]]
    packed, table = pack(some), torch.randn(10, 3).double()
    forwards, backwards = ours(table[packed.tokens], packed, torch.float64)
    for number, one in enumerate(some):
        wanted = theirs(table[one])[0]
        places = packed.grid[number, : len(one)]
        found = torch.cat([forwards[places], backwards[packed.turned[places]]], 1)
        assert torch.allclose(found, wanted, atol=1e-12)
    last = ours.last(table[packed.tokens], packed, torch.float64)
    assert torch.allclose(last[1], theirs(table[[4]])[0][0], atol=1e-12)


def test_states_are_the_same_without_a_way_back() -> None:
    torch.manual_seed(1)
    gru, packed = Gru(3, 4), pack([[1, 2, 3], [4], [5, 6, 7, 8]])
    x = torch.randn(len(packed.tokens), 3)
    for precision in (torch.float32, torch.float64, torch.bfloat16):
        swept = gru(x, packed.sizes, precision)
        with torch.inference_mode():
            torch.testing.assert_close(gru(x, packed.sizes, precision), swept.detach(), rtol=0, atol=1e-6)


def test_gradients_are_those_of_finite_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duologue.models.recurrent._ROWS", 4)  # several blocks
    torch.manual_seed(1)
    gru = Gru(2, 3).double()
    sizes = (3, 3, 2, 1, 1)
    x = torch.randn(10, 2, dtype=torch.float64, requires_grad=True)
    weights = (gru.w_input, gru.w_hidden, gru.b_input, gru.b_hidden)

    def states(given: torch.Tensor, *_: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = gru(given, sizes, torch.float64)
        return found

    assert torch.autograd.gradcheck(states, (x, *weights))


def test_a_sequence_does_not_depend_on_the_others() -> None:
    torch.manual_seed(1)
    gru, table = TwoWayGru(3, 4), torch.randn(10, 3)
    together = pack([[1, 2, 3], [4], [5, 6, 7, 8]])
    alone = pack([[1, 2, 3]])
    one = gru.last(table[alone.tokens], alone, torch.float32)
    assert torch.allclose(gru.last(table[together.tokens], together, torch.float32)[:1], one, atol=1e-6)


def test_bfloat16_is_near_float32() -> None:
    torch.manual_seed(1)
    gru, table = Gru(3, 8), torch.randn(10, 3)
    packed = pack([[1, 2, 3], [4], [5, 6, 7, 8]])
    fine, coarse = (gru(table[packed.tokens], packed.sizes, kind) for kind in (torch.float32, torch.bfloat16))
    assert coarse.dtype == torch.float32
    assert (fine - coarse).abs().max() < 0.02
