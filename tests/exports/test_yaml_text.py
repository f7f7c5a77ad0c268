from __future__ import annotations

import math
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from duologue.exports.yaml_text import YamlFunction, to_yaml

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda held: st.lists(held, max_size=4) | st.dictionaries(TEXT, held, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_a_reader_takes_what_was_written(value: Any) -> None:
    assert yaml.safe_load(to_yaml(value)) == value


@pytest.mark.parametrize(
    "word", ["no", "y", "NULL", "1", "1e5", "a: b", "- a", "#x", "", "0x1", "1_000", "12:30", "=", "~"]
)
def test_a_text_stays_a_text(word: str) -> None:
    assert yaml.safe_load(to_yaml([word, {word: word}])) == [word, {word: word}]


def test_a_number_stays_the_same_number() -> None:
    for number in (1e-05, 1e300, 5e-324, 0.1, -0.0, 1.0, math.inf, 0.007788615680080879):
        assert repr(yaml.safe_load(to_yaml(number))) == repr(number)
    assert math.isnan(yaml.safe_load(to_yaml(math.nan)))


def test_a_function_is_named_by_a_tag() -> None:
    assert to_yaml({"a": [YamlFunction("m.f")]}) == "a:\n  - !function m.f\n"
