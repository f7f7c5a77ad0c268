from __future__ import annotations

import numpy as np
import pytest

from duologue.ratings.judged import TOTAL, beside_judge
from duologue.ratings.judgement import Rating
from duologue.ratings.protocol import find_protocol
from duologue.ratings.table import RatingTable

SPOKEN = find_protocol("spoken")
NAMES = [one.name for one in SPOKEN.criterion]


def drawn(items: int, raters: list[str], bias: float) -> RatingTable:
    rng = np.random.default_rng(5)
    rows = []
    for item in range(items):
        for system, mean in (("a", 0.6), ("b", 1.4)):
            quality = mean + rng.normal(0, 0.5)
            for rater in raters:
                for name in NAMES:
                    points = float(np.clip(round(quality + bias + rng.normal(0, 0.3)), 0, 2))
                    rows.append(Rating(f"i{item:03}", system, rater, name, points))
    return RatingTable.of(rows, NAMES)


def test_ppi_puts_a_biased_judge_right() -> None:
    people, judge = drawn(60, ["ann", "ben", "cy"], 0.0), drawn(600, ["llm"], 0.4)
    found = beside_judge(people, judge, SPOKEN)
    means = {(one.criterion, one.system): one for one in found.means}
    assert len(means) == 8
    for system in "ab":
        one = means[TOTAL, system]
        assert one.people is not None
        assert one.both is not None
        assert one.judge is not None
        assert one.judge.value - one.people.value > 0.5
        assert abs(one.both.value - one.people.value) < 0.4
        assert one.both.low < one.people.value < one.both.high
        assert (one.both.labels, one.both.others) == (180, 540)
        single = [means[name, system].people for name in NAMES]
        assert one.people.value == pytest.approx(sum(part.value for part in single if part))
    (difference,) = found.differences
    assert (difference.system, difference.other) == ("a", "b")
    assert difference.both is not None
    assert difference.both.high < 0
    assert [one.labels for one in found.criteria] == [360, 360, 360]
    assert found.uncalibrated == ()
    assert all(one.agreement.value is not None for one in found.criteria)


def test_no_interval_of_a_mean_leaves_the_scale_of_the_points() -> None:
    def rated(items: int, rater: str) -> RatingTable:
        rows = [
            Rating(f"i{item:03}", "a", rater, name, 1.0 if item == 3 else 2.0)
            for item in range(items)
            for name in NAMES
        ]
        return RatingTable.of(rows, NAMES)

    highest = [one.high for one in SPOKEN.criterion]
    for one, most in zip(
        beside_judge(rated(20, "ann"), rated(30, "llm"), SPOKEN).means, [*highest, SPOKEN.highest], strict=True
    ):
        assert one.people is not None
        assert one.both is not None
        assert one.judge is not None
        for found in (one.people, one.both, one.judge):
            assert found.value < found.high == most
            assert found.low < found.value


def test_few_labels_are_uncalibrated_and_a_system_without_people_has_the_judge_alone() -> None:
    people, judge = drawn(8, ["ann"], 0.0), drawn(40, ["llm"], 0.0)
    mine = people.system == 0
    one_system = people._replace(
        **{name: getattr(people, name)[mine] for name in ("item", "system", "rater", "criterion", "value")}
    )
    found = beside_judge(one_system, judge, SPOKEN)
    assert found.uncalibrated == tuple(NAMES)
    other = next(one for one in found.means if (one.criterion, one.system) == (TOTAL, "b"))
    assert other.people is None
    assert other.both is None
    assert other.judge is not None
    assert found.differences[0].people is None
