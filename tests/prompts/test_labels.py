from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.prompts.labels import choice_in, labels, order_in

KNOWN = ["A", "B", "C"]


def test_labels_are_letters_as_long_as_there_are_enough() -> None:
    assert labels(26)[-1] == "Z"
    assert labels(27) == [str(number) for number in range(1, 28)]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ('{"ranking": ["C", "A", "B"]}', ["C", "A", "B"]),
        ('{"ranking": ["C", "C", "Z"]}', ["C"]),
        ('["B", "A"]', ["B", "A"]),
        ('{"ranking": ["C.", "(A)", "B: call the database"]}', ["C", "A", "B"]),
        ('{"ranking": ["A reply", "B"]}', ["B"]),
        ("C > A > B", ["C", "A", "B"]),
        ("1. B\n2. C\n3. A", ["B", "C", "A"]),
        ("A reply such as B is best", None),
        ('{"order": ["A"]}', None),
        ("", None),
        ("I will not rank them.", None),
    ],
)
def test_orders_are_read_in_the_forms_that_models_write(text: str, order: list[str] | None) -> None:
    assert order_in(text, KNOWN) == order


def test_numbers_are_labels_where_there_are_many() -> None:
    known = labels(30)
    assert order_in('{"ranking": [30, "2"]}', known) == ["30", "2"]
    assert order_in("30, 2, 1", known) == ["30", "2", "1"]
    assert choice_in("30", known) == "30"


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("B", "B"),
        (" (B) ", "B"),
        ("B. call the database", "B"),
        ("**C**", "C"),
        ("B\nbecause", "B"),
        ('{"best": "C"}', "C"),
        ('{"best": "C."}', "C"),
        ('{"best": "B: call the database"}', "B"),
        ('{"best": "A reply"}', None),
        ('{"best": 7}', None),
        ("<think>A or B</think>C", "C"),
        ("A reply to the user", None),
        ("Z", None),
        ("", None),
    ],
)
def test_a_choice_is_a_label_that_stands_alone(text: str, choice: str | None) -> None:
    assert choice_in(text, KNOWN) == choice


@given(text=st.text(max_size=60))
def test_nothing_but_labels_is_ever_read(text: str) -> None:
    order = order_in(text, KNOWN)
    assert order is None or (set(order) <= set(KNOWN) and len(set(order)) == len(order) > 0)
    assert choice_in(text, KNOWN) in {*KNOWN, None}
