"""Commands that challenges and other packages bring, by the entry points `duologue.commands`; imported when called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from importlib.metadata import EntryPoints


def summaries(taken: Collection[str]) -> dict[str, str]:
    """Return name -> one line of help of each command, sorted, without names that are `taken`; nothing is imported."""
    from duologue.core.definitions import definition, summary

    found = {}
    for point in sorted(_entry_points()):
        node = definition(point.value)
        package = point.dist.name if point.dist else "unknown"
        found[point.name] = (summary(node) if node else "") or f"Brought by the package '{package}'."
    return {name: text for name, text in found.items() if name not in taken}


def load(name: str) -> click.Command | None:
    """Import and return the command of that name; `None` where no package brings one.

    Raises `PlugInError` for one that is broken or claimed twice, and `MissingExtraError` where a library is missing.
    """
    if name not in _entry_points().names:
        return None
    from duologue.core.plugins import load_command  # `duologue --help` stays quick

    command = load_command(name)
    assert isinstance(command, click.Command)
    return command


def resumable(words: Sequence[str]) -> bool:
    """Tell whether the words of a command line call a command that is marked so: the next run continues this one."""
    command: click.Command | None = None
    for word in words:
        if command is None:
            command = load(word)
        elif isinstance(command, click.Group):
            command = command.commands.get(word, command)
        if getattr(command, "resumable", False):
            return True
    return False


def _entry_points() -> EntryPoints:
    from importlib.metadata import entry_points  # our own verbs start without it

    return entry_points(group="duologue.commands")
