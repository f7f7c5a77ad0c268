"""The commands of the command line, as tests go through them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.cli.main import cli

if TYPE_CHECKING:
    from collections.abc import Iterator


def every_command(command: click.Command = cli, *words: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command and group, with the words that call it."""
    yield words, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from every_command(found, *words, name)


def working_commands() -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command that does something, with the words that call it."""
    return (one for one in every_command() if not isinstance(one[1], click.Group))
