"""The highest values of a row with one rule for ties, which every search shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def highest(values: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the `k` highest values of each row, best first, and their places: (rows, n) -> (rows, k) each.

    Of equal values the one at the lower place comes first, as in `Tensor.argmax`; `Tensor.topk` takes any of them.
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
