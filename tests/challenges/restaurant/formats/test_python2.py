from __future__ import annotations

import pytest

from duologue.challenges.restaurant.formats.python2 import decode, print_float


def test_lone_surrogates_decode() -> None:
    assert decode(b'["\xed\xa0\x80"]') == ["\ud800"]


def test_integers_of_thousands_of_digits_decode() -> None:
    digits = "1" * 9001
    assert decode(digits.encode()) % 10**10 == 1111111111
    assert decode(b"-" + digits.encode()) == -decode(digits.encode())


@pytest.mark.parametrize(
    ("hits", "n", "text"), [(1, 3, "0.333333333333"), (2, 3, "0.666666666667"), (1, 1, "1.0"), (1, 10**5, "1e-05")]
)
def test_numbers_are_printed_with_twelve_significant_digits(hits: int, n: int, text: str) -> None:
    assert print_float(hits / n) == text


def test_an_integer_without_end_is_refused_and_not_reckoned() -> None:
    with pytest.raises(ValueError, match="an integer of 5,000,000 digits"):
        decode(b"[" + b"1" * 5_000_000 + b"]")
