"""Top-k per row with a fixed rule for ties, shared by all searches.

`Tensor.topk` leaves the order of equal values open; torch's stable sort, which does not, takes 18 times as long as this
(`python benchmarks/networks.py --only top`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def stable_topk(values: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the `k` largest values of each row in descending order, and their indices: (rows, n) -> (rows, k) each.

    Ties are broken by the lower index, as in `Tensor.argmax`; `Tensor.topk` leaves their order open.
    Values of -inf may come in any order.
    """
    best, places = values.topk(k, 1)
    last = best[:, -1:]
    tied = (best[:, 1:] == best[:, :-1]).any(1) | ((values == last).sum(1) > (best == last).sum(1))
    rows = (tied & (best[:, 0] > -float("inf"))).nonzero().flatten()
    if len(rows):  # rare, and a sort takes many times what `topk` does
        ordered, order = values[rows].sort(stable=True, dim=1, descending=True)
        best[rows], places[rows] = ordered[:, :k], order[:, :k]
    return best, places
