"""Tests that need real data, and their twins on made data: every clone of the project runs the twins.

A test that asks for the fixture `real_data`, itself or through another fixture, says which test does the same on data
of our own making, in its file or any other: `@pytest.mark.real_data(twin="test_name")`.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

TESTS = Path(__file__).resolve().parent
ELSEWHERE = ("real_data", "slow")
"""Marks that keep a test from running in every clone."""


def problem_of(item: pytest.Item) -> str | None:
    """Return what is wrong with a test that needs real data; `None` where it names a twin that runs everywhere."""
    if "real_data" not in getattr(item, "fixturenames", ()):
        return None
    marks = getattr(getattr(item, "function", None), "pytestmark", [])
    named = [mark.kwargs["twin"] for mark in marks if mark.name == "real_data"]
    if not named:
        return f'{item.nodeid} needs real data; name its twin on made data: @pytest.mark.real_data(twin="test_...")'
    twin = named[0]
    kept = _kept_from_every_clone(item.path, twin)
    if kept is None:
        kept = next(
            (marks for path in _files_of_tests() if (marks := _kept_from_every_clone(path, twin)) is not None), None
        )
    if kept is None:
        return f"{item.nodeid} names the twin '{twin}', but there is no such test; name one that is there"
    if kept:
        return f"{item.nodeid} names the twin '{twin}', which does not run in every clone: it is marked {kept[0]}"
    return None


@cache
def _files_of_tests() -> list[Path]:
    return sorted(TESTS.rglob("test_*.py"))


@cache
def _kept_from_every_clone(path: Path, name: str) -> tuple[str, ...] | None:
    """Return the marks that keep a test of a file from running everywhere; `None` if the file has no such test."""
    source = path.read_text(encoding="utf-8")
    if f"\ndef {name}(" not in source:
        return None
    for one in ast.parse(source).body:
        if isinstance(one, ast.FunctionDef) and one.name == name:
            marks = [ast.unparse(decorator) for decorator in one.decorator_list]
            return tuple(mark for mark in ELSEWHERE if any(f"pytest.mark.{mark}" in text for text in marks))
    return None
