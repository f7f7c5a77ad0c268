"""What installed packages register, looked up once for each search path: the metadata of all of them is read for it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.metadata import EntryPoint


class Registration(NamedTuple):
    """An entry point with the package that registers it."""

    point: EntryPoint
    distribution: str
    """The package, as pip names it."""
    version: str


_known: dict[tuple[str, ...], Sequence[Registration]] = {}
"""What was found, by group and search path."""


def registered(group: str) -> Sequence[Registration]:
    """Return the entry points of a group, by name and then by distribution; nothing is imported.

    >>> "solver" in [one.point.name for one in registered("duologue.systems")]
    True
    """
    key = (group, *sys.path)
    if key not in _known:
        _known[key] = _read(group)
    return _known[key]


def _read(group: str) -> Sequence[Registration]:
    from importlib.metadata import entry_points  # our own verbs start without it

    packages: dict[int, tuple[str, str]] = {}  # whose metadata are parsed each time they are asked for a name
    found = []
    for point in entry_points(group=group):
        package = point.dist
        if id(package) not in packages:
            packages[id(package)] = (package.name, package.version) if package else ("unknown", "unknown")
        found.append(Registration(point, *packages[id(package)]))
    return tuple(sorted(found, key=lambda one: (one.point.name, one.distribution)))
