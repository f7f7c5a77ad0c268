from __future__ import annotations

import pytest
import torch

from duologue.challenges.conversation.systems.lstm.network.layers import Lstm, LstmLayer, LstmState, join_states
from duologue.models.recurrent import pack

NAMES = {"weight_ih": "w_input", "weight_hh": "w_hidden", "bias_ih": "b_input", "bias_hh": "b_hidden"}
TEXTS = [[1, 2], [3], [4, 5, 6, 7], [8, 9]]


def torchs(ours: Lstm) -> torch.nn.LSTM:
    """Return torch's own layers with our weights: its rows are those of i, f, g, o."""
    first = ours.layers[0]
    assert isinstance(first, LstmLayer)
    theirs = torch.nn.LSTM(first.w_input.shape[1], ours.size, len(ours.layers))
    with torch.no_grad():
        for place, layer in enumerate(ours.layers):
            for name, own in (
                ("weight_ih", "w_input"),
                ("weight_hh", "w_hidden"),
                ("bias_ih", "b_input"),
                ("bias_hh", "b_hidden"),
            ):
                i, f, o, g = getattr(layer, own).chunk(4)
                getattr(theirs, f"{name}_l{place}").copy_(torch.cat([i, f, g, o]))
    return theirs


@pytest.fixture
def layers() -> Lstm:
    torch.manual_seed(1)
    return Lstm(3, 4, 2, 0.0)


def test_layers_give_what_torchs_own_give_with_the_same_gradients(layers: Lstm) -> None:
    packed, table = pack(TEXTS), torch.randn(10, 3)
    start = LstmState(torch.randn(2, 4, 4), torch.randn(2, 4, 4))
    told, after = layers(table[packed.tokens], packed.sizes, start.pick(packed.order))
    after = after.pick(packed.order.argsort())
    (told * torch.arange(4)).sum().backward()
    theirs = torchs(layers)
    total = torch.zeros(())
    for row, text in enumerate(TEXTS):
        state = (start.hidden[:, row : row + 1].contiguous(), start.cell[:, row : row + 1].contiguous())
        expected, (hidden, cell) = theirs(table[torch.tensor(text)].unsqueeze(1), state)
        places = packed.grid[row][packed.real[row]]
        assert torch.allclose(told[places], expected[:, 0], atol=1e-6)
        assert torch.allclose(after.hidden[:, row], hidden[:, 0], atol=1e-6)
        assert torch.allclose(after.cell[:, row], cell[:, 0], atol=1e-6)
        total = total + (expected[:, 0] * torch.arange(4)).sum()
    total.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    for place, layer in enumerate(layers.layers):
        i, f, g, o = getattr(theirs, f"weight_hh_l{place}").grad.chunk(4)
        grad = layer.w_hidden.grad
        assert isinstance(grad, torch.Tensor)
        assert torch.allclose(grad, torch.cat([i, f, o, g]), atol=1e-5)


@pytest.mark.parametrize("rows", [1, 21, 40])
def test_bfloat16_is_close_to_float32_in_states_and_gradients(rows: int) -> None:
    torch.manual_seed(2)
    layers, table = Lstm(6, 16, 2, 0.0), torch.randn(30, 6)
    packed = pack([[row % 30] * (1 + row % 7) for row in range(rows)])
    start = LstmState(torch.randn(2, rows, 16), torch.randn(2, rows, 16))
    found: dict[torch.dtype, list[torch.Tensor]] = {}
    for precision in (torch.float32, torch.bfloat16):
        x = table[packed.tokens].requires_grad_()
        told, after = layers(x, packed.sizes, start, precision)
        cost = (told * told).sum() + after.hidden.sum() + (after.cell * after.cell).sum()
        slopes = torch.autograd.grad(cost, [x, *layers.parameters()])
        found[precision] = [told.detach(), after.hidden.detach(), after.cell.detach(), *slopes]
    for fine, coarse in zip(*found.values(), strict=True):
        assert fine.dtype == coarse.dtype == torch.float32
        assert float((fine - coarse).norm() / fine.norm()) < 0.02


def test_one_step_of_one_unit_is_what_its_equations_say() -> None:
    layer = LstmLayer(1, 1)
    with torch.no_grad():
        for weight in layer.parameters():
            weight.fill_(0.5)
    with torch.inference_mode():
        told, h, c = layer(torch.tensor([[2.0]]), (1,), torch.tensor([[1.0]]), torch.tensor([[3.0]]))
    summed = torch.tensor(0.5 * 2 + 0.5 * 1 + 0.5 + 0.5)  # what each gate hears
    cell = summed.sigmoid() * 3 + summed.sigmoid() * summed.tanh()
    assert float(c) == pytest.approx(float(cell))
    assert float(h) == float(told) == pytest.approx(float(summed.sigmoid() * cell.tanh()))


def test_nothing_heard_before_is_a_state_of_zeros(layers: Lstm) -> None:
    packed = pack(TEXTS)
    x = torch.randn(len(packed.tokens), 3)
    nothing = LstmState(torch.zeros(2, 4, 4), torch.zeros(2, 4, 4))
    assert torch.equal(layers(x, packed.sizes, None)[0], layers(x, packed.sizes, nothing)[0])


def test_states_are_picked_cut_and_joined_by_rows() -> None:
    state = LstmState(torch.arange(6.0).view(1, 3, 2), torch.arange(6.0, 12).view(1, 3, 2))
    turned = state.pick(torch.tensor([2, 0]))
    assert turned.hidden.tolist() == [[[4, 5], [0, 1]]]
    assert join_states([state.first(1), turned]).cell.tolist() == [[[6, 7], [10, 11], [6, 7]]]
