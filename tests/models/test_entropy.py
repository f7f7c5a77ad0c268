from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

from duologue.models.entropy import entropy


def test_two_words_by_hand() -> None:
    """Logits 0 and ln 3: probabilities 1/4 and 3/4."""
    weight, bias = torch.zeros(2, 1), torch.tensor([0.0, math.log(3)])
    found = entropy(torch.zeros(2, 1), weight, bias, torch.tensor([0, 1]), torch.tensor([1.0, 0.5]), torch.float32)
    assert found.costs.tolist() == pytest.approx([math.log(4), math.log(4 / 3)])
    assert found.loss.item() == pytest.approx(math.log(4) + math.log(4 / 3) / 2)
    assert found.best.tolist() == [1, 1]


@pytest.mark.parametrize("chunk", [1, 3, 100])
def test_loss_and_gradients_are_those_of_torch(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr("duologue.models.entropy._CHUNK", chunk)
    torch.manual_seed(1)
    shapes = ((7, 4), (11, 4), (11,))
    parts = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]
    hidden, weight, bias = parts
    targets, shares = torch.randint(11, (7,)), torch.rand(7, dtype=torch.float64)
    plain = (functional.cross_entropy(hidden @ weight.T + bias, targets, reduction="none") * shares).sum() * 3
    ours = entropy(hidden, weight, bias, targets, shares, torch.float64).loss * 3
    assert torch.allclose(plain, ours)
    for one, other in zip(*(torch.autograd.grad(cost, parts) for cost in (plain, ours)), strict=True):
        assert torch.allclose(one, other)


def test_the_best_words_are_left_out_where_nobody_asks() -> None:
    hidden, weight = torch.randn(3, 2), torch.randn(5, 2)
    targets, shares = torch.tensor([0, 1, 2]), torch.ones(3)
    asked, plain = (
        entropy(hidden, weight, torch.zeros(5), targets, shares, torch.float32, best=b) for b in (True, False)
    )
    assert torch.equal(asked.costs, plain.costs)
    assert (len(asked.best), len(plain.best)) == (3, 0)


def test_a_word_beyond_all_floats_has_its_cost() -> None:
    bias = torch.tensor([0.0, 200.0])
    found = entropy(torch.zeros(1, 1), torch.zeros(2, 1), bias, torch.tensor([0]), torch.ones(1), torch.float32)
    assert found.costs.item() == pytest.approx(200)


def test_a_certain_word_keeps_its_small_cost() -> None:
    bias = torch.tensor([30.0, 0.0])
    found = entropy(torch.zeros(1, 1), torch.zeros(2, 1), bias, torch.tensor([0]), torch.ones(1), torch.float32)
    assert found.costs.item() == pytest.approx(math.exp(-30), rel=1e-3)


def test_the_way_back_is_gone_once() -> None:
    hidden = torch.zeros(1, 1, requires_grad=True)
    found = entropy(hidden, torch.zeros(2, 1), torch.zeros(2), torch.tensor([0]), torch.ones(1), torch.float32)
    found.loss.backward(retain_graph=True)  # type: ignore[no-untyped-call]  # torch leaves it untyped
    with pytest.raises(RuntimeError, match="once"):
        found.loss.backward()  # type: ignore[no-untyped-call]  # the same
