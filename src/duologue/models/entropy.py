"""Cross-entropy over a large vocabulary without keeping the logits.

The logits of a few hundred rows are made, their loss and its gradient taken, and dropped: `cross_entropy` of all logits
needs twice the memory or more (`python benchmarks/networks.py --only loss`), and torch's loss in chunks
(`linear_cross_entropy`) takes more than twice as long and gives neither the cost of each row nor its best word.

Shapes: n rows, d numbers of a row, v words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from duologue.models.autograd import as_function
from duologue.models.matmul import matmul, outer_sum, rounded

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
    return Entropy(*_entropy(hidden, weight, bias, targets, shares, precision, best))


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
        rows, words, size = (len(hidden), len(weight), hidden.shape[1]) if wanted else (0, 0, 0)
        of_hidden = hidden.new_empty(rows, size, dtype=fine)
        of_output = hidden.new_zeros(words, size + 1, dtype=fine)  # of the weight, and of the bias in the last column
        memory = _Memory(rounded(hidden[:_CHUNK]), weight, fine)
        for start in range(0, len(hidden), _CHUNK):
            here = slice(start, start + _CHUNK)
            logits, chances = memory.softmax(hidden[here], weight, bias)
            if find_best:
                best[here] = logits.argmax(1)
            target = targets[here].unsqueeze(1)
            costs[here] = _costs(logits, chances, target)
            if wanted:
                share = shares[here].unsqueeze(1).to(fine)
                chances.scatter_add_(1, target, chances.new_full(target.shape, -1))
                slope = memory.narrowed(chances)  # (c, v)
                of_hidden[here] = matmul(slope, weight) * share
                of_output += outer_sum(slope, torch.cat([hidden[here] * share, share], 1).to(precision))
        of_weight, of_bias = of_output[:, :-1], of_output[:, -1]
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


_entropy = as_function(_Entropy)


class _Memory:
    """Logits and probabilities of one chunk, laid over those of the chunk before.

    Tensors of this size made anew come from the system page by page: with bfloat16 a third of the time.
    """

    def __init__(self, hidden: Tensor, weight: Tensor, fine: torch.dtype) -> None:
        shape = len(hidden), len(weight)
        self._products = weight.new_empty(shape)
        self._logits = self._products if weight.dtype == fine else weight.new_empty(shape, dtype=fine)
        self._chances = weight.new_empty(shape, dtype=fine)

    def softmax(self, hidden: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits and probabilities: hidden (c, d) -> (c, v), (c, v)."""
        rows, padded = len(hidden), rounded(hidden)
        products, logits, chances = self._products[: len(padded)], self._logits[:rows], self._chances[:rows]
        torch.mm(padded, weight.T, out=products)
        if logits.dtype != products.dtype:
            logits.copy_(products[:rows])
        return logits.add_(bias), torch.softmax(logits, 1, out=chances)

    def narrowed(self, chances: Tensor) -> Tensor:
        """Return what came of the probabilities in the precision of products (c, v)."""
        if chances.dtype == self._products.dtype:
            return chances
        return self._products[: len(chances)].copy_(chances)


def _costs(logits: Tensor, chances: Tensor, target: Tensor) -> Tensor:
    """Return -log P of the target per row (c,), in full digits where P is near 0 or 1 too."""
    chance = chances.gather(1, target).squeeze(1)
    costs = -chance.log()
    coarse = ((chance < _SMALL) | (chance > _LARGE)).nonzero().squeeze(1)
    costs[coarse] = -logits[coarse].log_softmax(1).gather(1, target[coarse]).squeeze(1)
    return costs
