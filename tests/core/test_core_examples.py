"""The examples in the docstrings run and give what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import duologue.core


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(duologue.core.__path__)])
def test_the_examples_of_a_module_hold(name: str) -> None:
    module = importlib.import_module(f"duologue.core.{name}")
    assert doctest.testmod(module).failed == 0
