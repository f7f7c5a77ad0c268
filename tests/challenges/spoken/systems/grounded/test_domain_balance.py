from __future__ import annotations

from collections import Counter

import pytest

from duologue.challenges.spoken.systems.grounded.domain_balance import OTHER, balanced, domains_of_dialogues

DOMAINS = {"a": "film", "b": "fish", "c": OTHER}
ROWS = [
    *((f"film {at}", "a") for at in range(800)),
    *((f"fish {at}", "b") for at in range(100)),
    *[("else", "c")] * 100,
]


def counted(balance: float, seed: int = 1) -> Counter[str]:
    return Counter(row.partition(" ")[0] for row in balanced(ROWS, DOMAINS, balance, seed))


def test_without_balance_every_row_comes_once() -> None:
    assert balanced(ROWS, DOMAINS, 0.0, 1) == [row for row, _ in ROWS]


def test_with_full_balance_every_domain_comes_alike() -> None:
    found = counted(1.0)
    assert set(found) == {"film", "fish", "else"}
    assert all(count == pytest.approx(1000 / 3, abs=35) for count in found.values())


def test_half_a_balance_goes_by_the_root_of_the_share() -> None:
    found = counted(0.5)
    assert found.total() == pytest.approx(1000, abs=40)
    assert found["film"] / found["fish"] == pytest.approx(8**0.5, rel=0.15)


def test_a_seed_draws_the_same_rows() -> None:
    assert balanced(ROWS, DOMAINS, 0.7, 3) == balanced(ROWS, DOMAINS, 0.7, 3)
    assert balanced(ROWS, DOMAINS, 0.7, 3) != balanced(ROWS, DOMAINS, 0.7, 4)


def test_domains_are_told_by_attributes() -> None:
    assert domains_of_dialogues({"x": {"门票", "地址"}, "y": {"Information"}}) == {"x": "travel", "y": OTHER}
