from __future__ import annotations

import pytest

from duologue.core.errors import UsageError
from duologue.core.noise import noise_strengths, scaled
from duologue.core.optional_protocols import NoiseModel
from duologue.core.plugins import load_task


def model() -> NoiseModel:
    task = load_task("spoken")
    assert isinstance(task, NoiseModel)
    return task


def test_kinds_have_strengths_of_their_own_and_one_multiplies_all() -> None:
    assert noise_strengths(model(), ()) == {"organiser": 1}
    assert noise_strengths(model(), ("fillers", "cuts=0.5"), 2) == {"fillers": 2, "cuts": 1}


@pytest.mark.parametrize(
    ("kinds", "strength", "match"),
    [
        (("filler",), 1, "did you mean 'fillers'"),
        (("fillers", "fillers=2"), 1, "twice"),
        (("fillers=much",), 1, "expected a strength"),
        (("fillers=nan",), 1, "expected a strength"),
        (("fillers=6",), 1, "expected a strength from 0 to 5, such as fillers=0.5"),
        (("fillers=5.000001",), 1, "expected a strength"),
        (("fillers=-0.000001",), 1, "expected a strength"),
        (("fillers=5",), 1.000001, "makes no sense"),
        (("fillers=3",), 2, "strength 6 makes no sense"),
    ],
)
def test_what_is_no_kind_or_strength_is_refused(kinds: tuple[str, ...], strength: float, match: str) -> None:
    with pytest.raises(UsageError, match=match):
        noise_strengths(model(), kinds, strength)


def test_no_noise_and_the_greatest_are_strengths_too() -> None:
    assert noise_strengths(model(), ("fillers=0", "cuts=5")) == {"fillers": 0, "cuts": 5}
    assert noise_strengths(model(), ("fillers=2.5",), 2) == {"fillers": 5}
    assert noise_strengths(model(), ("fillers=5",), 0) == {"fillers": 0}


def test_scaling_keeps_the_range() -> None:
    assert scaled({"a": 2.0}, 0.5) == {"a": 1.0}
    with pytest.raises(UsageError, match="noise 'a' of strength 6 makes no sense"):
        scaled({"a": 2.0}, 3)
