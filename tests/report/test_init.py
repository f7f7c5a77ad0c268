"""What the package gives, and that it gives it lazily."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import duologue.report
from tests.records_in import only_by_place


def test_importing_the_package_loads_no_heavy_library() -> None:
    code = "import sys, duologue.report; print([n for n in ('numpy', 'rich', 'jinja2') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there_and_is_no_module() -> None:
    for name in duologue.report.__all__:
        assert callable(getattr(duologue.report, name)), name


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'tables'"):
        duologue.report.tables  # noqa: B018  # asking for it is the test


OPTIONS = {
    "compare": "metrics seed resamples",
    "compare_all": "formulas seed resamples",
    "find_error_examples": "limit names",
    "leaderboard_page": "title commands seed showcases",
    "page": "title commands formulas showcases seed resamples",
    "rank_all": "formulas seed resamples refused",
    "render_gaps": "of_one",
}


def test_options_of_public_functions_are_given_by_name_and_the_rest_either_way() -> None:
    assert only_by_place("duologue.report") == []
    found = {}
    for name in duologue.report.__all__:
        one = getattr(duologue.report, name)
        if inspect.isfunction(one):
            kinds = {option: known.kind for option, known in inspect.signature(one).parameters.items()}
            found[name] = " ".join(option for option, kind in kinds.items() if kind == inspect.Parameter.KEYWORD_ONLY)
    assert {name: options for name, options in found.items() if options} == OPTIONS
