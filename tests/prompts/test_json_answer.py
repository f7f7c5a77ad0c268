from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.prompts.json_answer import found_json, texts_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": [1, 2,],}\n```\nAnything else?', {"a": [1, 2]}),
        ('<think>{"a": 0}?</think>Sure! {"a": {"b": "}"}} and {"c": 2}', {"a": {"b": "}"}}),
        ('a set: {"a": "</think>"}', {"a": "</think>"}),
        ('{"a": 0}? no</think>{"a": 1}', {"a": 1}),
        ('a set {x} and {"a": 1}', {"a": 1}),
        ('{"a": 1', None),
        ('{"a": NaN}', None),
        ("I cannot help with that.", None),
        ("", None),
        ("{" * 5000, None),
        ('{"a": ' + "[" * 100_000, None),
        ('{"a": ' + "[" * 900 + "]" * 900 + "}", None),
    ],
)
def test_the_first_object_is_found_and_nothing_is_guessed(text: str, found: object) -> None:
    assert found_json(text) == found


@given(value=st.dictionaries(st.text(max_size=5), VALUES, max_size=3), before=st.text("abc \n", max_size=9))
def test_what_is_json_is_read_as_it_is(value: dict[str, object], before: str) -> None:
    assert found_json(before + json.dumps(value) + before) == value


@given(text=st.text(max_size=80))
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert isinstance(found_json(text), dict | None)
    assert isinstance(found_json(text, list), list | None)


def test_half_surrogates_are_spelled_out() -> None:
    assert found_json('{"a\\ud800": ["\\udfff"]}') == {"a\\ud800": ["\\udfff"]}


def test_a_text_alone_is_a_list_of_one() -> None:
    assert (texts_of("a"), texts_of(["a", 1, "b"]), texts_of({"a": 1})) == (["a"], ["a", "b"], [])
