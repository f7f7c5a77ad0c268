"""Gated recurrent units over sequences of unlike length, without a step spent on padding.

Letters: s sequences, t steps, n tokens of all sequences together, e numbers in, d numbers of a state.

Sequences are laid step after step (`Packed`): first the first tokens of all, the longest sequence first, then the second
tokens of those that have one. Every step works on a block of rows that only gets shorter. The pass back through time is
written by hand, so that the gradients of the weights are one matrix product each and a token keeps 5d numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


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

    def to(self, device: torch.device) -> Packed:
        """Return the same on another device."""
        return Packed(*(part.to(device) if isinstance(part, torch.Tensor) else part for part in self))


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

        Matrix products and what is kept for the way back are in `precision`, states in at least float32.
        """
        states: Tensor = _Sweep.apply(x, self.w_input, self.w_hidden, self.b_input, self.b_hidden, sizes, precision)  # type: ignore[no-untyped-call]  # torch leaves it untyped
        return states


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
    """All steps of one unit. The way back overwrites what was kept, so it can be gone once."""

    @staticmethod
    def forward(  # type: ignore[override]  # torch declares no arguments
        ctx: Any,
        x: Tensor,
        w_input: Tensor,
        w_hidden: Tensor,
        b_input: Tensor,
        b_hidden: Tensor,
        sizes: tuple[int, ...],
        precision: torch.dtype,
    ) -> Tensor:
        d = w_hidden.shape[1]
        fine = torch.promote_types(precision, torch.float32)
        x, w_input, w_hidden = x.to(precision), w_input.to(precision), w_hidden.to(precision)
        b_hidden = b_hidden.to(precision)
        gates = torch.addmm(b_input.to(precision), x, w_input.T)  # (n, 3d): i, soon [r z c]
        inner = gates.new_empty(len(x), d)  # j_c
        states = gates.new_empty(len(x), d, dtype=fine)
        h = states.new_zeros(sizes[0], d)
        start = 0
        for rows in sizes:
            here = slice(start, start + rows)
            h = h[:rows]
            j = torch.addmm(b_hidden, h.to(precision), w_hidden.T)  # (rows, 3d)
            r, z = gates[here, : 2 * d].add_(j[:, : 2 * d]).sigmoid_().chunk(2, 1)
            c = gates[here, 2 * d :].addcmul_(r, j[:, 2 * d :]).tanh_()
            inner[here] = j[:, 2 * d :]
            h = torch.lerp(c.to(fine), h, z.to(fine), out=states[here])
            start += rows
        ctx.save_for_backward(x, w_input, w_hidden, states)
        ctx.sizes, ctx.kept = sizes, (gates, inner)
        return states

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:  # type: ignore[override]  # torch declares any number of gradients
        x, w_input, w_hidden, states = ctx.saved_tensors
        if ctx.kept is None:
            raise RuntimeError("the way back through time can be gone once; run the forward pass again")
        (gates, inner), ctx.kept = ctx.kept, None
        d, end = inner.shape[1], len(states)
        fine = states.dtype
        carry = states.new_zeros(0, d)
        for rows, earlier in zip(ctx.sizes[::-1], (*ctx.sizes[-2::-1], 0), strict=True):
            here = slice(end - rows, end)
            dh = grad[here].clone()
            dh[: len(carry)] += carry
            r, z, c = gates[here].to(fine).chunk(3, 1)
            before = states[here.start - earlier : here.start - earlier + rows] if earlier else torch.zeros_like(dh)
            of_c = dh * (1 - z) * (1 - c * c)
            of_z = dh * (before - c) * (z * (1 - z))
            of_r = of_c * inner[here] * (r * (1 - r))
            carry = dh * z
            inner[here] = of_c * r
            gates[here] = torch.cat([of_r, of_z, of_c], 1)  # r, z and c are gone from here on
            carry += torch.cat([gates[here, : 2 * d], inner[here]], 1) @ w_hidden
            end -= rows
        # the state before each token: that of the same row one step earlier
        parts = [states.new_zeros(ctx.sizes[0], d)]
        for rows, later in zip(ctx.sizes, ctx.sizes[1:], strict=False):
            parts.append(states[end : end + later])
            end += rows
        before_all = torch.cat(parts).to(x.dtype)  # (n, d)
        of_hidden = torch.cat([gates[:, : 2 * d].T @ before_all, inner.T @ before_all])
        of_b_input = gates.sum(0, dtype=fine)
        of_b_hidden = torch.cat([of_b_input[: 2 * d], inner.sum(0, dtype=fine)])
        of_x = gates @ w_input if ctx.needs_input_grad[0] else None
        return _fine(of_x, fine), _fine(gates.T @ x, fine), of_hidden.to(fine), of_b_input, of_b_hidden, None, None


def _fine(tensor: Tensor | None, kind: torch.dtype) -> Tensor | None:
    return None if tensor is None else tensor.to(kind)
