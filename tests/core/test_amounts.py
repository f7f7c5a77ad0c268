"""Amounts in words: one thing is told in the singular, with every kind of plural."""

from __future__ import annotations

import pytest

from duologue.core.amounts import amount


@pytest.mark.parametrize(
    ("number", "noun", "told"),
    [
        (1, "file", "1 file"),
        (0, "file", "0 files"),
        (2, "new call", "2 new calls"),
        (1234, "entry", "1,234 entries"),
        (3, "reply", "3 replies"),
        (3, "day", "3 days"),
        (-1, "row", "-1 rows"),
    ],
)
def test_a_noun_follows_its_number(number: int, noun: str, told: str) -> None:
    assert amount(number, noun) == told


def test_a_plural_without_rule_and_a_verb_are_given() -> None:
    assert [amount(n, "person is", "people are") for n in (1, 2)] == ["1 person is", "2 people are"]
