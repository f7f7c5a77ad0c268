"""GRUs over packed sequences of unequal length, without computation on padding.

Shapes: s sequences, t steps, n tokens of all sequences together, e numbers in, d numbers of a state.

Sequences are laid step after step (`Packed`): first the first tokens of all, the longest sequence first, then the
second tokens of those that have one. Every step works on a block of rows that only gets shorter. The pass back through
time is written by hand, so that the gradients of the weights are a few large products and a token keeps d numbers: with
`nn.GRU` a training step over 32 sources of 120 tokens takes 4.1 times as long, one over short triples as long
(`python benchmarks/networks.py --only gru`).
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import nn

from duologue.models.autograd import as_function
from duologue.models.matmul import affine, matmul, outer_sum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

_ROWS = 1024  # tokens whose gates are there at once


class Packed(NamedTuple):
    """Sequences laid step after step."""

    tokens: Tensor
    """Token numbers (n,)."""
    sizes: tuple[int, ...]
    """Sequences that have a step, per step; never rising."""
    turned: Tensor
    """Per token the place (n,) of the token as far from the end of its sequence as this one is from the start."""
    ends: Tensor
    """Per sequence, in the order given, the place (s,) of its last token."""
    order: Tensor
    """The sequences (s,) in the order in which they lie within a step: by falling length, equal ones as given."""
    grid: Tensor
    """Place of each token of each sequence, in the order given (s, t); 0 where there is none."""
    real: Tensor
    """Where `grid` holds a token (s, t)."""


def pack(sequences: Sequence[Sequence[int]]) -> Packed:
    """Lay sequences of at least one token each step after step.

    >>> pack([[5], [7, 8, 9]]).tokens.tolist()
    [7, 5, 8, 9]
    """
    lengths = np.array([len(one) for one in sequences])
    if not len(sequences) or not lengths.all():
        raise ValueError("expected sequences of at least one token each")
    order = np.argsort(-lengths, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    steps = np.arange(lengths.max())
    real = steps < lengths[:, None]  # (s, t)
    sizes = real.sum(0)
    starts = np.cumsum(sizes) - sizes
    grid = np.where(real, starts + rank[:, None], 0)
    tokens, turned = np.empty(lengths.sum(), np.int64), np.empty(lengths.sum(), np.int64)
    tokens[grid[real]] = np.concatenate([np.asarray(one, np.int64) for one in sequences])  # both row by row
    mirrored = starts[np.maximum(lengths[:, None] - 1 - steps, 0)] + rank[:, None]
    turned[grid[real]] = mirrored[real]
    parts = (turned, starts[lengths - 1] + rank, order, grid, real)
    return Packed(torch.from_numpy(tokens), tuple(sizes.tolist()), *map(torch.from_numpy, parts))


class Gru(nn.Module):
    """A gated recurrent unit: its weights, in the layout of torch (rows for reset, update and candidate).

    r = sigmoid(i_r + j_r), z = sigmoid(i_z + j_z), c = tanh(i_c + r j_c), h' = (1 - z) c + z h, where i comes from the
    input and j from the state, each with a bias: the reset gate multiplies the state's bias too.
    """

    def __init__(self, inputs: int, size: int) -> None:
        super().__init__()
        self.w_input = nn.Parameter(torch.empty(3 * size, inputs))
        self.w_hidden = nn.Parameter(torch.empty(3 * size, size))
        self.b_input = nn.Parameter(torch.empty(3 * size))
        self.b_hidden = nn.Parameter(torch.empty(3 * size))
        for weight in self.parameters():
            nn.init.uniform_(weight, -(size**-0.5), size**-0.5)

    def forward(self, x: Tensor, sizes: tuple[int, ...], precision: torch.dtype) -> Tensor:
        """Return the state after each token: x (n, e) laid step after step -> (n, d); the first state is zero.

        Matrix products and what is kept for the way back are in `precision`, states in at least float32. Without a
        way back the layer is torch's, in up to half the time.
        """
        if not torch.is_grad_enabled() and precision.itemsize >= 4:
            weights = [one.to(precision) for one in (self.w_input, self.w_hidden, self.b_input, self.b_hidden)]
            first = x.new_zeros(1, sizes[0], self.w_hidden.shape[1], dtype=precision)
            biases, layers, dropout, training, two_way = True, 1, 0.0, False, False
            return torch.gru(
                x.to(precision), torch.tensor(sizes), first, weights, biases, layers, dropout, training, two_way
            )[0]
        return _swept(x, self.w_input, self.w_hidden, self.b_input, self.b_hidden, sizes, precision)


class TwoWayGru(nn.Module):
    """Two units, one from the start and one from the end; 2d numbers of state, forward ones first."""

    def __init__(self, inputs: int, size: int) -> None:
        super().__init__()
        self.forward_gru = Gru(inputs, size)
        self.backward_gru = Gru(inputs, size)

    def forward(self, x: Tensor, packed: Packed, precision: torch.dtype) -> tuple[Tensor, Tensor]:
        """Return the states of both directions per token (n, d), (n, d), the second counted from the end.

        Token `p` of the second stands at `packed.turned[p]`.
        """
        back = self.backward_gru(x.index_select(0, packed.turned), packed.sizes, precision)
        return self.forward_gru(x, packed.sizes, precision), back

    def last(self, x: Tensor, packed: Packed, precision: torch.dtype) -> Tensor:
        """Return the last states of each sequence, in the order given: (n, e) -> (s, 2d)."""
        return ends_of(self(x, packed, precision), packed)


def ends_of(states: tuple[Tensor, Tensor], packed: Packed) -> Tensor:
    """Return the last states of both directions of each sequence (s, 2d)."""
    return torch.cat([of_direction.index_select(0, packed.ends) for of_direction in states], 1)


def cell(of_input: Tensor, of_state: Tensor, state: Tensor) -> Tensor:
    """Return the next state of a unit: i (b, 3d), j (b, 3d), h (b, d) -> h' (b, d)."""
    d = state.shape[1]
    r, z = (of_input[:, : 2 * d] + of_state[:, : 2 * d]).sigmoid().chunk(2, 1)
    c = torch.addcmul(of_input[:, 2 * d :], r, of_state[:, 2 * d :]).tanh()
    return torch.lerp(c.to(state.dtype), state, z.to(state.dtype))


class _Sweep(torch.autograd.Function):
    """All steps of one unit; only its states are kept, gates are made again on the way back, many steps at once."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        w_input: Tensor,
        w_hidden: Tensor,
        b_input: Tensor,
        b_hidden: Tensor,
        sizes: tuple[int, ...],
        precision: torch.dtype,
    ) -> Tensor:
        x, w_input, w_hidden = x.to(precision), w_input.to(precision), w_hidden.to(precision)
        b_input, b_hidden = b_input.to(precision), b_hidden.to(precision)
        d = w_hidden.shape[1]
        states = x.new_empty(len(x), d, dtype=torch.promote_types(precision, torch.float32))
        h = states.new_zeros(sizes[0], d)
        for block in _blocks(sizes):
            of_input = affine(b_input, x[block.rows], w_input)  # i (rows, 3d)
            for start, size in block.steps:
                h = h[:size]
                of_state = affine(b_hidden, h.to(precision), w_hidden)  # j (size, 3d)
                at = start - block.rows.start
                h = states[start : start + size] = cell(of_input[at : at + size], of_state, h)
        ctx.save_for_backward(x, w_input, w_hidden, b_input, b_hidden, states)
        ctx.sizes = sizes
        return states

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        x, w_input, w_hidden, b_input, b_hidden, states = ctx.saved_tensors
        fine, d = states.dtype, states.shape[1]
        before = _shifted(states, ctx.sizes)  # the state before each token (n, d)
        slopes = [torch.zeros_like(one, dtype=fine) for one in (x, w_input, w_hidden, b_input, b_hidden)]
        of_x, of_w_input, of_w_hidden, of_b_input, of_b_hidden = slopes
        carry = states.new_zeros(0, d)
        for block in reversed(_blocks(ctx.sizes)):
            here, known = before[block.rows], x[block.rows]
            narrow = here.to(x.dtype)
            i, j = affine(b_input, known, w_input), affine(b_hidden, narrow, w_hidden)  # (rows, 3d)
            r, z = (i[:, : 2 * d] + j[:, : 2 * d]).sigmoid_().to(fine).chunk(2, 1)
            inner = j[:, 2 * d :]
            c = torch.addcmul(i[:, 2 * d :], r.to(x.dtype), inner).tanh_().to(fine)
            # dh times these are the slopes of i_c, i_z and i_r
            by_c = (1 - z) * (1 - c * c)
            by_z = (here - c) * z * (1 - z)
            by_r = by_c * inner * r * (1 - r)
            for start, size in reversed(block.steps):
                dh = grad[start : start + size].clone()  # (size, d)
                dh[: len(carry)] += carry
                at = slice(start - block.rows.start, start - block.rows.start + size)
                of_c = dh * by_c[at]
                torch.cat([dh * by_r[at], dh * by_z[at], of_c], 1, out=i[at])
                j[at, : 2 * d], j[at, 2 * d :] = i[at, : 2 * d], of_c * r[at]
                carry = (dh * z[at]).add_(matmul(j[at], w_hidden))
            of_x[block.rows] = matmul(i, w_input)
            of_w_input += outer_sum(i, known)
            of_w_hidden += outer_sum(j, narrow)
            of_b_input += i.sum(0, dtype=fine)
            of_b_hidden += j.sum(0, dtype=fine)
        return *slopes, None, None


_swept = as_function(_Sweep)


class _Block(NamedTuple):
    """Some steps on end."""

    rows: slice
    """The tokens of all its steps."""
    steps: list[tuple[int, int]]
    """Per step its first token and their number."""


def _blocks(sizes: tuple[int, ...]) -> list[_Block]:
    """Cut the steps into blocks of about `_ROWS` tokens: large enough for fast products, small enough to be dropped."""
    blocks: list[_Block] = []
    steps: list[tuple[int, int]] = []
    first = start = 0
    for number, size in enumerate(sizes):
        steps.append((start, size))
        start += size
        if start - first >= _ROWS or number == len(sizes) - 1:
            blocks.append(_Block(slice(first, start), steps))
            first, steps = start, []
    return blocks


def _shifted(states: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """Return the state before each token (n, d): that of the same row one step earlier, zero at first."""
    starts = [0, *accumulate(sizes)]
    parts = [states[start : start + later] for start, later in zip(starts, sizes[1:], strict=False)]
    return torch.cat([states.new_zeros(sizes[0], states.shape[1]), *parts])
