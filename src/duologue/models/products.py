"""Matrix products of rows whose number changes from step to step, without a kernel for each number.

For bfloat16 on a CPU torch compiles a kernel per shape and keeps it (measured with `Postks`: 1.1 GB after four steps of
a training). Here such products get zero rows up to one of two numbers per octave; the result is the same. In other
precisions nothing is added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.nn import functional

if TYPE_CHECKING:
    from torch import Tensor


def affine(bias: Tensor, x: Tensor, weight: Tensor) -> Tensor:
    """Return x W^T + b: x (n, in), W (out, in), b (out,) or (n, out) -> (n, out)."""
    if x.dtype != torch.bfloat16:
        return torch.addmm(bias, x, weight.T)
    return product(x, weight.T).add_(bias)


def product(x: Tensor, matrix: Tensor) -> Tensor:
    """Return x M: x (n, in), M (in, out) -> (n, out)."""
    return torch.mm(_rounded(x), matrix)[: len(x)]


def over_rows(left: Tensor, right: Tensor) -> Tensor:
    """Return the sum over rows of left (n, a) times right (n, b), each with each: (a, b)."""
    return torch.mm(_rounded(left).T, _rounded(right))


def _rounded(x: Tensor) -> Tensor:
    """Return x with zero rows behind it where its precision wants that."""
    if x.dtype != torch.bfloat16:
        return x
    step = max(16, 1 << max(0, (len(x) - 1).bit_length() - 2))  # half of the octave
    return functional.pad(x, (0, 0, 0, -len(x) % step))
