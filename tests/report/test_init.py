"""What the package gives, and that it gives it lazily."""

from __future__ import annotations

import subprocess
import sys

import pytest

import duologue.report


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
