from __future__ import annotations

from pathlib import Path

import pytest

from duologue.core.errors import FormatError
from duologue.core.json_objects import decode

PATH = Path("x.json")


def test_repeated_keys_are_found_at_every_depth() -> None:
    found = decode('{"a": [{"b": 1, "c": 2, "b": 3}], "a": [{"b": 4, "b": 5, "b": 6, "c": 0, "c": 1}]}', PATH)
    assert found.value == {"a": [{"b": 6, "c": 1}]}
    assert found.keys_repeated(found.value) == ("a",)
    assert found.keys_repeated(found.value["a"][0]) == ("b", "c")
    assert found.keys_repeated({"b": 6, "c": 1}) == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": ', "line 1, column"),
        ("[" * 200_000, "cannot be read"),
        ("1" * 5000, "cannot be read"),
        ("", "an empty file"),
    ],
)
def test_what_is_no_json_is_told_as_the_house_tells_it(text: str, says: str) -> None:
    with pytest.raises(FormatError, match=says) as caught:
        decode(text, PATH)
    assert [problem.rule for problem in caught.value.problems] == ["not-json"]
