"""Terminal tables that fit their width: columns that do not fit are dropped and named, and no figure is ever cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from duologue.core.escapes import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

_FRAME = 3
"""What a column needs beside its text: a line and a blank on both sides."""
_WORD = 4
"""Cells in which words can be read, however often they are folded."""


class Column(NamedTuple):
    """One column as text."""

    title: str
    cells: Sequence[str]
    words: bool = False
    """Whether it holds words, which stand at the left and may be folded, and not figures."""

    @property
    def width(self) -> int:
        """Cells of the terminal that its text needs."""
        return max(map(cell_len, map(one_line, (self.title, *self.cells))))


class WholeFigures(NamedTuple):
    """A table for `Console.print`; where its figures have no room beside each other, a few lines for each row."""

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = [[_text(console, cell) for cell in (one.header, *one.cells)] for one in self.table.columns]
        needed = [max(text.cell_len for text in column) for column in columns]
        least = sum(
            (width if column.no_wrap else min(width, _WORD)) + sum(self.table.padding[1::2]) + 1
            for column, width in zip(self.table.columns, needed, strict=True)
        )
        if least - 1 <= options.max_width:
            yield self.table
            return
        titles, *rows = zip(*columns, strict=True)
        for row in rows:
            told = [Text(": ").join([title, cell]) for title, cell in zip(titles, row, strict=True) if cell]
            yield Text("; ").join(told)


def _text(console: Console, cell: RenderableType) -> Text:
    return cell if isinstance(cell, Text) else console.render_str(str(cell))


class ResponsiveTable(NamedTuple):
    """Columns for `Console.print`: the first ones always, of the others as many as fit, in their order."""

    kept: Sequence[Column]
    others: Sequence[Column]
    frame: box.Box = box.HEAVY_HEAD

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.max_width - 1 - sum(column.width + _FRAME for column in self.kept)
        shown = list(self.kept)
        left: list[str] = []
        for column in self.others:
            room -= column.width + _FRAME
            if room >= 0 and not left:
                shown.append(column)
            else:
                left.append(column.title.removesuffix(" %"))
        table = Table(box=self.frame, show_edge=self.frame is not box.SIMPLE_HEAD)
        for column in shown:
            table.add_column(
                Text(one_line(column.title)),
                justify="left" if column.words else "right",
                no_wrap=not column.words,
                overflow="fold",
            )
        for row in zip(*(column.cells for column in shown), strict=True):
            table.add_row(*(Text(one_line(cell)) for cell in row))
        yield WholeFigures(table)
        if left:
            yield Text(one_line(f"No room for {', '.join(left)}: see a wider terminal, --json or the report."), "dim")
