from __future__ import annotations

import numpy as np
import pytest

from duologue.metrics.softmax import log_softmax, softmax


def test_scores_become_probabilities_of_their_type() -> None:
    scores = np.array([[0.0, np.log(3.0)], [5.0, 5.0]], dtype=np.float32)
    found = softmax(scores)
    assert found.dtype == np.float32
    assert found == pytest.approx(np.array([[0.25, 0.75], [0.5, 0.5]]))
    assert np.exp(log_softmax(scores)) == pytest.approx(found)


def test_a_low_temperature_favours_the_best() -> None:
    scores = np.array([0.0, np.log(3.0)])
    assert softmax(scores, 0.5) == pytest.approx([0.1, 0.9])


def test_without_an_axis_the_whole_table_sums_to_one() -> None:
    assert softmax(np.zeros((2, 4)), axis=None).tolist() == [[0.125] * 4] * 2


def test_weights_multiply_the_probabilities() -> None:
    assert softmax(np.zeros(3), weights=np.array([0.0, 1.0, 3.0])).tolist() == [0.0, 0.25, 0.75]


def test_large_scores_do_not_overflow() -> None:
    assert softmax(np.array([1e4, 0.0])).tolist() == [1.0, 0.0]
    assert log_softmax(np.array([1e4, 0.0])).tolist() == [0.0, -1e4]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_one_row_is_computed_to_the_same_bit_as_rows_of_a_table(kind: type[np.float32 | np.float64]) -> None:
    """Trained weights and golden scores go through both."""
    rows = np.random.default_rng(33).normal(size=(200, 13)).astype(kind)
    one_by_one = [row - row.max() - np.log(np.exp(row - row.max()).sum()) for row in rows]
    assert np.array_equal(np.stack([log_softmax(row) for row in rows]), np.stack(one_by_one))
    assert np.array_equal(log_softmax(rows), np.stack(one_by_one))
