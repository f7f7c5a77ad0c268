from __future__ import annotations

import pytest
import torch
from torch import Tensor

from duologue.models.deferred_grad import DeferredLinear, DeferredMemory

SIZES = (3, 2, 2, 1)


def test_a_late_layer_has_the_outputs_and_gradients_of_a_plain_one() -> None:
    torch.manual_seed(1)
    weight = torch.randn(4, 5, dtype=torch.float64, requires_grad=True)
    base = torch.randn(8, 4, dtype=torch.float64, requires_grad=True)
    first = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)

    def loop(*, late: bool) -> Tensor:
        layer, bases, x, found = DeferredLinear(base, weight, SIZES), torch.split(base, list(SIZES)), first, []
        for step, rows in enumerate(SIZES):
            y = layer(step, x[:rows]) if late else bases[step] + x[:rows] @ weight.T
            found.append(y)
            x = torch.cat([y.tanh(), y[:, :1]], 1)  # the next step depends on this one
        return torch.cat(found).square().sum()

    plain, ours = loop(late=False), loop(late=True)
    assert torch.allclose(plain, ours)
    for one, other in zip(*(torch.autograd.grad(cost, (base, weight, first)) for cost in (plain, ours)), strict=True):
        assert torch.allclose(one, other)


def test_attention_over_a_late_memory_has_the_outputs_and_gradients_of_a_plain_one() -> None:
    torch.manual_seed(1)
    memory = torch.randn(3, 6, 4, dtype=torch.float64, requires_grad=True)
    first = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    real = torch.arange(6) < torch.tensor([[6], [2], [4]])

    def loop(*, late: bool) -> Tensor:
        attend, query, found = DeferredMemory(memory, real, SIZES), first, []
        for step, rows in enumerate(SIZES):
            query = query[:rows]
            if late:
                context = attend(step, query)
            else:
                scores = torch.einsum("bd,bld->bl", query, memory[:rows]).masked_fill(~real[:rows], -1e9)
                context = torch.einsum("bl,bld->bd", scores.softmax(1), memory[:rows])
            found.append(context)
            query = (query + context).tanh()
        return torch.cat(found).square().sum()

    plain, ours = loop(late=False), loop(late=True)
    assert torch.allclose(plain, ours)
    for one, other in zip(*(torch.autograd.grad(cost, (memory, first)) for cost in (plain, ours)), strict=True):
        assert torch.allclose(one, other)


def test_nothing_is_kept_where_no_gradient_is_wanted() -> None:
    with torch.no_grad():
        layer = DeferredLinear(torch.zeros(2, 3), torch.eye(3), (2,))
        assert layer(0, torch.tensor([[1.0, 2.0, 3.0]] * 2)).tolist() == [[1.0, 2.0, 3.0]] * 2
        memory = DeferredMemory(torch.tensor([[[1.0], [5.0]]]), torch.tensor([[True, False]]), (1,))
        assert memory(0, torch.tensor([[2.0]])).item() == pytest.approx(1.0)
    assert not layer._inputs
    assert not memory._seen
