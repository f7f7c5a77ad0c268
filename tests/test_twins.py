from __future__ import annotations

import gc
import re

import pytest

from tests.twins import problem_of

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

{mark}
def test_real(shelf): ...

@pytest.mark.real_data(twin="test_made")
def test_other(real_data): ...
"""


@pytest.fixture
def pytester(pytester: pytest.Pytester) -> pytest.Pytester:
    """The same with all that is in memory frozen: each small configuration looks through the rest for garbage often."""
    gc.freeze()
    return pytester


def found(pytester: pytest.Pytester, mark: str, name: str = "test_real") -> str | None:
    pytester.makeini("[pytest]\nmarkers =\n  slow\n  real_data")
    return problem_of(pytester.getitem(FILE.format(mark=mark), name))


@pytest.mark.parametrize("twin", ["test_made", "test_a_twin_that_runs_everywhere_is_enough"])
def test_a_twin_that_runs_everywhere_is_enough(pytester: pytest.Pytester, twin: str) -> None:
    assert found(pytester, f"@pytest.mark.real_data(twin='{twin}')") is None
    assert found(pytester, "", "test_made") is None


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        ("", "test_real needs real data; name its twin"),
        ("@pytest.mark.slow", "test_real needs real data; name its twin"),
        ("@pytest.mark.real_data(twin='test_nothing')", "there is no such test"),
        ("@pytest.mark.real_data(twin='test_other')", "every clone: it is marked real_data"),
        ("@pytest.mark.real_data(twin='test_long')", "every clone: it is marked slow"),
    ],
)
def test_a_test_on_real_data_alone_is_told_how_to_mend_it(pytester: pytest.Pytester, mark: str, words: str) -> None:
    assert re.search(words, found(pytester, mark) or "")
