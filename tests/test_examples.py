"""The examples in the docstrings run and give what they show."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import duologue

ROOT = Path(duologue.__file__).parent
MODULES = sorted(path for path in ROOT.rglob("*.py") if ">>>" in path.read_text("utf-8"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_examples_of_a_module_hold(path: Path) -> None:
    name = path.relative_to(ROOT.parent).with_suffix("").as_posix().replace("/", ".")
    found = doctest.testmod(pytest.importorskip(name.removesuffix(".__init__")))
    assert found.attempted
    assert not found.failed
