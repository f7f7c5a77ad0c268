from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from duologue.core.errors import UsageError
from duologue.core.plain_lists import as_list, as_whole_number, demand_one_order, is_list


class Table:
    """As pandas has it: its members are the names of its columns."""

    columns = ("said", "wanted")

    def __iter__(self) -> Any:
        return iter(self.columns)


def test_whatever_has_members_in_an_order_is_a_list() -> None:
    for given in (["a", "b"], ("a", "b"), np.array(["a", "b"]), (one for one in "ab")):
        assert as_list(given, "texts") == ["a", "b"]
    assert [is_list(one) for one in (["a"], ("a",), np.array(["a"]), iter("a"))] == [True] * 4
    assert [is_list(one) for one in ("a", b"a", {"a": 1}, {"a"}, None, 5)] == [False] * 6


def test_what_is_no_list_is_refused_with_what_to_give() -> None:
    for given, told in (
        ("a b", r"^'a b' is a text; give a list of texts, such as \['a b'\]$"),
        (b"a", r"^b'a' is a text; give a list of texts, such as \[b'a'\]$"),
        ({"1": "a"}, "^a mapping is given in place of a list of texts; give its values as a list$"),
        ({"a"}, "^a set is given, which has no order; give a list of texts$"),
        (Table(), "^a whole table is given in place of a list of texts; give one of its columns$"),
        (None, "^None is no list of texts$"),
        (np.array("a"), "^array.* is no list of texts$"),
    ):
        with pytest.raises(UsageError, match=told):
            as_list(given, "texts")


class Column(list[str]):
    """As pandas has it: a label for each row."""

    def __init__(self, rows: dict[int, str]) -> None:
        super().__init__(rows.values())
        self.index = list(rows)  # type: ignore[assignment, method-assign]  # a method of lists, labels of a column


def test_columns_with_the_same_labels_in_another_order_do_not_belong_together_by_place() -> None:
    here, there = Column({0: "a", 1: "b"}), Column({1: "b", 0: "a"})
    with pytest.raises(UsageError, match=r"^the texts are columns with the same index in another order"):
        demand_one_order(here, there, "texts")
    for other in (here, Column({5: "a", 7: "b"}), ["a", "b"], ("a", "b"), np.array(["a", "b"]), {"0": "a"}, None):
        demand_one_order(here, other, "texts")


def test_whole_numbers_of_any_kind_are_taken() -> None:
    assert [as_whole_number(one, "n") for one in (3, np.int64(3), True)] == [3, 3, 1]
    assert type(as_whole_number(np.int64(3), "n")) is int
    for wrong in (2.0, "2", None):
        with pytest.raises(UsageError, match=r"^n is .*; expected a whole number$"):
            as_whole_number(wrong, "n")
