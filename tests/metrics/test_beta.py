"""The beta distribution against scipy's, which is in the tests only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc, betaincinv

from duologue.metrics import beta
from duologue.metrics.beta import beta_cut, beta_tail

sizes = st.floats(0.3, 1e5)


@given(st.floats(0, 1), sizes, sizes)
def test_the_tail_is_the_incomplete_beta_function(x: float, a: float, b: float) -> None:
    assert beta_tail(x, a, b) == pytest.approx(float(betainc(a, b, x)), abs=1e-9)


@given(st.sampled_from([0.025, 0.5, 0.975]), sizes, sizes)
def test_the_cut_has_its_share_below(level: float, a: float, b: float) -> None:
    found = beta_cut(level, a, b)
    assert 0 <= found <= 1
    assert found == pytest.approx(float(betaincinv(a, b, level)), rel=1e-6)


@pytest.mark.parametrize("level", [0.025, 0.975])
@pytest.mark.parametrize(("a", "b"), [(0.5, 20.5), (9.5, 11.5), (950.5, 0.5)])
def test_a_cut_is_found_in_a_few_steps(level: float, a: float, b: float, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []

    def counted(x: float, a: float, b: float) -> float:
        steps.append(x)
        return beta_tail(x, a, b)

    monkeypatch.setattr(beta, "beta_tail", counted)
    assert beta_cut(level, a, b) == pytest.approx(float(betaincinv(a, b, level)), rel=1e-9)
    assert len(steps) <= 100  # beyond the middle the other tail is asked too


def test_a_cut_is_found_where_the_density_on_the_way_to_it_is_nothing() -> None:
    a, b = 10831.607786157248, 0.5383667204060139
    assert beta_cut(0.025, a, b) == pytest.approx(float(betaincinv(a, b, 0.025)), rel=1e-9)


@pytest.mark.parametrize(("x", "share"), [(-1.0, 0.0), (0.0, 0.0), (1.0, 1.0), (2.0, 1.0)])
def test_beyond_the_scale_there_is_nothing_or_all(x: float, share: float) -> None:
    assert beta_tail(x, 2.0, 3.0) == share
