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
