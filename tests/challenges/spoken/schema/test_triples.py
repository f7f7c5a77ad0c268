from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.spoken.schema.triples import attr_of, fact_of, key_of, plain
from duologue.core.records import Fact

SCALARS = st.text(max_size=4) | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)


def attr(value: Any) -> dict[str, Any]:
    return {"name": "园", "attrname": "等级", "attrvalue": value}


@pytest.mark.parametrize(
    ("one", "other", "as_text", "with_types"),
    [
        (70, "70", True, False),
        (70, 70, True, True),
        (70, 70.0, False, True),
        (["b", "a"], ["a", "b"], True, True),
        (["a", "b"], "a b", True, True),
        ("x", "X", False, False),
        ("x", "x ", False, False),
        ("（x）", "(x)", False, False),
        ("x\u200e", "x", False, False),
    ],
)
def test_values_are_compared_as_text_or_with_their_types(
    one: Any, other: Any, *, as_text: bool, with_types: bool
) -> None:
    assert (key_of(attr(one)) == key_of(attr(other))) is as_text
    assert (key_of(attr(one), strict_types=True) == key_of(attr(other), strict_types=True)) is with_types


@given(SCALARS | st.lists(st.text(max_size=3), max_size=3))
def test_a_fact_is_the_same_triple_as_the_one_it_was_made_of(value: Any) -> None:
    assert key_of(attr_of(fact_of(attr(value)))) == key_of(attr(value))


@pytest.mark.parametrize(("value", "kept"), [(70, 70), (7.5, 7.5), (True, "True"), (2**63, str(2**63)), ([1], ("1",))])
def test_facts_hold_what_the_records_can_hold(value: Any, kept: Any) -> None:
    assert fact_of(attr(value)) == Fact(subject="园", relation="等级", object=kept)


def test_an_empty_list_is_an_empty_text() -> None:
    assert plain([]) == ""
