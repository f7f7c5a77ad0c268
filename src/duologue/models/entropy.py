"""Cross-entropy over a large vocabulary without keeping the logits.

The logits of a few hundred rows are made, their loss and its gradient taken, and dropped: `cross_entropy` of all logits
needs twice the memory or more (`python benchmarks/networks.py --only loss`), and torch's loss in chunks
(`linear_cross_entropy`) takes four times as long and gives neither the cost of each row nor its best word. Letters: n
rows, d numbers of a row, v words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from duologue.models.matmul import matmul, outer_sum

if TYPE_CHECKING:
    from torch import Tensor

_CHUNK = 256  # rows whose logits are there at once
_SMALL, _LARGE = 1e-30, 0.99  # probabilities beyond which the logarithm of a rounded one has lost digits


class Entropy(NamedTuple):
    """What `entropy` gives."""

    loss: Tensor
    """The weighed sum, a scalar; the one part that has a gradient."""
    costs: Tensor
    """-log P of the wanted word per row (n,)."""
    best: Tensor
    """The most probable word per row (n,); empty where it is not asked for."""


def entropy(
    hidden: Tensor,
    weight: Tensor,
    bias: Tensor,
    targets: Tensor,
    shares: Tensor,
    precision: torch.dtype,
    *,
    best: bool = True,
) -> Entropy:
    """Return the sum of shares x -log softmax(hidden W^T + b)[target] over rows.

    hidden (n, d), weight (v, d), bias (v,), targets (n,), shares (n,); products are in `precision`, the softmax in at
    least float32. Without `best` a pass over all logits is saved, a quarter of the time with bfloat16.
    """
    arguments = (hidden, weight, bias, targets, shares, precision, best)
    return Entropy(*_Entropy.apply(*arguments))  # type: ignore[no-untyped-call]  # torch leaves it untyped


class _Entropy(torch.autograd.Function):
    """Gradients are made on the way forward, while the logits are there, and scaled on the way back."""

    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        weight: Tensor,
        bias: Tensor,
        targets: Tensor,
        shares: Tensor,
        precision: torch.dtype,
        find_best: bool,  # noqa: FBT001  # autograd passes by position only
    ) -> tuple[Tensor, Tensor, Tensor]:
        fine = torch.promote_types(precision, torch.float32)
        ctx.kinds = hidden.dtype, weight.dtype, bias.dtype
        hidden, weight = hidden.to(precision), weight.to(precision)
        costs, best = hidden.new_empty(len(hidden), dtype=fine), targets.new_empty(len(hidden) if find_best else 0)
        wanted = any(ctx.needs_input_grad[:3])
        rows, words = (len(hidden), len(weight)) if wanted else (0, 0)
        of_hidden = hidden.new_empty(rows, hidden.shape[1], dtype=fine)
        of_weight = hidden.new_zeros(words, hidden.shape[1], dtype=fine)
        of_bias = hidden.new_zeros(words, dtype=fine)
        for start in range(0, len(hidden), _CHUNK):
            here = slice(start, start + _CHUNK)
            logits = matmul(hidden[here], weight.T).to(fine).add_(bias)  # (c, v)
            if find_best:
                best[here] = logits.argmax(1)
            chances = logits.softmax(1)
            target = targets[here].unsqueeze(1)
            costs[here] = _costs(logits, chances, target)
            if wanted:
                del logits
                share = shares[here].unsqueeze(1).to(fine)
                slope = chances.scatter_add_(1, target, chances.new_full(target.shape, -1)).to(precision)  # (c, v)
                of_hidden[here] = matmul(slope, weight) * share
                of_weight += outer_sum(slope, (hidden[here] * share).to(precision))
                of_bias += (slope.T @ share.to(precision)).squeeze(1)
        ctx.slopes = (of_hidden, of_weight, of_bias) if wanted else None
        ctx.mark_non_differentiable(costs, best)
        return (costs * shares).sum(), costs, best

    @staticmethod
    def backward(ctx: Any, grad: Tensor, *_: Tensor) -> Any:
        if ctx.slopes is None:
            raise RuntimeError("the way back can be gone once; run the forward pass again")
        slopes, ctx.slopes = ctx.slopes, None
        return (
            *(slope.mul_(grad).to(kind) for slope, kind in zip(slopes, ctx.kinds, strict=True)),
            None,
            None,
            None,
            None,
        )


def _costs(logits: Tensor, chances: Tensor, target: Tensor) -> Tensor:
    """Return -log P of the target per row (c,), in full digits where P is near 0 or 1 too."""
    chance = chances.gather(1, target).squeeze(1)
    costs = -chance.log()
    coarse = ((chance < _SMALL) | (chance > _LARGE)).nonzero().squeeze(1)
    costs[coarse] = -logits[coarse].log_softmax(1).gather(1, target[coarse]).squeeze(1)
    return costs
