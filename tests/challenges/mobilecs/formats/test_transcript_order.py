from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.formats.transcript_order import are_alike, in_time, start_of


@pytest.mark.parametrize(
    ("told", "form", "parts"),
    [
        ("10:23:01", "clock", (37381,)),
        ("[10:23]", "clock", (623,)),
        ("00:01:02,500", "clock", (62.5,)),
        ("上午12:05", "clock", (300,)),
        ("1:05:02 PM", "clock", (47102,)),
        ("2026-11-03 10:23:01.25", "date", (2026, 11, 3, 37381.25)),
        ("2026-11-03T10:23:01+08:00", "date", (2026, 11, 3, 37381)),
        ("2026/11/3 下午1:05", "date", (2026, 11, 3, 47100)),
        ("2026年11月3日 10:23", "date", (2026, 11, 3, 37380)),
        ("2026-11-03", "date", (2026, 11, 3, 0)),
        ("11/3/2026 1:05 PM", "year last", (2026, 11, 3, 47100)),
        ("03.11.2026 10:23", "year last", (2026, 3, 11, 37380)),
        ("1.5", "number", (1.5,)),
        ("1,5", "number", (1.5,)),
        ("20261103102301", "number", (20261103102301,)),
        (0, "number", (0,)),
        (2.5, "number", (2.5,)),
        ("3s", "numbers", (3,)),
        ("1,500", "numbers", (1, 500)),
        *((odd, "untold", ()) for odd in ("", None, True, float("nan"), float("inf"), -1, [1])),
    ],
)
def test_a_start_is_what_can_be_compared_of_a_time(told: object, form: str, parts: tuple[float, ...]) -> None:
    assert start_of(told) == (form, parts)


def test_turns_are_put_in_order_and_those_of_one_time_stay_as_they_are() -> None:
    turns = [("a", "1"), ("a", "2"), ("b", "3"), ("b", "4")]
    assert in_time(turns, [*map(start_of, (1, 3, 1, 2))]) == [turns[0], turns[2], turns[3], turns[1]]


@pytest.mark.parametrize(
    "told",
    [
        ["11/3/2026 12:59 PM", "11/3/2026 1:00 PM"],
        ["上午11:59", "下午12:01"],
        ["31/10/2026 23:59", "01/11/2026 00:01"],
        ["10/31/2026 23:59", "11/01/2026 00:01"],
        ["31.12.2026 23:59", "01.01.2027 00:01"],
        ["59:59", "1:00:09"],
        ["23:59:58", "00:00:03"],
        ["1,5", "1,75"],
    ],
)
def test_times_follow_one_another_however_they_are_told(told: list[str]) -> None:
    turns = [("a", "x"), ("b", "y")]
    assert in_time(turns, [start_of(one) for one in told]) is None
    assert in_time(turns[::-1], [start_of(one) for one in told[::-1]]) == turns


@pytest.mark.parametrize(
    ("told", "alike"),
    [([], True), (["", None], True), ([1, 1], True), ([1, "1:02"], False), ([2, ""], False), (["1,500", "999"], False)],
)
def test_what_is_in_order_or_does_not_say_stays(told: list[object], *, alike: bool) -> None:
    starts = [start_of(one) for one in told]
    assert in_time([("a", "x"), ("b", "y")][: len(starts)], starts) is None
    assert are_alike(starts) == alike
