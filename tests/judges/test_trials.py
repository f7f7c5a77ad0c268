from __future__ import annotations

import pytest

from duologue.judges.trials import mean_of, share


def test_a_share_has_wilson_s_interval() -> None:
    found = share(9, 10)
    assert (found.value, found.n) == (0.9, 10)
    assert found.low == pytest.approx(0.5958, abs=1e-4)  # Wilson 1927, as in Agresti and Coull 1998
    assert found.high == pytest.approx(0.9821, abs=1e-4)


def test_a_mean_has_student_s_interval_within_what_is_possible() -> None:
    found = mean_of([1.0, 2.0, 3.0, 4.0, 5.0], 0, 10)
    assert found.value == 3.0
    assert found.low == pytest.approx(3 - 2.776445 * 0.7071068, abs=1e-4)  # t(4), standard error sqrt(2.5 / 5)
    assert mean_of([0.0, 0.0, 1.0, 1.0, 1.0], 0, 1).high == 1.0


def test_without_a_difference_or_with_few_items_there_is_no_interval() -> None:
    assert mean_of([2.0] * 9, -4, 4)[:3] == (2.0, None, None)
    assert mean_of([1.0, 2.0], -4, 4)[:3] == (1.5, None, None)
    assert mean_of([], -4, 4) == (None, None, None, 0)
