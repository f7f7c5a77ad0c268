from __future__ import annotations

from duologue.core.progress import tracked


def test_all_items_come_in_order_and_progress_is_told_after_them() -> None:
    told: list[object] = []
    told.extend(tracked("abcde", lambda *report: told.append(report), "reading", every=2))
    assert told == ["a", (0, 5, "reading"), "b", "c", (2, 5, "reading"), "d", "e", (4, 5, "reading")]


def test_nobody_need_listen() -> None:
    assert list(tracked([1, 2], None, "reading")) == [1, 2]


def test_it_is_told_after_each_thousand_unless_another_number_is_asked_for() -> None:
    told: list[int] = []
    assert len(list(tracked(range(2_500), lambda done, *_: told.append(done), "reading"))) == 2_500
    assert told == [0, 1_000, 2_000]
