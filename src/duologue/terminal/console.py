"""Console output of every command: control characters in data are escaped before they reach the terminal.

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
    """Print one line; line breaks within it are escaped, so that data cannot forge a line."""
    safe = one_line(text)
    styled = (bold or dim) and not plain()
    click.echo(click.style(safe, bold=bold or None, dim=dim or None) if styled else safe, err=err, nl=nl)


def plain() -> bool:
    """Whether NO_COLOR is set (https://no-color.org); bold and dim are left out too."""
    return bool(os.environ.get("NO_COLOR"))


def remark(words: str) -> None:
    """Print a note on standard error."""
    line(f"duologue: {words}", err=True)


def block(text: str, *, err: bool = False, indent: str = "  ", nl: bool = True) -> None:
    """Print a text of several lines, indented after the first.

    What somebody else said, or an error quotes, never begins a line.
    """
    first, *rest = printable(text).split("\n")
    lines = [first, *(one if one.startswith(indent) or not one else indent + one for one in rest)]
    click.echo("\n".join(lines), err=err, nl=nl)


def text(made: str, *, err: bool = False) -> None:
    """Print preformatted lines with their line ends."""
    click.echo(printable(made), err=err, nl=False)


def file_line(written: str) -> None:
    """Print a line of a file with its line end; other line breaks are escaped.

    Files are long: a pipe gets many lines at once, where `click.echo` would write each by itself.
    """
    body = written.removesuffix("\n")
    sys.stdout.write(one_line(body) + written[len(body) :])


def exact(official: str, *, nl: bool = True) -> None:
    """Print the output of an official program: byte for byte to a file or pipe, escaped on a terminal."""
    written = printable(official) if sys.stdout.isatty() else official  # click would strip escape sequences
    sys.stdout.write(written + "\n" * nl)


def complain(error: click.ClickException) -> None:
    """Print a click usage error."""
    vars(error)["message"] = one_line(error.message)  # some of its messages quote names as they are
    said = io.StringIO()
    error.show(file=said)
    text(said.getvalue(), err=True)


def as_json(value: Any) -> None:
    """Print one JSON value on one line."""
    click.echo(in_json(json.dumps(value, ensure_ascii=False)))


def show(*renderables: Any) -> None:
    """Print rich tables and text."""
    made = rich_console()
    for one in renderables:
        made.print(one)


def rich_console(*, err: bool = False) -> Console:
    """Return a rich console that escapes all text."""
    from rich.console import Console
    from rich.segment import Segment

    class Escaping(Console):
        """A console that escapes control characters in text, but not its own styling."""

        def render(self, *arguments: Any, **options: Any) -> Any:
            """Render as the library does, and escape every segment's text."""
            for segment in super().render(*arguments, **options):
                yield segment if segment.control else Segment(printable(segment.text), segment.style)

    return Escaping(stderr=err, highlight=False, color_system=None if plain() else "auto")


def take_warnings(*, once: bool = False) -> None:
    """Print logged warnings through this module; with `once`, for a verb that reads a file twice, no line again."""
    import logging  # `duologue --help` stays quick

    said: set[str] = set()

    class WarningPrinter(logging.Handler):
        """Prints warnings on standard error."""

        def emit(self, record: logging.LogRecord) -> None:
            told = self.format(record)
            if told not in said:
                block(told, err=True)
            if once:
                said.add(told)

    logging.lastResort = WarningPrinter(logging.WARNING)


def forgive_encoding() -> None:
    """Escape characters that the encoding of the standard streams lacks, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
