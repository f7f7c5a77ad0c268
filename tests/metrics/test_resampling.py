"""The coins behind tests: exact distribution on both paths, deterministic, the same in any batch."""

from __future__ import annotations

import numpy as np
import pytest

from duologue.core.errors import UsageError
from duologue.metrics.resampling import BLOCK, CoinSums

ONES = np.ones((30, 1))
DENSE = np.random.default_rng(5).random((40, 3))


def blocks(sums: CoinSums, count: int) -> np.ndarray:
    return np.concatenate([sums.block(number) for number in range(count)])


@pytest.mark.parametrize("grouped", [True, False])
def test_coins_are_fair(*, grouped: bool) -> None:
    found = blocks(CoinSums(ONES, 3, grouped=grouped), 80)
    assert found.shape == (80 * BLOCK, 1)
    assert found.mean() == pytest.approx(15, abs=0.1)
    assert found.var() == pytest.approx(7.5, rel=0.04)


@pytest.mark.parametrize("grouped", [True, False])
def test_columns_of_a_row_move_together(*, grouped: bool) -> None:
    found = CoinSums(np.tile([2.0, -6.0], (9, 1)), 1, grouped=grouped).block(0)
    assert (found[:, 1] == -3 * found[:, 0]).all()


def test_rows_that_move_nothing_are_left_out() -> None:
    assert len(CoinSums(np.array([[0.0, 0.0], [1.0, 0.0]]), 1).rows) == 1
    assert (CoinSums(np.zeros((5, 2)), 1).block(0) == 0).all()


def test_all_outcomes_are_every_subset_once() -> None:
    found = CoinSums(np.array([[1.0], [2.0], [4.0]]), 1).every()
    assert sorted(found[:, 0].tolist()) == list(range(8))


def test_whole_numbers_are_summed_exactly_in_single_precision() -> None:
    rows = np.random.default_rng(2).integers(-9, 9, (400, 4)).astype(np.float64)
    fractions = np.concatenate([rows, np.full((1, 4), 0.0)])
    assert (CoinSums(rows, 7, grouped=False).block(1) == CoinSums(fractions, 7, grouped=False).block(1)).all()
    shifted = CoinSums(rows + 0.0, 7, grouped=False).block(0)
    assert (shifted == np.round(shifted)).all()


def test_equal_seeds_give_equal_draws_and_others_do_not() -> None:
    assert (CoinSums(DENSE, 1).block(2) == CoinSums(DENSE, 1).block(2)).all()
    assert (CoinSums(DENSE, 1).block(2) != CoinSums(DENSE, 1).block(3)).any()
    assert (CoinSums(DENSE, 1).block(0) != CoinSums(DENSE, 2).block(0)).any()


def test_the_draws_are_pinned() -> None:
    first = [CoinSums(ONES, 1, grouped=grouped).block(0)[:6, 0].astype(int).tolist() for grouped in (True, False)]
    assert first == PINNED


PINNED = [[15, 15, 14, 13, 18, 11], [16, 17, 10, 17, 17, 15]]


def test_many_rows_are_drawn_in_parts_and_give_the_same() -> None:
    rows = np.random.default_rng(3).random((3_000, 1))  # more coins than are held at once
    found = CoinSums(rows, 4, grouped=False).block(0)
    again = CoinSums(np.vstack([rows, np.zeros((1, 1))]), 4, grouped=False).block(0)
    assert (found == again).all()
    assert found.mean() == pytest.approx(float(rows.sum()) / 2, rel=0.01)


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(UsageError, match="the seed is -1"):
        CoinSums(ONES, -1)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 128])
def test_coins_are_the_bits_of_the_raw_words_each_draw_from_a_fresh_one(n: int) -> None:
    words = np.random.PCG64(np.random.SeedSequence([1, 2, 0])).random_raw(BLOCK * -(-n // 64)).reshape(BLOCK, -1)
    drawn = ["".join(f"{byte:08b}" for word in line for byte in int(word).to_bytes(8, "little")) for line in words]
    found = CoinSums(np.ones((n, 1)), 1, grouped=False).block(0)
    assert found[:, 0].tolist() == [bits[:n].count("1") for bits in drawn]


def test_equal_rows_are_drawn_together_from_two_hundred_of_a_kind_on() -> None:
    for n, grouped in ((199, False), (200, True)):
        rows = np.ones((n, 1))
        assert (CoinSums(rows, 1).block(0) == CoinSums(rows, 1, grouped=grouped).block(0)).all()
        assert (CoinSums(rows, 1).block(0) != CoinSums(rows, 1, grouped=not grouped).block(0)).any()


def test_kinds_keep_the_order_in_which_they_come() -> None:
    rows = np.array([[3.0], [1.0], [3.0], [2.0]])
    turned = CoinSums(-rows, 5, grouped=True).block(0)
    assert (turned == -CoinSums(rows, 5, grouped=True).block(0)).all()


def test_a_seed_of_0_is_one() -> None:
    assert CoinSums(ONES, 0).block(0).shape == (BLOCK, 1)


def test_sums_of_large_whole_numbers_are_exact_too() -> None:
    found = CoinSums(np.array([[2.0**24 + 1], [2.0]]), 1, grouped=False).block(0)
    assert set(found[:, 0].tolist()) == {0.0, 2.0, 2.0**24 + 1, 2.0**24 + 3}
