"""What every verb prints through: nothing that a terminal would obey leaves here, whatever the data holds.

Lines and tables for people are escaped always, JSON in its own way (it stays the same JSON), and text that has to be
byte for byte what an official program prints only on a terminal. Nobody else in the command line writes to the
standard streams; a test holds this.
"""

from __future__ import annotations

import io
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from duologue.core.escapes import in_json, one_line, printable

if TYPE_CHECKING:
    from rich.console import Console


def line(text: str = "", *, err: bool = False, bold: bool = False, dim: bool = False, nl: bool = True) -> None:
    """Print one line; line ends within it are spelled out, so that data never forges a line of ours."""
    safe = one_line(text)
    styled = (bold or dim) and not plain()
    click.echo(click.style(safe, bold=bold or None, dim=dim or None) if styled else safe, err=err, nl=nl)


def plain() -> bool:
    """Whether the user wants text without colour (https://no-color.org); we leave out bold and dim, too."""
    return bool(os.environ.get("NO_COLOR"))


def remark(words: str) -> None:
    """Say something that is neither the outcome nor an error, on standard error."""
    line(f"duologue: {words}", err=True)


def block(text: str, *, err: bool = False, indent: str = "  ", nl: bool = True) -> None:
    """Print text of several lines; those after the first are indented, where they are not already.

    What somebody else said, or an error quotes, never begins a line.
    """
    first, *rest = printable(text).split("\n")
    lines = [first, *(one if one.startswith(indent) or not one else indent + one for one in rest)]
    click.echo("\n".join(lines), err=err, nl=nl)


def text(made: str, *, err: bool = False) -> None:
    """Print lines that we made ourselves, each with its end, whose parts are names and figures."""
    click.echo(printable(made), err=err, nl=False)


def file_line(written: str) -> None:
    """Print a line of a file or dump, as it comes with its end; line ends within it are spelled out."""
    body = written.removesuffix("\n")
    click.echo(one_line(body) + written[len(body) :], nl=False)


def exact(official: str, *, nl: bool = True) -> None:
    """Print what an official program prints: byte for byte into a file or pipe, escaped on a terminal."""
    written = printable(official) if sys.stdout.isatty() else official  # click would strip escape sequences
    sys.stdout.write(written + "\n" * nl)


def complain(error: click.ClickException) -> None:
    """Print what click says of a wrong call: how the verb is used, and what was wrong."""
    vars(error)["message"] = one_line(error.message)  # some of its messages quote names as they are
    said = io.StringIO()
    error.show(file=said)
    text(said.getvalue(), err=True)


def as_json(value: Any) -> None:
    """Print one JSON value on one line."""
    click.echo(in_json(json.dumps(value, ensure_ascii=False)))


def show(*renderables: Any) -> None:
    """Print tables and text for people."""
    made = rich_console()
    for one in renderables:
        made.print(one)


def rich_console(*, err: bool = False) -> Console:
    """Return a console whose tables, progress bars and texts are escaped on their way out."""
    from rich.console import Console
    from rich.segment import Segment

    class Escaping(Console):
        """A console that spells out what a terminal would obey; its own colours and cursor moves stay."""

        def render(self, *arguments: Any, **options: Any) -> Any:
            """Render as the library does, and escape the text of every piece."""
            for segment in super().render(*arguments, **options):
                yield segment if segment.control else Segment(printable(segment.text), segment.style)

    return Escaping(stderr=err, highlight=False, color_system=None if plain() else "auto")


def take_warnings() -> None:
    """Let what our modules warn of be printed here too, a line each."""
    import logging  # `duologue --help` stays quick

    class WarningPrinter(logging.Handler):
        """Prints warnings on standard error."""

        def emit(self, record: logging.LogRecord) -> None:
            block(self.format(record), err=True)

    logging.lastResort = WarningPrinter(logging.WARNING)


def forgive_encoding() -> None:
    """Let the standard streams spell out what their encoding cannot hold, instead of failing halfway."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
