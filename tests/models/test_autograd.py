from __future__ import annotations

from typing import Any

import torch

from duologue.models.autograd import as_function


class _Cubed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, factor: int) -> torch.Tensor:
        ctx.save_for_backward(x)
        ctx.factor = factor
        return factor * x**3

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return 3 * ctx.factor * x**2 * grad, None


def test_a_step_written_by_hand_is_a_function_with_its_own_way_back() -> None:
    x = torch.tensor([2.0, -1.0], requires_grad=True)
    found = as_function(_Cubed)(x, 5)
    (of_x,) = torch.autograd.grad(found.sum(), x)
    assert found.tolist() == [40.0, -5.0]
    assert of_x.tolist() == [60.0, 15.0]
