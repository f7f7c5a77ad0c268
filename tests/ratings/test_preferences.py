from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.optimize import minimize  # in the tests only

from duologue.core.errors import UsageError
from duologue.ratings.judgement import OVERALL, Preference
from duologue.ratings.preferences import DavidsonModel, fit_davidson, rank_by_preference

if TYPE_CHECKING:
    from duologue.ratings.judgement import Outcome

OUTCOMES: tuple[Outcome, ...] = ("a", "b", "tie")
TURNED: dict[Outcome, Outcome] = {"a": "b", "b": "a", "tie": "tie"}


def judged(seed: int = 1, items: int = 60, strengths: tuple[float, ...] = (0.0, 0.1, 1.5)) -> list[Preference]:
    rng = np.random.default_rng(seed)
    names = "abc"[: len(strengths)]
    made = []
    for item in range(items):
        for x in range(len(names)):
            for y in range(x + 1, len(names)):
                powers = np.exp([strengths[x], strengths[y], -0.7 + (strengths[x] + strengths[y]) / 2])
                outcome = OUTCOMES[rng.choice(3, p=powers / powers.sum())]
                made.append(Preference(f"{item}", names[x], names[y], f"r{(item + x + y) % 7}", "overall", outcome))
    return made


def test_two_systems_fit_exactly() -> None:
    a, b = np.zeros(20, dtype=np.int64), np.ones(20, dtype=np.int64)
    outcome = np.array([0] * 10 + [1] * 4 + [2] * 6)
    model = fit_davidson(a, b, outcome, 2)  # as many parameters as shares: the model says what was counted
    np.testing.assert_allclose(model.chances(a[:1], b[:1])[0], [0.5, 0.2, 0.3], atol=1e-3)
    np.testing.assert_allclose(model.win_shares(), [0.65, 0.35], atol=1e-3)


def test_the_fit_is_the_greatest_likelihood_that_another_program_finds() -> None:
    said = judged(items=20)
    a, b = (np.array(["abc".index(one[side]) for one in said]) for side in (1, 2))
    outcome = np.array([OUTCOMES.index(one.outcome) for one in said])

    def loss(values: np.ndarray) -> float:
        chances = DavidsonModel(np.array([*values[:2], -values[0] - values[1]]), float(values[2])).chances(a, b)
        return -float(np.log(chances[np.arange(len(said)), outcome]).sum())

    found = minimize(loss, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4_000})
    model = fit_davidson(a, b, outcome, 3)
    assert [*model.strengths[:2], model.ties] == pytest.approx(list(found.x), abs=2e-3)


def test_a_balanced_design_gives_the_shares_that_were_counted() -> None:
    said = judged()
    found = {one.system: one for one in rank_by_preference(said).systems}
    for name in "abc":
        mine = [one for one in said if name in one[1:3]]
        points = sum(0.5 if one.outcome == "tie" else float((one.a == name) == (one.outcome == "a")) for one in mine)
        assert found[name].win_share.value == pytest.approx(points / len(mine), abs=1e-4)
        assert (found[name].wins + found[name].losses + found[name].ties) == len(mine)


def test_tiers_tests_and_the_share_of_ties() -> None:
    found = rank_by_preference(judged())
    assert found.systems[0].system == "c"
    assert [one.standing.tier for one in found.systems] == [1, 2, 2]
    assert {one.better for one in found.tests} == {"c", None}
    assert found.both_ways
    assert 0.1 < found.tie_share < 0.3
    for one in found.systems:
        assert one.win_share.low is not None
        assert one.win_share.high is not None
        assert 0 < one.win_share.low < one.win_share.value < one.win_share.high < 1


def test_sides_and_order_do_not_matter() -> None:
    said = judged()
    swapped = [one._replace(a=one.b, b=one.a, outcome=TURNED[one.outcome]) for one in reversed(said)]
    for one, two in zip(rank_by_preference(said).systems, rank_by_preference(swapped).systems, strict=True):
        assert one.system == two.system
        assert two.win_share == pytest.approx(one.win_share, abs=1e-8)


def test_a_system_that_always_wins_keeps_an_interval() -> None:
    said = [Preference(str(one), "a", "b", f"r{one % 5}", "overall", "a") for one in range(30)]
    first, last = rank_by_preference(said).systems
    assert (first.system, first.wins, last.losses) == ("a", 30, 30)
    assert first.win_share.low is not None
    assert 0.7 < first.win_share.low < 0.99
    assert rank_by_preference(said).tie_share == 0


def test_systems_that_always_tie_keep_an_interval() -> None:
    said = [Preference(str(one), "a", "b", f"r{one % 5}", "overall", "tie") for one in range(30)]
    for one in rank_by_preference(said).systems:
        assert one.win_share.value == pytest.approx(0.5)
        assert one.win_share.low is not None
        assert 0.2 < one.win_share.low < 0.4


def test_what_cannot_be_ranked() -> None:
    with pytest.raises(UsageError, match="two systems or more"):
        rank_by_preference([])
    apart = [Preference("1", "a", "b", "r", "overall", "a"), Preference("1", "c", "d", "r", "overall", "a")]
    with pytest.raises(UsageError, match="nobody compared 'c' with 'a'"):
        rank_by_preference(apart)
    assert DavidsonModel(np.zeros(2), -math.inf).win_shares().tolist() == [0.5, 0.5]


def test_a_system_between_two_others_that_never_surprise_is_not_taken_for_certain() -> None:
    found = [
        Preference(f"{item}", first, second, f"r{item % 4}", OVERALL, "a")
        for item in range(12)
        for first, second in (("best", "middle"), ("middle", "worst"), ("best", "worst"))
    ]
    middle = next(one for one in rank_by_preference(found).systems if one.system == "middle").win_share
    assert middle.value == pytest.approx(0.5)
    assert middle.low is not None
    assert middle.high is not None
    assert middle.low < 0.3
    assert middle.high > 0.7


def test_more_systems_and_judgements_than_can_be_compared_are_refused() -> None:
    found = [Preference(f"{n}", f"s{n}", f"s{n + 1}", "ann", OVERALL, "a") for n in range(300)]
    with pytest.raises(UsageError, match="301 systems were rated"):
        rank_by_preference(found)
    with pytest.raises(UsageError, match="120,000 judgements of 200 systems are more than can be compared at once"):
        rank_by_preference(found[:199] + found[:1] * 119_801)
