"""The examples in the docstrings run and give what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

from duologue.challenges import mobilecs

MODULES = [one.name for one in pkgutil.walk_packages(mobilecs.__path__, f"{mobilecs.__name__}.")]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0
