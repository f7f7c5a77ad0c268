from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import duologue.challenges.spoken
from duologue.challenges.spoken.faults import at_most
from duologue.core.decoded import pointer, shown
from duologue.core.records import Problem


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


def test_the_rest_of_a_rule_is_counted_with_the_gravest_severity() -> None:
    many = [Problem(rule="x", message=str(number), severity="warning", place="/1") for number in range(4)]
    grave = Problem(rule="x", message="grave", place="/2")
    found = at_most([*many, grave, many[0], Problem(rule="y", message="other")], limit=2)
    assert [(one.rule, one.message, one.severity, one.place) for one in found] == [
        ("x", "0", "warning", "/1"),
        ("x", "1", "warning", "/1"),
        ("y", "other", "error", ""),
        ("x", "4 more of this kind", "error", ""),
    ]


@pytest.mark.parametrize("name", [one.name for one in pkgutil.iter_modules(duologue.challenges.spoken.__path__)])
def test_the_examples_of_the_modules_hold(name: str) -> None:
    module = importlib.import_module(f"duologue.challenges.spoken.{name}")
    assert doctest.testmod(module).failed == 0
