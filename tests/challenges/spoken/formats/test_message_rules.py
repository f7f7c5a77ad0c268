from __future__ import annotations

import pytest

from duologue.core.decoded import pointer, shown


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("x" * 61, repr("x" * 57 + "...")),
        ({}, "an object"),
        (True, "true"),
        (10**18, "a number of more than 18 digits"),
        (7.5, "7.5"),
    ],
)
def test_values_are_shown_in_few_words(value: object, words: str) -> None:
    assert shown(value) == words


def test_pointers_escape_what_they_must() -> None:
    assert pointer("a~b", 0, "c/d") == "/a~0b/0/c~1d"
    assert pointer() == ""
