from __future__ import annotations

import numpy as np

from duologue.ratings.judgement import Rating
from duologue.ratings.table import RatingTable


def test_names_are_sorted_and_units_are_answers_by_raters() -> None:
    table = RatingTable.of(
        [
            Rating("2", "b", "zoe", "wit", 3.0),
            Rating("1", "a", "ann", "wit", 1.0),
            Rating("1", "a", "zoe", "wit", 2.0),
            Rating("1", "a", "zoe", "tact", 0.0),
        ],
        ["tact", "wit"],
    )
    assert (table.items, table.systems, table.raters) == (("1", "2"), ("a", "b"), ("ann", "zoe"))
    units = table.units(1)
    np.testing.assert_array_equal(units.values, [[1.0, 2.0], [np.nan, 3.0]])
    assert (units.item.tolist(), units.system.tolist(), units.raters.tolist()) == ([0, 1], [0, 1], [0, 1])
    assert table.units(0).values.tolist() == [[0.0]]
    assert table.units(1, [1]).values.tolist() == [[3.0]]
