from __future__ import annotations

import numpy as np
import pytest

from duologue.core.errors import UsageError
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


def test_a_table_whose_items_stand_in_the_place_of_systems_is_refused() -> None:
    ratings = [Rating("s", f"item {number}", "ann", "wit", 1.0) for number in range(301)]
    with pytest.raises(UsageError, match=r"301 systems were rated, .*in each other's place\?"):
        RatingTable.of(ratings, ["wit"])
    assert len(RatingTable.of(ratings[:300], ["wit"]).systems) == 300


def test_raters_with_another_name_in_each_row_are_refused_before_memory_is_taken() -> None:
    table = RatingTable.of([Rating(f"{n}", "a", f"{n}", "wit", 1.0) for n in range(8_000)], ["wit"])
    with pytest.raises(UsageError, match=r"8,000 answers were rated by 8,000 raters, .*does each rater have one name"):
        table.units(0)
