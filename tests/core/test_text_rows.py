from __future__ import annotations

import pytest

from duologue.core.records import Problem
from duologue.core.text_rows import TextRow, text_rows


def test_lines_have_a_text_and_perhaps_a_title() -> None:
    lines = ['{"text": "a", "about": "b"}', " ", '{"text": "c"}']
    assert list(text_rows(lines, "about")) == [TextRow("line 1", "a", "b"), TextRow("line 3", "c", "")]


@pytest.mark.parametrize(
    ("line", "rule", "message"),
    [
        ("x", "passage-json", "this is no JSON"),
        ("[" * 100_000, "passage-json", "this is no JSON"),
        ("[]", "passage-fields", "found a list of 0 in place of an object"),
        ('{"text": "a", "title": "b"}', "passage-fields", "unknown field 'title'"),
        ('{"about": "a"}', "passage-fields", "there is no field 'text'"),
        ('{"text": 3}', "passage-fields", "field 'text' is 3 in place of a text"),
        ('{"text": " "}', "passage-fields", "field 'text' is empty"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(line: str, rule: str, message: str) -> None:
    (found,) = text_rows([line], "about")
    assert isinstance(found, Problem)
    assert (found.rule, found.place) == (rule, "line 1")
    assert found.message.startswith(message)
    assert "`about` may be left out" in found.advice


def test_after_a_line_that_is_wrong_the_next_are_read() -> None:
    found = list(text_rows(["x", '{"text": "a"}', '{"text": "b", "z": 1, "y": 2}', '{"text": "c"}'], "about"))
    assert [one.place for one in found] == ["line 1", "line 2", "line 3", "line 4"]
    assert [isinstance(one, Problem) for one in found] == [True, False, True, False]
    assert isinstance(found[2], Problem)
    assert found[2].message == "unknown field 'y'"
