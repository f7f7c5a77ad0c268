"""Cross-entropy over a large vocabulary, without keeping its logits.

The logits of a few hundred rows are made, their loss and its gradient taken, and dropped. Letters: n rows, d numbers
of a row, v words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from duologue.models.products import over_rows, product

if TYPE_CHECKING:
    from torch import Tensor

_CHUNK = 256  # rows whose logits are there at once


class Entropy(NamedTuple):
    """What `entropy` gives."""

    loss: Tensor
    """The weighed sum, a scalar; the one part that has a gradient."""
    costs: Tensor
    """-log P of the wanted word per row (n,)."""
    best: Tensor
    """The most probable word per row (n,)."""


def entropy(
    hidden: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, shares: Tensor, precision: torch.dtype
) -> Entropy:
    """Return the sum of shares x -log softmax(hidden W^T + b)[target] over rows.

    hidden (n, d), weight (v, d), bias (v,), targets (n,), shares (n,); products are in `precision`, the softmax in at
    least float32.
    """
    return Entropy(*_Entropy.apply(hidden, weight, bias, targets, shares, precision))  # type: ignore[no-untyped-call]  # torch leaves it untyped


class _Entropy(torch.autograd.Function):
    """Gradients are made on the way forward, while the logits are there, and scaled on the way back."""

    @staticmethod
    def forward(  # type: ignore[override]  # torch declares no arguments
        ctx: Any,
        hidden: Tensor,
        weight: Tensor,
        bias: Tensor,
        targets: Tensor,
        shares: Tensor,
        precision: torch.dtype,
    ) -> tuple[Tensor, Tensor, Tensor]:
        fine = torch.promote_types(precision, torch.float32)
        ctx.kinds = hidden.dtype, weight.dtype, bias.dtype
        hidden, weight = hidden.to(precision), weight.to(precision)
        costs, best = hidden.new_empty(len(hidden), dtype=fine), torch.empty_like(targets)
        wanted = any(ctx.needs_input_grad[:3])
        if wanted:
            of_hidden = torch.empty_like(hidden)
            of_weight = torch.zeros(weight.shape, dtype=fine, device=weight.device)
            of_bias = torch.zeros(len(bias), dtype=fine, device=bias.device)
        for start in range(0, len(hidden), _CHUNK):
            here = slice(start, start + _CHUNK)
            logits = product(hidden[here], weight.T).to(fine).add_(bias)  # (c, v)
            best[here] = logits.argmax(1)
            chances = logits.log_softmax(1)  # not logsumexp less the logit: a cost near zero keeps its digits
            del logits
            rows = targets[here].unsqueeze(1)
            costs[here] = -chances.gather(1, rows).squeeze(1)
            if wanted:
                share = shares[here].unsqueeze(1).to(fine)
                slope = chances.exp_().mul_(share)  # (c, v)
                slope.scatter_add_(1, rows, -share)
                of_bias += slope.sum(0)
                slope = slope.to(precision)
                of_hidden[here] = product(slope, weight)
                of_weight += over_rows(slope, hidden[here])
        ctx.slopes = (of_hidden, of_weight, of_bias) if wanted else None
        ctx.mark_non_differentiable(costs, best)
        return (costs * shares).sum(), costs, best

    @staticmethod
    def backward(ctx: Any, grad: Tensor, *_: Tensor) -> Any:  # type: ignore[override]  # torch declares any number of gradients
        if ctx.slopes is None:
            raise RuntimeError("the way back can be gone once; run the forward pass again")
        slopes, ctx.slopes = ctx.slopes, None
        return *(slope.mul_(grad).to(kind) for slope, kind in zip(slopes, ctx.kinds, strict=True)), None, None, None
