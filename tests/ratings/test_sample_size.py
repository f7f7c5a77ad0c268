"""A search simulates no more than it takes, and finds the edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from duologue.ratings.sample_size import detectable, inverse, least_items, often_enough

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt


def batches(share: float, asked: list[int]) -> Iterator[npt.NDArray[np.bool_]]:
    """Yield 40 batches of 50 campaigns, a share of which show it, and count them."""
    for number in range(40):
        asked.append(number)
        yield np.arange(50) < share * 50


@pytest.mark.parametrize(("share", "enough", "most"), [(0.1, 0, 1), (1.0, 1, 1), (0.7, 0, 4), (0.8, 1, 40)])
def test_plain_shares_take_few_campaigns(share: float, enough: int, most: int) -> None:
    asked: list[int] = []
    assert often_enough(batches(share, asked), 0.8) == enough
    assert len(asked) <= most


@pytest.mark.parametrize("edge", [5, 6, 40, 731, 1_999, 2_000])
def test_least_items_are_found_to_two_percent(edge: int) -> None:
    found = least_items(lambda items: items >= edge, 2_000)
    assert found is not None
    assert edge <= found <= max(edge + 1, edge * 1.025)


def test_no_number_of_items_may_be_enough() -> None:
    assert least_items(lambda items: items > 2_000, 2_000) is None


def test_the_detectable_difference_is_the_quantile_of_what_is_missing() -> None:
    noise, needed = np.linspace(-1, 1, 1_001), np.full(1_001, 2.0)
    found = detectable(noise, needed, 0.8)
    assert found == pytest.approx(2.6, abs=0.01)
    assert (np.abs(noise + found) > needed).mean() >= 0.8


def test_inverse_of_a_step_is_where_it_rises() -> None:
    assert inverse(lambda x: float(x > 3), 1, 10) == pytest.approx(3)
