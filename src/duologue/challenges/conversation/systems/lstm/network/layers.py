"""LSTM layers over packed sequences, so that no step is spent on padding.

Shapes: B sequences, N tokens of all sequences, L layers, E input size, H hidden size.

Sequences are packed step after step (`recurrent.pack`). Input projections are computed for all steps at once, and so
are weight gradients: the backward pass through time is written by hand. On batches as published `nn.LSTM`, which
computes a full-size weight gradient at every step, takes 2.03 times as long with float32; with bfloat16, where it keeps
a compiled kernel for each number of rows, 2.34 times as long with 2.8 times the memory
(`python benchmarks/networks.py --only "batches"`).
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import nn

from duologue.models.autograd import as_function
from duologue.models.blocks import Dropout

if TYPE_CHECKING:
    from torch import Tensor


class LstmState(NamedTuple):
    """Hidden and cell states."""

    hidden: Tensor
    """(L, B, H)"""
    cell: Tensor
    """(L, B, H)"""

    def pick(self, rows: Tensor) -> LstmState:
        """Return the sequences `rows`, in this order."""
        return LstmState(self.hidden.index_select(1, rows), self.cell.index_select(1, rows))

    def first(self, rows: int) -> LstmState:
        """Return the first `rows` sequences, detached from the graph."""
        return LstmState(self.hidden[:, :rows].detach(), self.cell[:, :rows].detach())


def join_states(states: list[LstmState]) -> LstmState:
    """Concatenate states along the batch dimension."""
    return LstmState(torch.cat([one.hidden for one in states], 1), torch.cat([one.cell for one in states], 1))


class LstmLayer(nn.Module):
    """One LSTM layer: c' = f c + i g, h' = o tanh(c'), with sigmoid gates i, f, o and tanh candidate g.

    Rows of the weight matrices: i, f, o, then g.
    """

    def __init__(self, inputs: int, size: int) -> None:
        super().__init__()
        self.w_input = nn.Parameter(torch.empty(4 * size, inputs))
        self.w_hidden = nn.Parameter(torch.empty(4 * size, size))
        self.b_input = nn.Parameter(torch.empty(4 * size))
        self.b_hidden = nn.Parameter(torch.empty(4 * size))
        for weight in self.parameters():
            nn.init.uniform_(weight, -(size**-0.5), size**-0.5)

    def forward(
        self, x: Tensor, sizes: tuple[int, ...], h: Tensor, c: Tensor, precision: torch.dtype = torch.float32
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return h' at each token (N, H), and the final h and c (B, H), longer sequences first.

        x (N, E) is packed step after step; h and c (B, H) are the initial states, longer sequences first. Matrix
        products and what is kept for the backward pass are in `precision`, states in at least float32.
        """
        bias = self.b_input + self.b_hidden
        return _swept(x, self.w_input, self.w_hidden, bias, h, c, sizes, precision)


class _Sweep(torch.autograd.Function):
    """All steps of one layer; activated gates and cell states are kept for the backward pass.

    With bfloat16 the rows of products are rounded up (`_room`), which spares torch a compiled kernel per number of
    rows: a product may read rows of the next step, or none, whose results are dropped.
    """

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        w_input: Tensor,
        w_hidden: Tensor,
        bias: Tensor,
        h: Tensor,
        c: Tensor,
        sizes: tuple[int, ...],
        precision: torch.dtype,
    ) -> tuple[Tensor, Tensor, Tensor]:
        fine = torch.promote_types(precision, torch.float32)
        size, tokens = h.shape[1], len(x)
        x = _roomy(x, precision)
        w_input, w_hidden = w_input.to(precision), w_hidden.to(precision)
        gates = torch.addmm(bias.to(precision), x, w_input.T)  # of the input; (N, 4H) and some rows
        first_h, first_c = h.to(fine), c.to(fine)
        said = _roomy(first_h.clone(), precision)
        states, cells = first_h.new_empty(tokens, size), first_h.new_empty(tokens, size)
        c = first_c
        for start, rows in _steps(sizes):
            here, room = slice(start, start + rows), _room(rows, precision)
            of_step = torch.addmm(gates[start : start + room], said[:room], w_hidden.T)[:rows].to(fine)  # (rows, 4H)
            i, f, o = of_step[:, : 3 * size].sigmoid_().chunk(3, 1)
            g = of_step[:, 3 * size :].tanh_()
            c, now = torch.mul(f, c[:rows], out=cells[here]).addcmul_(i, g), states[here]
            torch.mul(o, c.tanh(), out=now)
            gates[here], said[:rows] = of_step, now
        ctx.save_for_backward(x, w_input, w_hidden, first_h, first_c, gates, states, cells)
        ctx.sizes = sizes
        return states, _ends(states, first_h, sizes), _ends(cells, first_c, sizes)

    @staticmethod
    def backward(ctx: Any, of_states: Tensor, of_h: Tensor, of_c: Tensor) -> Any:
        x, w_input, w_hidden, first_h, first_c, gates, states, cells = ctx.saved_tensors
        precision, fine, tokens = x.dtype, states.dtype, len(states)
        i, f, o, g = gates[:tokens].to(fine).chunk(4, 1)
        squashed = cells.tanh()
        # What the slopes of the cell and of the output are multiplied with to give those of the gates' inputs
        by_i, by_f, by_g = g * i * (1 - i), _before(cells, first_c, ctx.sizes) * f * (1 - f), i * (1 - g * g)
        by_o, by_h = squashed * o * (1 - o), o * (1 - squashed * squashed)
        slopes = torch.zeros_like(gates)  # of the gates' inputs
        of_i, of_f, of_o, of_g = slopes.chunk(4, 1)
        dh, dc = of_h.clone(), of_c.clone()
        for start, rows in reversed(_steps(ctx.sizes)):
            here, room = slice(start, start + rows), _room(rows, precision)
            of_output = of_states[here] + dh[:rows]
            of_cell = dc[:rows].addcmul_(of_output, by_h[here])  # in place: what is left goes to the step before
            of_i[here], of_f[here] = of_cell * by_i[here], of_cell * by_f[here]
            of_o[here], of_g[here] = of_output * by_o[here], of_cell * by_g[here]
            of_cell.mul_(f[here])
            dh[:rows] = torch.mm(slopes[start : start + room], w_hidden)[:rows]
        before = _roomy(_before(states, first_h, ctx.sizes), precision)
        of_x = torch.mm(slopes, w_input)[:tokens]
        of_weights = [(slopes.T @ x).to(fine), (slopes.T @ before).to(fine), slopes.sum(0).to(fine)]
        return of_x.to(fine), *of_weights, dh, dc, None, None


_swept = as_function(_Sweep)


def _room(rows: int, precision: torch.dtype) -> int:
    """Return the rows of a product: those asked for, with bfloat16 rounded up to eight sizes per power of two."""
    return rows if precision.itemsize >= 4 else rows + -rows % max(16, 1 << max(0, (rows - 1).bit_length() - 4))


def _roomy(x: Tensor, precision: torch.dtype) -> Tensor:
    """Return x in `precision`, with bfloat16 followed by rows of zeros, enough for products of its last rows too."""
    if precision.itemsize >= 4:
        return x.to(precision)
    found = x.new_zeros(_room(len(x) + 16, precision), x.shape[1], dtype=precision)
    found[: len(x)] = x
    return found


def _steps(sizes: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the first token and the number of tokens of each step."""
    return list(zip(accumulate(sizes, initial=0), sizes, strict=False))


def _before(states: Tensor, first: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """Return the state before each token (N, H): that of its sequence one step earlier, `first` (B, H) at first."""
    parts = [states[start : start + later] for (start, _), later in zip(_steps(sizes), sizes[1:], strict=False)]
    return torch.cat([first, *parts])


def _ends(states: Tensor, first: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """Return the last state of each sequence (B, H), `first` (B, H) of those without a token."""
    parts = [
        states[start + later : start + rows]
        for (start, rows), later in zip(_steps(sizes), (*sizes[1:], 0), strict=True)
        if later < rows
    ]
    return torch.cat([*reversed(parts), first[sizes[0] :]])


class Lstm(nn.Module):
    """Stacked LSTM layers with dropout between them."""

    def __init__(self, inputs: int, size: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.size = size
        self.layers = nn.ModuleList(LstmLayer(inputs if not place else size, size) for place in range(layers))
        self.drop = Dropout(dropout)

    def forward(
        self, x: Tensor, sizes: tuple[int, ...], state: LstmState | None, precision: torch.dtype = torch.float32
    ) -> tuple[Tensor, LstmState]:
        """Return the outputs of the last layer (N, H), and the final state of each sequence.

        x (N, E) and states are ordered as by `recurrent.pack`; `None`: zero initial state. Matrix products are in
        `precision`.
        """
        nothing = x.new_zeros(sizes[0], self.size)
        hiddens, cells = [], []
        for place, layer in enumerate(self.layers):
            h, c = (nothing, nothing) if state is None else (state.hidden[place], state.cell[place])
            x, h, c = layer(x if not place else self.drop(x), sizes, h, c, precision)
            hiddens.append(h)
            cells.append(c)
        return x, LstmState(torch.stack(hiddens), torch.stack(cells))
