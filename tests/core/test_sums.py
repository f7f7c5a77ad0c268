from __future__ import annotations

import math
import random

from duologue.challenges.conversation.extraction.subtitles.pairs import official_split
from duologue.core.sums import added


def test_values_are_added_one_after_another_on_every_python() -> None:
    assert added([0.1] * 10) == 0.9999999999999999  # 1.0 with `sum` from Python 3.12 on
    assert added([1.0, 1e100, 1.0, -1e100]) == 0.0
    rng = random.Random(1)
    values = [rng.random() for _ in range(1000)]
    total = 0.0
    for value in values:
        total = total + value
    assert added(values) == total != math.fsum(values)


def test_nothing_adds_up_to_nothing() -> None:
    assert added([]) == 0.0


def test_the_official_cuts_are_those_of_the_older_sum() -> None:
    split = official_split(1000, (0.1, 0.05, 0.01))
    assert [len(part) for part in split.ranges] == [624, 313, 63]  # 625 of the first with the exact sum
