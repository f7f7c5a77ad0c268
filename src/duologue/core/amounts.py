"""Amounts of things in what people read: a number with its noun, `1 file` and `1,200 files`."""

from __future__ import annotations

_VOWELS = "aeiou"


def amount(number: int, noun: str, several: str = "") -> str:
    """Return a number with its noun, in the singular for 1; `several` is a plural that has no rule.

    >>> amount(1, "file"), amount(1200, "new entry"), amount(0, "person", "people")
    ('1 file', '1,200 new entries', '0 people')
    """
    return f"{number:,} {noun if number == 1 else several or _plural(noun)}"


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in _VOWELS:
        return f"{noun[:-1]}ies"
    return f"{noun}s"
