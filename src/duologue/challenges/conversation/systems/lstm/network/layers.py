"""LSTM layers over packed sequences, so that no step is spent on padding.

Shapes: B sequences, N tokens of all sequences, L layers, E input size, H hidden size.

Sequences are packed step after step (`recurrent.pack`). Input projections are computed for all steps at once, and so
are weight gradients (`deferred_grad`): torch's own layers compute a full-size one at every step, and a training step
takes 1.5 times as long (`python benchmarks/networks.py --only lstm`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn

from duologue.models.blocks import Dropout
from duologue.models.deferred_grad import DeferredLinear
from duologue.models.matmul import affine

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

    def forward(self, x: Tensor, sizes: tuple[int, ...], h: Tensor, c: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return h' at each token (N, H), and the final h and c (B, H), longer sequences first.

        x (N, E) is packed step after step; h and c (B, H) are the initial states, longer sequences first.
        """
        third = 3 * h.shape[1]
        by_state = DeferredLinear(affine(self.b_input + self.b_hidden, x, self.w_input), self.w_hidden, sizes)
        outputs: list[Tensor] = []
        ended: list[tuple[Tensor, Tensor]] = []
        for step, rows in enumerate(sizes):
            if rows < len(h):  # these sequences have ended
                ended.append((h[rows:], c[rows:]))
                h, c = h[:rows], c[:rows]
            gates = by_state(step, h)  # (rows, 4H)
            i, f, o = gates[:, :third].sigmoid().chunk(3, 1)  # each (rows, H)
            c = torch.addcmul(f * c, i, gates[:, third:].tanh())
            h = o * c.tanh()
            outputs.append(h)
        ended.append((h, c))
        last = [torch.cat(part) for part in zip(*reversed(ended), strict=True)]
        return torch.cat(outputs), last[0], last[1]


class Lstm(nn.Module):
    """Stacked LSTM layers with dropout between them."""

    def __init__(self, inputs: int, size: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.size = size
        self.layers = nn.ModuleList(LstmLayer(inputs if not place else size, size) for place in range(layers))
        self.drop = Dropout(dropout)

    def forward(self, x: Tensor, sizes: tuple[int, ...], state: LstmState | None) -> tuple[Tensor, LstmState]:
        """Return the outputs of the last layer (N, H), and the final state of each sequence.

        x (N, E) and states are ordered as by `recurrent.pack`; `None`: zero initial state.
        """
        nothing = x.new_zeros(sizes[0], self.size)
        hiddens, cells = [], []
        for place, layer in enumerate(self.layers):
            h, c = (nothing, nothing) if state is None else (state.hidden[place], state.cell[place])
            x, h, c = layer(x if not place else self.drop(x), sizes, h, c)
            hiddens.append(h)
            cells.append(c)
        return x, LstmState(torch.stack(hiddens), torch.stack(cells))
