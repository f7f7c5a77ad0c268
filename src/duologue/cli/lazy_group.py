"""A group of commands that are imported when they are called, with those of challenges beside them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click

from duologue.cli import old_names, plugin_commands
from duologue.terminal import console
from duologue.terminal.texts import demand_utf8

if TYPE_CHECKING:
    from collections.abc import Mapping


class LazyGroup(click.Group):
    """A group whose help reads one line per command from a table, so that it stays light.

    `sections` holds the commands by heading: name -> (where it is, one line of help). `prefix` is what the names of the
    entry points `duologue.commands` begin with that belong here.
    """

    def __init__(
        self, *args: Any, sections: Mapping[str, Mapping[str, tuple[str, str]]], prefix: str = "", **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.sections = sections
        self.prefix = prefix
        self.table = {name: told for section in sections.values() for name, told in section.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, without old ones."""
        return [*self.table, *plugin_commands.summaries(self.table, self.prefix)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, by its old name too; `None` where there is none."""
        if cmd_name in self.table:
            module, _, name = self.table[cmd_name][0].partition(":")
            command: click.Command | None = getattr(importlib.import_module(module), name)
        else:
            command = plugin_commands.load(self.prefix + cmd_name)
            if command is None and not self.prefix:
                command = old_names.command(cmd_name)
        console.take_warnings()
        return command and demand_utf8(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a command line, and tell the new name of an old one."""
        word = args[0]  # of what looks like an option click takes the arguments away
        try:
            found = super().resolve_command(ctx, args)
        except click.UsageError as error:
            if ctx.resilient_parsing or not error.message.startswith("No such command"):
                raise
            raise click.UsageError(f"there is no command '{word}'{self._nearest(ctx, word)}", ctx) from error
        if not (self.prefix or ctx.resilient_parsing or word in self.table or plugin_commands.known(word)):
            old_names.tell_command(word)
        return found

    def _nearest(self, ctx: click.Context, word: str) -> str:
        """Return what may have been meant by a word that is no command: one of this group, or of a group in it."""
        from duologue.core.errors import did_you_mean

        for name in self.table:
            below = self.get_command(ctx, name)
            if isinstance(below, LazyGroup) and word in below.list_commands(ctx):
                return f"; did you mean '{name} {word}'?"
        return did_you_mean(word, self.list_commands(ctx))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings."""
        for title, section in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name, told) for name, (_, told) in section.items()])
        brought = plugin_commands.summaries(self.table, self.prefix)
        if brought:
            with formatter.section("Commands of challenges"):
                formatter.write_dl(list(brought.items()))
        hidden = plugin_commands.hidden(self.table, self.prefix)
        if hidden:
            with formatter.section("Not to be called"):
                formatter.write_dl(list(hidden.items()))
