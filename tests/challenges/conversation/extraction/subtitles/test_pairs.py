from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.conversation.extraction.subtitles.pairs import (
    UNUSED,
    PairLayout,
    lay_out,
    official_split,
    split_by_movie,
)


def test_the_cuts_are_those_of_the_official_tool() -> None:
    assert official_split(355, (0.5, 0.25)).ranges == (range(236), range(236, 355))
    assert official_split(10, (0.9, 0.1)).ranges == (range(9), range(9, 10))


@given(st.integers(0, 1000), st.lists(st.floats(0.01, 1), min_size=1, max_size=3))
def test_official_parts_follow_one_another_to_the_end(length: int, ratios: list[float]) -> None:
    ranges = official_split(length, ratios).ranges
    assert [part.start for part in ranges[1:]] == [part.stop for part in ranges[:-1]]
    assert (ranges[0].start, ranges[-1].stop) == (0, length)


def test_files_stand_in_the_shuffled_order_with_an_empty_entry_after_each() -> None:
    layout = lay_out(np.array([2, 3, 0]), np.array([5, -1, 7, -1]))
    assert layout.starts.tolist() == [8, -1, 0, -1]
    assert layout.length == 14


def test_a_movie_is_in_the_same_part_of_every_archive() -> None:
    names = [f"xml/en/{1990 + n % 9}/{n // 2}/{n}.xml.gz" for n in range(4000)]
    ratios = (0.8, 0.1)
    split = split_by_movie(PairLayout(np.zeros(4000, np.int64), 100), names, ratios)
    assert split.part_of_file is not None
    parts = split.part_of_file.tolist()
    assert parts[0::2] == parts[1::2]
    other = split_by_movie(PairLayout(np.zeros(4000, np.int64), 7), [f"OpenSubtitles/{name}" for name in names], ratios)
    assert other.part_of_file is not None
    assert other.part_of_file.tolist() == parts
    shares = Counter(parts)
    assert shares[0] == pytest.approx(3200, rel=0.05)
    assert shares[1] == pytest.approx(400, rel=0.25)
    assert shares[UNUSED] == pytest.approx(400, rel=0.25)
    assert split.ranges == (range(100), range(100, 200))
