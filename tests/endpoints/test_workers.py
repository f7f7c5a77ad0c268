from __future__ import annotations

import time
from threading import Lock

import pytest

from duologue.endpoints.workers import as_made


@pytest.mark.parametrize("count", [1, 3, 50])
def test_each_item_is_made_once_and_told_with_its_place(count: int) -> None:
    found = list(as_made("abcdefgh", str.upper, count, lambda: None))
    assert sorted(found) == list(enumerate("ABCDEFGH"))
    assert not list(as_made([], str, count, lambda: None))


def test_items_are_worked_on_at_the_same_time_and_handed_on_when_done() -> None:
    def slow(seconds: float) -> float:
        time.sleep(seconds)
        return seconds

    begun = time.monotonic()
    found = [made for _, made in as_made([0.4, 0.01, 0.4, 0.01], slow, 4, lambda: None)]
    assert time.monotonic() - begun < 0.75
    assert found[:2] == [0.01, 0.01]


def test_after_an_error_what_is_under_way_is_handed_on_and_nothing_more_is_begun() -> None:
    begun: list[int] = []
    stopped: list[bool] = []
    lock = Lock()

    def make(item: int) -> int:
        with lock:
            begun.append(item)
        time.sleep(0.02 if item == 1 else 0.2)
        if item == 1:
            raise ValueError("no")
        return item

    found: list[int] = []
    work = as_made(range(10), make, 3, lambda: stopped.append(True))
    with pytest.raises(ValueError, match="no"):
        found.extend(place for place, _ in work)
    assert sorted(begun) == [0, 1, 2]
    assert sorted(found) == [0, 2]
    assert stopped == [True]


def test_who_leaves_ends_the_work() -> None:
    stopped: list[bool] = []
    work = as_made(range(100), str, 2, lambda: stopped.append(True))
    next(work)
    work.close()  # type: ignore[attr-defined]  # it is a generator
    assert stopped == [True]
