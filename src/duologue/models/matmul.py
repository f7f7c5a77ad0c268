"""Matrix products for a varying number of rows, padded so that few kernels are compiled.

For bfloat16 on a CPU torch compiles and keeps a kernel per shape (measured with `Postks`: 1.1 GB after four training
steps). Here the rows are zero-padded to one of two sizes per power of two; the result is the same, and the products of
1 to 256 rows need a third of the memory (`python benchmarks/networks.py --only products`). Other precisions are not
padded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.nn import functional

if TYPE_CHECKING:
    from torch import Tensor


def multiplies_bfloat16() -> bool:
    """Return whether the processor has instructions for products of bfloat16; without, they take many times longer."""
    return any(getattr(torch.cpu, one, bool)() for one in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"))


def affine(bias: Tensor, x: Tensor, weight: Tensor) -> Tensor:
    """Return x W^T + b: x (n, in), W (out, in), b (out,) or (n, out) -> (n, out)."""
    if x.dtype != torch.bfloat16:
        return torch.addmm(bias, x, weight.T)
    return matmul(x, weight.T).add_(bias)


def matmul(x: Tensor, matrix: Tensor) -> Tensor:
    """Return x M: x (n, in), M (in, out) -> (n, out)."""
    return torch.mm(rounded(x), matrix)[: len(x)]


def outer_sum(left: Tensor, right: Tensor) -> Tensor:
    """Return left^T right, the sum of the outer products of the rows: left (n, a), right (n, b) -> (a, b)."""
    return torch.mm(rounded(left).T, rounded(right))


def rounded(x: Tensor) -> Tensor:
    """Return x padded with zero rows, for bfloat16 only."""
    if x.dtype != torch.bfloat16:
        return x
    step = max(16, 1 << max(0, (len(x) - 1).bit_length() - 2))  # half of the octave
    return functional.pad(x, (0, 0, 0, -len(x) % step))
