"""How records show themselves: a table in a notebook, lines of text in print, a data frame where pandas is there."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from duologue.core.escapes import one_line, printable
from duologue.core.marked_text import MarkedText
from duologue.core.text_columns import aligned

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ROWS = 200
"""Rows of a table that are shown; the rest is counted."""


def html_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, below: Iterable[str] = ()
) -> str:
    """Return a table as HTML, everything escaped; numbers with four decimals, `None` as a dash.

    `below` are paragraphs behind it.

    >>> html_table("scores", ["name"], [["f1 & more"]])
    '<table><caption>scores</caption><tr><th>name</th></tr><tr><td>f1 &amp; more</td></tr></table>'
    """
    listed = list(rows)
    lines = [_row("th", columns), *(_row("td", row) for row in listed[:_ROWS])]
    more = [f'<tr><td colspan="{len(columns)}">and {len(listed) - _ROWS} more</td></tr>'] if len(listed) > _ROWS else []
    table = f"<table><caption>{_escaped(title)}</caption>{''.join([*lines, *more])}</table>"
    return table + "".join(f"<p>{_escaped(line)}</p>" for line in below)


def text_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, below: Iterable[str] = ()
) -> str:
    """Return a table as lines of text, what a terminal would obey spelled out; numbers to the right of their columns.

    >>> print(text_table("scores", ["name", "value"], [["f1", 0.5], ["bleu-1", None]]))
    scores
    name     value
    f1      0.5000
    bleu-1       -
    """
    listed = list(rows)
    cells = [[one_line(_plain(cell)) for cell in row] for row in (columns, *listed[:_ROWS])]
    numbers = [all(isinstance(row[at], int | float | None) for row in listed) for at in range(len(columns))]
    lines = aligned(cells, numbers)
    more = [f"and {len(listed) - _ROWS} more"] if len(listed) > _ROWS else []
    return "\n".join([one_line(title), *lines, *more, *map(one_line, below)])


def data_frame(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Any:
    """Return a pandas data frame. Raises `ImportError` with what to install where pandas is missing."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("this needs pandas, which is not installed: pip install pandas") from error
    return pd.DataFrame(list(rows), columns=list(columns))


def _row(tag: str, cells: Sequence[object]) -> str:
    return f"<tr>{''.join(f'<{tag}>{_shown(cell)}</{tag}>' for cell in cells)}</tr>"


def _shown(cell: object) -> str:
    return cell.__html__() if isinstance(cell, MarkedText) else _escaped(_plain(cell))


def _escaped(text: str) -> str:
    """Return text as HTML in which control characters are spelled out: no browser shows them."""
    return escape(printable(text))


def _plain(cell: object) -> str:
    return "-" if cell is None else f"{cell:.4f}" if isinstance(cell, float) else str(cell)
