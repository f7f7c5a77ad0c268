"""The records that a package defines, for the rule that all of them are frozen and keyword-only."""

from __future__ import annotations

import importlib
import pkgutil

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
