from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.formats.transcript_order import in_time, start_of


@pytest.mark.parametrize(
    ("told", "start"),
    [
        ("10:23:01", (10, 23, 1)),
        ("2026-11-03 10:23:01.25", (2026, 11, 3, 10, 23, 1.25)),
        ("1.5", (1.5,)),
        (0, (0,)),
        (2.5, (2.5,)),
        ("", ()),
        (None, ()),
        (True, ()),
        (float("nan"), ()),
        (float("inf"), ()),
        (-1, ()),
        ([1], ()),
    ],
)
def test_a_start_is_the_numbers_of_a_time(told: object, start: tuple[float, ...]) -> None:
    assert start_of(told) == start


def test_turns_are_put_in_order_and_those_of_one_time_stay_as_they_are() -> None:
    turns = [("a", "1"), ("a", "2"), ("b", "3"), ("b", "4")]
    assert in_time(turns, [(1,), (3,), (1,), (2,)]) == [turns[0], turns[2], turns[3], turns[1]]


@pytest.mark.parametrize("starts", [[], [(), ()], [(1,), (2,)], [(1,), (1,)], [(2,), ()], [(10, 23), (1, 0, 0)]])
def test_what_is_in_order_or_does_not_say_stays(starts: list[tuple[float, ...]]) -> None:
    assert in_time([("a", "x"), ("b", "y")][: len(starts)], starts) is None
