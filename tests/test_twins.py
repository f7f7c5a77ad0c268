from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from tests.twins import problem_of

if TYPE_CHECKING:
    import pytest

pytest_plugins = ["pytester"]

FILE = """
import pytest

@pytest.fixture
def real_data(): ...

@pytest.fixture
def shelf(real_data): ...

def test_made(): ...

@pytest.mark.slow
def test_long(): ...

@pytest.mark.real_data(twin="test_made")
def test_here(shelf): ...

@pytest.mark.real_data(twin="test_twins_that_run_everywhere_are_enough_and_others_are_told_how_to_mend_them")
def test_elsewhere(real_data): ...

def test_alone(shelf): ...

@pytest.mark.slow
def test_slow(shelf): ...

@pytest.mark.real_data(twin="test_nothing")
def test_of_nothing(shelf): ...

@pytest.mark.real_data(twin="test_here")
def test_of_real(shelf): ...

@pytest.mark.real_data(twin="test_long")
def test_of_long(shelf): ...
"""


def test_twins_that_run_everywhere_are_enough_and_others_are_told_how_to_mend_them(pytester: pytest.Pytester) -> None:
    """All in one small configuration, which takes as long as hundreds of tests."""
    gc.freeze()  # it looks through what is in memory for garbage often
    pytester.makeini("[pytest]\nmarkers =\n  slow\n  real_data")
    problems = {item.name: problem_of(item) for item in pytester.getitems(FILE)}
    assert [name for name, problem in problems.items() if problem is None] == [
        "test_made", "test_long", "test_here", "test_elsewhere",
    ]  # fmt: skip
    for name, words in (
        ("test_alone", "test_alone needs real data; name its twin"),
        ("test_slow", "test_slow needs real data; name its twin"),
        ("test_of_nothing", "there is no such test"),
        ("test_of_real", "every clone: it is marked real_data"),
        ("test_of_long", "every clone: it is marked slow"),
    ):
        assert words in (problems.pop(name) or "")
