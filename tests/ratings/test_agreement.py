from __future__ import annotations

import numpy as np
import pytest

from duologue.ratings.agreement import agreement, agreement_with_judge
from duologue.ratings.coefficients import COEFFICIENTS, FleissKappa, KrippendorffAlpha, WeightedKappa
from duologue.ratings.judgement import Rating
from duologue.ratings.protocol import Criterion
from duologue.ratings.table import RatingTable

SCALE = Criterion(name="quality", low=1, high=5)


def table_of(values: dict[tuple[str, str, str], float]) -> RatingTable:
    """Return ratings given by item, system and rater."""
    return RatingTable.of([Rating(*key, "quality", value) for key, value in values.items()], ["quality"])


def drawn(seed: int, items: int, raters: int = 3, noise: float = 0.7) -> RatingTable:
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1, items)
    said = np.clip(np.round(truth[:, None] + rng.normal(0, noise, (items, raters))), 1, 5)
    return table_of({(f"i{i}", "s", f"r{r}"): said[i, r] for i in range(items) for r in range(raters)})


def test_each_coefficient_has_an_interval_around_it_and_none_above_one() -> None:
    found = agreement(drawn(1, 60).units(0), SCALE)
    assert [one.name for one in found] == [one.name for one in COEFFICIENTS]
    assert found[0].name == "alpha (ordinal)"
    for one in found:
        assert one.low is not None
        assert one.value is not None
        assert one.high is not None
        assert one.low < one.value < one.high <= 1
        assert (one.units, one.raters, one.why) == (60, 3, "")


def test_intervals_hold_the_true_value_about_as_often_as_they_say() -> None:
    truth = agreement(drawn(0, 8_000).units(0), SCALE, [KrippendorffAlpha("interval")])[0].value
    assert truth is not None
    inside = 0
    for seed in range(1, 101):
        (one,) = agreement(drawn(seed, 40).units(0), SCALE, [KrippendorffAlpha("interval")])
        assert one.low is not None
        assert one.high is not None
        inside += one.low <= truth <= one.high
    assert inside >= 88


def test_answers_to_one_item_are_left_out_together() -> None:
    single = drawn(2, 30)
    doubled = table_of(
        {
            (single.items[i], system, single.raters[r]): value
            for i, r, value in zip(single.item, single.rater, single.value, strict=True)
            for system in ("a", "b")
        }
    )
    (one,) = agreement(single.units(0), SCALE, [FleissKappa()])
    (two,) = agreement(doubled.units(0), SCALE, [FleissKappa()])
    assert (two.value, two.low, two.high) == pytest.approx((one.value, one.low, one.high))
    assert two.units == 60


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({("i", "s", "r"): 1.0}, "there is 1 rater"),
        ({("i", "s", "r"): 1.0, ("j", "s", "q"): 2.0}, "no answer was rated by two raters"),
        ({(i, "s", r): 2.0 for i in "abcdef" for r in "rq"}, "all ratings are 2: without differences"),
        ({("a", "s", "r"): 2.0, ("a", "s", "q"): 3.0}, "1 of 1 answers were rated by two raters, and it takes two"),
        ({(i, "s", r): 1.0 + (i == r) for i in "rqp" for r in "rq"}, "there are too few items (3) for an interval"),
    ],
    ids=["one rater", "no overlap", "all equal", "one answer", "few items"],
)
def test_what_is_not_defined_says_why(values: dict[tuple[str, str, str], float], told: str) -> None:
    (one,) = agreement(table_of(values).units(0), SCALE, [KrippendorffAlpha("ordinal")])
    assert told in one.why
    assert one.low is None


def test_a_rater_who_always_says_the_same_leaves_kappa_defined_or_explained() -> None:
    values = {(i, "s", r): 2.0 if r == "r" else float(1 + (i > "c")) for i in "abcdef" for r in "rq"}
    (kappa,) = agreement(table_of(values).units(0), SCALE, [WeightedKappa("quadratic")])
    assert kappa.value == pytest.approx(0.0)


def test_icc_needs_answers_that_all_rated() -> None:
    values = {(f"i{i}", "s", f"r{r}"): float(1 + (i + r) % 5) for i in range(9) for r in range(3) if (i + r) % 3}
    found = {one.name: one for one in agreement(table_of(values).units(0), SCALE)}
    assert found["ICC(2,1)"].value is None
    assert "0 of 9 answers were rated by all 3 raters" in found["ICC(2,1)"].why


def test_many_raters_have_no_pairwise_kappa_and_alpha_instead() -> None:
    values = {(f"i{i}", "s", f"r{r}"): float(1 + (i * r) % 5) for i in range(6) for r in range(400)}
    found = {one.name: one for one in agreement(table_of(values).units(0), SCALE)}
    assert "too many pairs" in found["kappa (linear)"].why
    assert found["alpha (ordinal)"].value is not None


def test_agreement_with_a_judge_rounds_its_fractions() -> None:
    people = drawn(3, 40)
    judge = table_of(
        {
            (people.items[i], "s", "judge"): min(5.0, value + 0.3)
            for i, r, value in zip(people.item, people.rater, people.value, strict=True)
            if r == 0
        }
    )
    one = agreement_with_judge(people, judge, 0, SCALE)
    two = agreement_with_judge(
        people, table_of({(people.items[i], "s", "x"): 3.0 for i in range(40)}), 0, SCALE, KrippendorffAlpha("nominal")
    )
    assert one.value is not None
    assert two.value is not None
    assert two.value < 0.1
    assert one.value > 0.5
    assert one.units == 120
    none = agreement_with_judge(people, table_of({("other", "s", "x"): 3.0}), 0, SCALE)
    assert "no answer was rated by people and the judge, so nothing can be compared" in none.why
    rated, scored = (table_of({("i", "s", rater): 3.0}) for rater in ("ann", "judge"))
    single = agreement_with_judge(rated, scored, 0, SCALE)
    assert single.why == "1 of 1 answers were rated by people and the judge, and it takes two of them"
