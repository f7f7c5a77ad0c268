"""Deferred weight gradients for recurrent loops: keep each step's inputs and form dW by one matrix product afterwards.

Plain autograd accumulates a gradient of the weight's full size at every step: for a decoder of twenty steps most of its
memory traffic. Here each step keeps its input, autograd collects the gradients of all outputs, and the gradient of the
weight is one product of the two: the same sum in another order. Plain autograd takes 1.8 times as long for the
attention of the decoder of `postks`, and 1.7 times for its products at the published size, in float32 as in bfloat16
(1.2 times at the small one; `python benchmarks/networks.py --only memory`, `--only steps`).

Shapes: n rows of all steps together, b rows of the first step, t steps, l places of memory, d numbers.
Rows of a step are always the first of those of the step before (see `recurrent.Packed`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from duologue.models.autograd import as_function
from duologue.models.matmul import affine, outer_sum

if TYPE_CHECKING:
    from torch import Tensor


class DeferredLinear:
    """y = base + x W^T at each step; the `base` (n, out) of all steps and W (out, in) get deferred gradients."""

    def __init__(self, base: Tensor, weight: Tensor, sizes: tuple[int, ...]) -> None:
        self._inputs: list[Tensor] = []
        self._weight = weight.detach()
        self._bases = torch.split(_deferred(base, weight, self._inputs), list(sizes))

    def __call__(self, step: int, x: Tensor) -> Tensor:
        """Return y of a step: x (rows, in) -> (rows, out); each step is called once, in order."""
        x = x.to(self._weight.dtype)
        if torch.is_grad_enabled():
            self._inputs.append(x.detach())
        return affine(self._bases[step], x, self._weight)


class _Deferred(torch.autograd.Function):
    """Identity on the base whose backward forms the gradient of the weight from the collected inputs."""

    @staticmethod
    def forward(ctx: Any, base: Tensor, weight: Tensor, inputs: list[Tensor]) -> Tensor:
        ctx.inputs, ctx.kind = inputs, weight.dtype
        return base.view_as(base)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return grad, outer_sum(grad, torch.cat(ctx.inputs)), None


_deferred = as_function(_Deferred)


class DeferredMemory:
    """Dot attention over a memory (b, l, d), masked by `real` (b, l), with a deferred gradient of the memory."""

    def __init__(self, memory: Tensor, real: Tensor, sizes: tuple[int, ...]) -> None:
        self._seen: list[tuple[Tensor, Tensor]] = []
        self._memory, self._real = memory.detach(), real
        scores, contexts = _deferred_memory(memory, sizes, self._seen)
        self._scores, self._contexts = torch.split(scores, list(sizes)), torch.split(contexts, list(sizes))

    def __call__(self, step: int, query: Tensor) -> Tensor:
        """Return the weighted mean of a step: query (rows, d) -> (rows, d), weights softmax(query . memory)."""
        rows = len(query)
        memory = self._memory[:rows]
        query = query.to(memory.dtype)
        scores = torch.baddbmm(self._scores[step].unsqueeze(2), memory, query.unsqueeze(2)).squeeze(2)  # (rows, l)
        scores = scores.masked_fill(~self._real[:rows], torch.finfo(scores.dtype).min)
        weights = scores.softmax(1)
        if torch.is_grad_enabled():
            self._seen.append((query.detach(), weights.detach()))
        return torch.baddbmm(self._contexts[step].unsqueeze(1), weights.unsqueeze(1), memory).squeeze(1)


class _DeferredMemory(torch.autograd.Function):
    """Zero scores (n, l) and contexts (n, d) whose gradients are turned into that of the memory."""

    @staticmethod
    def forward(
        ctx: Any, memory: Tensor, sizes: tuple[int, ...], seen: list[tuple[Tensor, Tensor]]
    ) -> tuple[Tensor, Tensor]:
        ctx.shape, ctx.sizes, ctx.seen = memory.shape, sizes, seen
        rows = sum(sizes)
        return memory.new_zeros(rows, memory.shape[1]), memory.new_zeros(rows, memory.shape[2])

    @staticmethod
    def backward(ctx: Any, of_scores: Tensor, of_contexts: Tensor) -> Any:
        samples, places, d = ctx.shape
        steps = len(ctx.sizes)
        left, right = (of_scores.new_zeros(samples, 2 * steps, width) for width in (places, d))
        each = zip(
            torch.split(of_scores, list(ctx.sizes)), torch.split(of_contexts, list(ctx.sizes)), ctx.seen, strict=True
        )
        for step, (of_score, of_context, (query, weights)) in enumerate(each):
            rows = len(query)
            left[:rows, step], right[:rows, step] = of_score, query
            left[:rows, steps + step], right[:rows, steps + step] = weights, of_context
        return torch.bmm(left.transpose(1, 2), right), None, None  # (b, l, d)


_deferred_memory = as_function(_DeferredMemory)
