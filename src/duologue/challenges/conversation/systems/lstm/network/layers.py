"""Layers of long short-term memory over texts of unlike length, without a step spent on padding.

Letters: b texts, n words of all texts together, l layers, e numbers of a word, h numbers of a state.

Texts are laid step after step (`recurrent.pack`). What a layer needs of its input is made for all steps at once, and
the gradients of its weights are made at once, too (`late`): torch's own layers make one of full size at every step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn

from duologue.models.blocks import Dropout
from duologue.models.late import LateLinear
from duologue.models.products import affine

if TYPE_CHECKING:
    from torch import Tensor


class State(NamedTuple):
    """What layers remember of texts."""

    hidden: Tensor
    """(l, b, h)"""
    cell: Tensor
    """(l, b, h)"""

    def pick(self, rows: Tensor) -> State:
        """Return these rows, in this order."""
        return State(self.hidden.index_select(1, rows), self.cell.index_select(1, rows))

    def first(self, rows: int) -> State:
        """Return the first so many rows, without the way back to what they were made from."""
        return State(self.hidden[:, :rows].detach(), self.cell[:, :rows].detach())


def join_states(states: list[State]) -> State:
    """Return the rows of several states as one, in their order."""
    return State(torch.cat([one.hidden for one in states], 1), torch.cat([one.cell for one in states], 1))


class LstmLayer(nn.Module):
    """c' = f c + i g, h' = o tanh(c') with f, i, o = sigmoid and g = tanh of what comes from input and state.

    Rows of the weights: those of i, f and o, then those of g.
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
        """Return h' after each word (n, h), and the last h and c of each text (b, h), longer texts first.

        x (n, e) is laid step after step; h and c (b, h) are those before the first word, longer texts first.
        """
        third = 3 * h.shape[1]
        by_state = LateLinear(affine(self.b_input + self.b_hidden, x, self.w_input), self.w_hidden, sizes)
        told: list[Tensor] = []
        ended: list[tuple[Tensor, Tensor]] = []
        for step, rows in enumerate(sizes):
            if rows < len(h):  # these texts have no such word
                ended.append((h[rows:], c[rows:]))
                h, c = h[:rows], c[:rows]
            gates = by_state(step, h)  # (rows, 4h)
            i, f, o = gates[:, :third].sigmoid().chunk(3, 1)  # each (rows, h)
            c = torch.addcmul(f * c, i, gates[:, third:].tanh())
            h = o * c.tanh()
            told.append(h)
        ended.append((h, c))
        last = [torch.cat(part) for part in zip(*reversed(ended), strict=True)]
        return torch.cat(told), last[0], last[1]


class Lstm(nn.Module):
    """Layers above each other; in training a share of what one gives is dropped before the next."""

    def __init__(self, inputs: int, size: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.size = size
        self.layers = nn.ModuleList(LstmLayer(inputs if not place else size, size) for place in range(layers))
        self.drop = Dropout(dropout)

    def forward(self, x: Tensor, sizes: tuple[int, ...], state: State | None) -> tuple[Tensor, State]:
        """Return what the last layer gives after each word (n, h), and the state of each text.

        x (n, e) and the rows of states are laid as `recurrent.pack` lays texts; `None`: nothing was heard before.
        """
        nothing = x.new_zeros(sizes[0], self.size)
        hiddens, cells = [], []
        for place, layer in enumerate(self.layers):
            h, c = (nothing, nothing) if state is None else (state.hidden[place], state.cell[place])
            x, h, c = layer(x if not place else self.drop(x), sizes, h, c)
            hiddens.append(h)
            cells.append(c)
        return x, State(torch.stack(hiddens), torch.stack(cells))
