"""What a package defines: its records, for the rule that all of them are frozen and keyword-only, and its functions."""

from __future__ import annotations

import importlib
import pkgutil
from types import FunctionType

import pytest

from duologue.core.records import Record


def records_in(package: str) -> list[type[Record]]:
    """Return the records of all modules of a package, private ones too."""
    found = []
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        known = vars(importlib.import_module(module.name)).values()
        found += [one for one in known if isinstance(one, type) and issubclass(one, Record)]
    return sorted({one for one in found if one.__module__.startswith(package)}, key=lambda one: one.__name__)


def demand_strict(kind: type[Record]) -> None:
    """Fail for a record that can be changed, filled by position, or decoded with unknown fields."""
    config = kind.__struct_config__
    assert (config.frozen, config.forbid_unknown_fields) == (True, True)
    with pytest.raises(TypeError, match="positional"):
        kind(*([None] * max(len(kind.__struct_fields__), 1)))


def only_by_place(package: str) -> list[str]:
    """Return the functions and methods of all modules of a package that take an argument by its place alone."""
    found: list[str] = []
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        own = [one for one in vars(importlib.import_module(module.name)).values() if hasattr(one, "__module__")]
        for one in (one for one in own if one.__module__ == module.name):
            several = vars(one).values() if isinstance(one, type) else (one,)
            known = [inner.__func__ if isinstance(inner, classmethod | staticmethod) else inner for inner in several]
            taken = [inner for inner in known if isinstance(inner, FunctionType) and inner.__module__ == module.name]
            found += [f"{module.name}.{inner.__qualname__}" for inner in taken if inner.__code__.co_posonlyargcount]
    return found
