"""Python 2's JSON decoding, integer parsing and float printing, which the official programs rely on."""

from __future__ import annotations

import json
import re
from typing import Any

# Python 2 turned Unicode blanks into blanks and Unicode digits into digits, allowed blanks after the sign, and
# knew no underscores. U+180E was a blank in its Unicode tables and is none today.
_INTEGER = re.compile(r"[\s\u180e]*+([+-]?)[\s\u180e]*+(\d+)[\s\u180e]*+")
_DIGITS_AT_ONCE = 4_000
_MAX_DIGITS = 100_000
_BEYOND_ANY_SLOT = 10**18


def decode(data: bytes) -> Any:
    """Decode the bytes of a file as Python 2's `json.load` does.

    UTF-8 only (a byte order mark is refused, lone surrogates are not), integers of up to 100,000 digits. Raises
    `ValueError` for what it refuses.
    """
    try:
        return json.loads(data.decode("utf-8", "surrogatepass"), parse_int=_integer)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _integer(text: str) -> int:
    """Return an integer of many digits; Python 3 refuses more than 4,300 at once, and the time grows with the square.

    Raises `ValueError` for more than anybody means.
    """
    if len(text) <= _DIGITS_AT_ONCE:
        return int(text)
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"an integer of {len(text):,} digits; {_MAX_DIGITS:,} are read at most")
    sign, digits, value = (-1 if text.startswith("-") else 1), text.removeprefix("-"), 0
    for start in range(0, len(digits), _DIGITS_AT_ONCE):
        piece = digits[start : start + _DIGITS_AT_ONCE]
        value = value * 10 ** len(piece) + int(piece)
    return sign * value


def rank_of(value: Any) -> int:
    """Convert a decoded rank as Python 2's `int` does. Raises `ValueError` or `TypeError` where it does.

    >>> rank_of(" - 3 "), rank_of(2.9), rank_of(True)
    (-3, 2, 1)
    """
    if isinstance(value, (int, float)):
        try:
            return int(value)
        except OverflowError as error:
            raise ValueError(str(error)) from error
    if not isinstance(value, str):
        raise TypeError(f"a rank cannot be a {type(value).__name__}")
    found = _INTEGER.fullmatch(value)
    if found is None:
        raise ValueError(f"invalid literal for int(): {value[:40]!r}")
    size = int(found[2]) if len(found[2]) <= _DIGITS_AT_ONCE else _BEYOND_ANY_SLOT
    return -size if found[1] == "-" else size


def print_float(value: float) -> str:
    """Return a number as Python 2 prints it: 12 significant digits, a point in any case.

    >>> print_float(1 / 3), print_float(1.0)
    ('0.333333333333', '1.0')
    """
    text = f"{value:.12g}"
    return text if any(mark in text for mark in ".en") else f"{text}.0"
