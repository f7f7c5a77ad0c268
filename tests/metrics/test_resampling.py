"""The draws behind intervals: exact distribution on both paths, deterministic, the same in any batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from duologue.core.errors import UsageError
from duologue.metrics.resampling import bootstrap_sums, swapped_sums

if TYPE_CHECKING:
    from duologue.metrics.counts import Floats

HITS = np.column_stack([np.ones(40), np.arange(40) % 4 == 0]).astype(np.float64)
DENSE = np.random.default_rng(5).random((40, 3))


@pytest.mark.parametrize("grouped", [True, False])
def test_sums_of_hits_are_binomial(*, grouped: bool) -> None:
    hits = bootstrap_sums(HITS, 20_000, 3, grouped=grouped)[:, 1]
    assert hits.mean() == pytest.approx(10, abs=0.08)
    assert hits.var() == pytest.approx(40 * 0.25 * 0.75, rel=0.04)
    assert (hits == 10).mean() == pytest.approx(0.1444, abs=0.01)  # Binomial(40, 1/4) at 10


@pytest.mark.parametrize("grouped", [True, False])
def test_every_resample_draws_as_many_rows_as_there_are(*, grouped: bool) -> None:
    assert (bootstrap_sums(HITS, 300, 3, grouped=grouped)[:, 0] == 40).all()


@pytest.mark.parametrize("grouped", [True, False])
def test_swaps_are_fair_coins(*, grouped: bool) -> None:
    a, b = np.zeros((30, 1)), np.ones((30, 1))
    first, second = swapped_sums(a, b, 20_000, 3, grouped=grouped)
    assert (first + second == 30).all()
    assert first.mean() == pytest.approx(15, abs=0.1)
    assert first.var() == pytest.approx(7.5, rel=0.04)


@pytest.mark.parametrize("grouped", [True, False])
def test_columns_of_an_item_move_together(*, grouped: bool) -> None:
    a, b = np.tile([3.0, 7.0], (9, 1)), np.tile([5.0, 1.0], (9, 1))
    first = swapped_sums(a, b, 500, 1, grouped=grouped).first
    assert ((first[:, 0] - 27) * -3 == first[:, 1] - 63).all()  # a swap adds 2 to one column and takes 6 of the other


def test_rows_that_are_equal_in_both_stay_put() -> None:
    first, second = swapped_sums(DENSE, DENSE, 7, 1)
    assert first.shape == second.shape == (7, 3)
    assert (first == DENSE.sum(axis=0)).all()


@pytest.mark.parametrize("grouped", [True, False])
def test_a_shorter_run_is_the_beginning_of_a_longer_one(*, grouped: bool) -> None:
    long = bootstrap_sums(DENSE, 600, 9, grouped=grouped)
    for resamples in (1, 249, 250, 251):
        assert (bootstrap_sums(DENSE, resamples, 9, grouped=grouped) == long[:resamples]).all()
    swaps = swapped_sums(DENSE, DENSE[::-1], 600, 9, grouped=grouped).first
    assert (swapped_sums(DENSE, DENSE[::-1], 251, 9, grouped=grouped).first == swaps[:251]).all()


def test_seeds_give_different_draws() -> None:
    assert (bootstrap_sums(DENSE, 5, 1) != bootstrap_sums(DENSE, 5, 2)).any()


def test_the_streams_of_chance_are_pinned() -> None:
    """Fails when a release of numpy draws differently: then every interval moves a little, and says so here."""
    hits = [bootstrap_sums(HITS, 6, 1, grouped=grouped)[:, 1].tolist() for grouped in (True, False)]
    assert hits == [[9, 11, 10, 7, 12, 5], [12, 10, 14, 12, 5, 8]]
    swaps = [swapped_sums(HITS, 1 - HITS, 6, 1, grouped=grouped).first[:, 1].tolist() for grouped in (True, False)]
    assert swaps == [[20, 18, 15, 25, 17, 26], [18, 16, 17, 24, 19, 20]]


def test_long_data_is_drawn_in_bounded_memory_with_the_same_result() -> None:
    rows = np.random.default_rng(1).random((9_000, 1))  # 116 lines of the weight matrix at once, 250 wanted
    sums = bootstrap_sums(rows, 250, 4, grouped=False)
    assert sums[0, 0] == bootstrap_sums(rows, 1, 4, grouped=False)[0, 0]
    assert sums.std() == pytest.approx(rows.std() * np.sqrt(9_000), rel=0.15)


@pytest.mark.parametrize(
    ("rows", "resamples", "seed", "message"),
    [
        (DENSE[:0], 10, 1, "no items to resample"),
        (DENSE, 0, 1, "0 resamples are asked for"),
        (DENSE, 10, -1, "the seed is -1; it must be 0 or more"),
    ],
)
def test_what_cannot_be_drawn_is_refused(rows: Floats, resamples: int, seed: int, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        bootstrap_sums(rows, resamples, seed)
