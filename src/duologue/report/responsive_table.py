"""Terminal tables that fit their width: names are folded, columns that do not fit are named, no figure is ever cut."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rich import box
from rich.cells import cell_len, chop_cells
from rich.table import Table
from rich.text import Text

from duologue.core.escapes import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console, ConsoleOptions, RenderResult

_WORD = 4
"""Cells in which words can be read, however often they are folded."""
_TITLE = 14
"""Cells of a title of figures that are not folded for want of room."""
_PIECE = re.compile(r"[^-_/.:, ]*[-_/.:, ]?")
"""A name up to the sign behind which it may be folded."""


class Column(NamedTuple):
    """One column as text."""

    title: str
    cells: Sequence[str | Text]
    words: bool = False
    """Whether it holds words, which stand at the left and may be folded, and not figures."""
    least: int = _WORD
    """Cells below which its words are not folded."""
    enough: int = 16
    """Cells that its words keep, as long as there is room for the columns before them."""

    @property
    def width(self) -> int:
        """Cells of the terminal that its text needs."""
        return max(cell_len(one_line(self.title)), self._widest)

    @property
    def _widest(self) -> int:
        return max((_text(cell).cell_len for cell in self.cells), default=0)

    def narrow(self, words: int) -> int:
        """Return the cells that it needs folded; `words` are those that are enough for words."""
        if self.words:
            return min(self.width, words)
        return max(self._widest, min(cell_len(one_line(self.title)), _TITLE))


class ResponsiveTable(NamedTuple):
    """Columns for `Console.print`: the first ones always, of the others as many as fit, in their order.

    Where not even the first have room beside each other, each row is a few lines.
    """

    kept: Sequence[Column]
    others: Sequence[Column] = ()
    frame: box.Box = box.HEAVY_HEAD
    padding: int = 1
    styles: Sequence[str] = ()
    """Of the rows, where they have any."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.max_width + (1 if self.frame is box.SIMPLE_HEAD else -1)  # for the edges, if it has them
        widths = [column.width for column in (*self.kept, *self.others)]
        if self._needed(widths) > room:
            widths = self._narrowed(room)
        shown = [*self.kept, *self.others][: len(widths)]
        if self._needed(widths) > room:
            yield from self._in_lines()
        else:
            yield self._table(shown, widths)
        left = [one_line(column.title.removesuffix(" %")) for column in self.others[len(shown) - len(self.kept) :]]
        if left:
            yield Text(f"No room for {', '.join(left)}: see a wider terminal, --json or the report.", "dim")

    def _needed(self, widths: Sequence[int]) -> int:
        return sum(width + 2 * self.padding + 1 for width in widths)

    def _narrowed(self, room: int) -> list[int]:
        """Return the widths of the columns that are shown where not all have the room that they need."""
        widths = [column.narrow(column.enough) for column in self.kept]
        if self._needed(widths) > room:
            widths = [column.narrow(column.least) for column in self.kept]
        for column in self.others:
            wider = [*widths, column.narrow(column.enough)]
            if self._needed(wider) > room:
                break
            widths = wider
        columns = [*self.kept, *self.others][: len(widths)]
        for words in (True, False):  # what is left is for words first
            for at, column in enumerate(columns):
                if column.words is words:
                    widths[at] += max(0, min(room - self._needed(widths), column.width - widths[at]))
        return widths

    def _table(self, columns: Sequence[Column], widths: Sequence[int]) -> Table:
        table = Table(box=self.frame, show_edge=self.frame is not box.SIMPLE_HEAD, padding=(0, self.padding))
        for column, width in zip(columns, widths, strict=True):
            table.add_column(
                Text("\n".join(folded(one_line(column.title), width))),
                justify="left" if column.words else "right",
                no_wrap=True,
                overflow="fold",
                min_width=width,
            )
        for row, cells in enumerate(zip(*(column.cells for column in columns), strict=True)):
            table.add_row(
                *(
                    Text("\n".join(folded(_text(cell).plain, width))) if column.words else _text(cell)
                    for column, cell, width in zip(columns, cells, widths, strict=True)
                ),
                style=self.styles[row] if self.styles else "",
            )
        return table

    def _in_lines(self) -> Iterator[Text]:
        titles = [Text(one_line(column.title)) for column in self.kept]
        for row in zip(*(column.cells for column in self.kept), strict=True):
            told = [
                Text(": ").join([title, _text(cell)]) if title else _text(cell)
                for title, cell in zip(titles, row, strict=True)
                if cell
            ]
            yield Text("; ").join(told)


def _text(cell: str | Text) -> Text:
    return cell if isinstance(cell, Text) else Text(one_line(cell))


def folded(name: str, width: int) -> list[str]:
    """Return a name in lines of so many cells, folded behind its hyphens and blanks where it has any.

    >>> folded("answers-that-name-the-value", 13), folded("first value", 8), folded("abcdef", 4)
    (['answers-that-', 'name-the-', 'value'], ['first', 'value'], ['abcd', 'ef'])
    """
    lines = [""]
    for piece in _PIECE.findall(name):
        if cell_len(lines[-1] + piece.rstrip(" ")) <= width:
            lines[-1] += piece
        else:
            lines += chop_cells(piece, max(width, 1))
    return [kept for line in lines if (kept := line.rstrip(" "))] or [""]
