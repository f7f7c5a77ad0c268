from __future__ import annotations

import numpy as np
import pytest

from duologue.ratings.two_way import two_way_errors


def crossed(items: int, raters: int, of_item: float, of_rater: float, rest: float, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (
        rng.normal(0, of_item, (items, 1)) + rng.normal(0, of_rater, (1, raters)) + rng.normal(0, rest, (items, raters))
    )


def test_errors_are_those_of_the_analysis_of_variance_of_a_crossed_design() -> None:
    values = crossed(40, 8, 1.0, 0.7, 1.2)
    item, rater = (one.ravel() for one in np.indices(values.shape))
    found = two_way_errors(item, rater, ((values - values.mean()) / values.size).reshape(-1, 1))
    of_items = 8 * values.mean(axis=1).var(ddof=1)
    of_raters = 40 * values.mean(axis=0).var(ddof=1)
    expected = (of_items + of_raters - values.var(ddof=1)) / values.size
    assert found.error[0] ** 2 == pytest.approx(expected, rel=1e-9)
    assert 1 <= found.freedom[0] <= 7 + 39
    assert (found.items, found.raters, found.both_ways, found.enough) == (40, 8, True, True)
    assert found.half()[0] > 1.96 * found.error[0]


def test_two_raters_say_nothing_of_others() -> None:
    values = crossed(30, 2, 1.0, 5.0, 0.1)
    item, rater = (one.ravel() for one in np.indices(values.shape))
    found = two_way_errors(item, rater, ((values - values.mean()) / values.size).reshape(-1, 1))
    assert not found.both_ways
    assert found.error[0] ** 2 == pytest.approx(values.mean(axis=1).var(ddof=1) / 30)


def test_order_does_not_matter_and_busy_raters_leave_fewer_degrees_of_freedom() -> None:
    rng = np.random.default_rng(2)
    item = np.arange(120)
    even, uneven = item % 6, np.where(item < 100, 0, item % 6)
    influence = rng.normal(size=(120, 2)) / 120
    order = rng.permutation(120)
    one, two = two_way_errors(item, even, influence), two_way_errors(item[order], even[order], influence[order])
    np.testing.assert_allclose(one.error, two.error)
    assert (two_way_errors(item, uneven, influence).freedom < one.freedom).all()


def test_errors_are_near_those_of_resampling_items_and_raters_together() -> None:
    """Owen 2007's pigeonhole bootstrap counts what is left three times, so it is a little wider and never narrower."""
    values = crossed(60, 12, 0.6, 0.4, 0.8)
    item, rater = (one.ravel() for one in np.indices(values.shape))
    (found,) = two_way_errors(item, rater, ((values - values.mean()) / values.size).reshape(-1, 1)).error
    rng = np.random.default_rng(3)
    items, raters = rng.multinomial(60, [1 / 60] * 60, 4_000), rng.multinomial(12, [1 / 12] * 12, 4_000)
    drawn = np.einsum("bi,ir,br->b", items, values, raters) / values.size
    assert found * 0.95 < drawn.std() < found * 1.15


def test_order_of_ratings_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    item, rater = np.repeat(np.arange(12), 3), np.arange(36) % 5
    influence, order = rng.standard_normal((36, 2)), rng.permutation(36)
    one, other = two_way_errors(item, rater, influence), two_way_errors(item[order], rater[order], influence[order])
    assert one.error == pytest.approx(other.error, rel=1e-12)
    assert one.freedom == pytest.approx(other.freedom, rel=1e-12)
