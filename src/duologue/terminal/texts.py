"""Texts given on the command line: bytes that are no UTF-8 are refused there, with the name of their option."""

from __future__ import annotations

from typing import Any

import click

from duologue.core.escapes import one_line


class _Text(click.types.StringParamType):
    """Text that can be written as UTF-8; of other bytes Python makes half surrogate pairs, which no file can hold."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the text as it is. Raises what click says of a wrong value."""
        text = super().convert(value, param, ctx)
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            self.fail(f"'{one_line(text)}' holds bytes that are no UTF-8; give the text in UTF-8", param, ctx)
        return text


_TEXT = _Text()


def demand_utf8(command: click.Command) -> click.Command:
    """Make a command, and those below it, refuse texts that are no UTF-8, and return it; paths may have any name."""
    for param in command.params:
        if param.type is click.STRING:
            param.type = _TEXT
    if isinstance(command, click.Group):
        for one in command.commands.values():
            demand_utf8(one)
    return command
