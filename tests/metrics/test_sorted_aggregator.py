from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.metrics import sorted_aggregator as module
from duologue.metrics.sorted_aggregator import SortedAggregator

KEYS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=30)


@given(KEYS, st.integers(1, 5), st.integers(0, 9))
def test_different_keys_stand_in_order_with_what_was_joined_however_they_come(
    pairs: list[tuple[int, int]], portion: int, waiting: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SMALLEST_BATCH", waiting)
        seen = SortedAggregator(np.add, np.minimum, words=2)
        for start in range(0, len(pairs), portion):
            part = np.array(pairs[start : start + portion])
            seen.add([part[:, 0], part[:, 1]], [np.ones(len(part), np.int64), np.full(len(part), start)])
        keys, values = seen.keys(), seen.values()
    expected = Counter(pairs)
    assert list(zip(*(key.tolist() for key in keys), strict=True)) == sorted(expected)
    if pairs:
        assert values[0].tolist() == [expected[pair] for pair in sorted(expected)]
        assert values[1].tolist() == [pairs.index(pair) // portion * portion for pair in sorted(expected)]
    assert len(seen) == len(expected)


def test_a_key_is_found_at_its_place_and_an_unknown_one_nowhere() -> None:
    seen = SortedAggregator()
    assert seen.places(np.array([1, 2])).tolist() == [-1, -1]
    seen.add([np.array([5, 1, 5])])
    assert seen.places(np.array([5, 0, 1, 9, 3])).tolist() == [1, -1, 0, -1, -1]
    seen.add([np.array([], np.int64)])
    assert seen.keys()[0].tolist() == [1, 5]
