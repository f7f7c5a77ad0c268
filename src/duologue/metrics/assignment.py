"""Best one-to-one assignment of predicted to true items by similarity (Hungarian algorithm).

SciPy's solver (extra `score`) is the only one used: where several assignments are equally good, its order decides,
and an official score that was computed with it can be had again with it alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.core.extras import need

if TYPE_CHECKING:
    from collections.abc import Sequence


def assign(similarity: Sequence[Sequence[float]]) -> list[int | None]:
    """Return for each row the column it is assigned to, `None` for a row left over, so that the sum is greatest.

    Similarities are rounded to float32 as the MobileCS scorer does. Rows or columns may be none at all. Raises
    `MissingExtraError` without SciPy and `ValueError` for rows of unequal length.

    >>> assign([[0.0, 1.0], [0.5, 0.9], [0.0, 0.0]])
    [1, 0, None]
    """
    found: list[int | None] = [None] * len(similarity)
    if not similarity or not len(similarity[0]):
        return found
    solve = need("scipy.optimize", "score").linear_sum_assignment
    rows, columns = solve(-np.array(similarity, dtype=np.float32))
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        found[row] = column
    return found
