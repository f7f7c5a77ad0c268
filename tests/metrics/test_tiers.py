from __future__ import annotations

from duologue.metrics.tiers import Standing, standings


def test_a_tier_ends_where_a_system_is_shown_to_be_worse_than_its_first() -> None:
    apart = {("a", "c"), ("a", "d"), ("b", "d")}
    assert standings(list("abcd"), apart) == [
        Standing(1, 1, 2),
        Standing(1, 1, 3),
        Standing(2, 2, 4),
        Standing(2, 3, 4),
    ]
    assert standings([], set()) == []
