from __future__ import annotations

from typing import Any

import pytest

from duologue.core.decoded import all_whole, as_json, is_text, is_whole, made_whole, pointer, shown
from duologue.core.errors import UsageError


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("x" * 60, repr("x" * 60)),
        ("x" * 61, repr("x" * 57 + "...")),
        ([3, 2], "[3, 2]"),
        ([-1, 2.5], "[-1, 2.5]"),
        ([1, 2, 3, 4, 5], "a list of 5"),
        ([], "a list of 0"),
        ([1, "x"], "a list of 2"),
        ([True], "a list of 1"),
        ([10**18], "a list of 1"),
        ({}, "an object"),
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (10**18 - 1, "999999999999999999"),
        (10**18, "a number of more than 18 digits"),
        (-(10**18), "a number of more than 18 digits"),
        (1.5, "1.5"),
    ],
)
def test_a_decoded_value_is_shown_in_few_words(value: Any, told: str) -> None:
    assert shown(value) == told


def test_a_number_of_thousands_of_digits_is_not_spelled() -> None:
    assert shown(10**5000) == "a number of more than 18 digits"


@pytest.mark.parametrize(
    ("text", "whole"), [("", True), ("x", True), ("\u597d", True), ("\ud800", False), ("a\udfff", False)]
)
def test_half_a_surrogate_pair_cannot_be_written(text: str, *, whole: bool) -> None:
    assert (is_whole(text), is_text(text)) == (whole, whole)
    assert (made_whole(text) == text) == whole
    made_whole(text).encode("utf-8")
    assert not is_text(1)


def test_steps_of_a_pointer_are_escaped() -> None:
    assert pointer() == ""
    assert pointer("a~b", 0, "c/d", "~1") == "/a~0b/0/c~1d/~01"
    assert pointer("\ud800") == "/\\ud800"


@pytest.mark.parametrize("half", [chr(0xD800), chr(0xDCFF)])
def test_half_a_character_in_a_record_is_told_as_json_writes_it(half: str) -> None:
    told = f"the list holds \\u{ord(half):04x}, half of a character, which no file can hold; take it out of the data"
    with pytest.raises(UsageError) as refused:
        as_json({"said": f"one {half} two"}, "the list")
    assert str(refused.value) == told


def test_every_text_of_decoded_json_is_made_whole_and_the_rest_stays() -> None:
    given = {"a\ud800": ["\udfffb", {"c": "\ud800"}, 1, 2.5, None, True], "d": {}}
    assert all_whole(given) == {"a\\ud800": ["\\udfffb", {"c": "\\ud800"}, 1, 2.5, None, True], "d": {}}
    assert all_whole([]) == []
    assert as_json({"a": "\u597d"}, "it") == '{"a":"\u597d"}'.encode()
