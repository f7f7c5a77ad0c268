"""Commands that challenges and other packages bring, by the entry points `duologue.commands`; imported when called.

The name of an entry point is that of the command; `data.NAME` is a command of the group `duologue data`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.entry_points import registered

if TYPE_CHECKING:
    from collections.abc import Collection

_GROUP = "duologue.commands"


def summaries(taken: Collection[str], prefix: str = "") -> dict[str, str]:
    """Return name -> one line of help of each command, sorted, without names that are `taken`; nothing is imported.

    Those are the names behind `prefix`, a group with its dot; without one those of no group.
    """
    from duologue.core.definitions import definition, summary

    found = {}
    for point, package, _ in registered(_GROUP):
        group, dot, name = point.name.rpartition(".")
        if group + dot == prefix and name not in taken:
            node = definition(point.value)
            found[name] = (summary(node) if node else "") or f"Brought by the package '{package}'."
    return found


def hidden(taken: Collection[str], prefix: str = "") -> dict[str, str]:
    """Return name -> what to say of each command that no one can call, since its name is `taken`; see `summaries`."""
    brought = ((point.name.rpartition("."), package) for point, package, _ in registered(_GROUP))
    return {
        name: f"The package '{package}' brings one of this name, which is taken: rename its entry point."
        for (group, dot, name), package in brought
        if group + dot == prefix and name in taken
    }


def known(name: str) -> bool:
    """Tell whether a package brings a command of that name; nothing is imported."""
    return name in _names()


def load(name: str) -> click.Command | None:
    """Import and return the command of that name, a group before it with a dot; `None` where no package brings one.

    A group gets the commands that others bring to it: `data.import.calls` stands in the group `data.import`. Raises
    `PlugInError` for one that is broken or claimed twice, and `MissingExtraError` where a library is missing.
    """
    if not known(name):
        return None
    from duologue.core.plugins import load_command  # `duologue --help` stays quick

    command = load_command(name)
    assert isinstance(command, click.Command)
    if isinstance(command, click.Group):
        for below in sorted(one for one in _names() if one.rpartition(".")[0] == name):
            brought = load(below)
            if brought is not None:
                command.add_command(brought, below.rpartition(".")[2])
    return command


def _names() -> set[str]:
    return {one.point.name for one in registered(_GROUP)}
