"""Terminal table that fits its width: columns that do not fit are dropped and named."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from duologue.core.escapes import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, ConsoleOptions, RenderResult

_FRAME = 3
"""What a column needs beside its text: a line and a blank on both sides."""


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
        yield table
        if left:
            yield Text(one_line(f"No room for {', '.join(left)}: see a wider terminal, --json or the report."), "dim")
