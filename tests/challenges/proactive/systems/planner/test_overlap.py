from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.proactive.systems.planner.overlap import overlaps


@given(st.lists(st.text(alphabet="ab好", max_size=8), min_size=1, max_size=6))
def test_overlaps_are_the_multiset_intersections_of_all_pairs(texts: list[str]) -> None:
    sizes, shared = overlaps(texts)
    counts = [Counter(text) for text in texts]
    assert sizes.tolist() == [len(text) for text in texts]
    assert shared.tolist() == [[(one & other).total() for other in counts] for one in counts]
