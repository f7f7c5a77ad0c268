"""How records show themselves in a notebook: a small HTML table, or a pandas data frame where pandas is installed."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from duologue.core.marked_text import MarkedText

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ROWS = 200
"""Rows of a table that are shown; the rest is counted."""


def html_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, below: str = "") -> str:
    """Return a table as HTML, everything escaped; numbers with four decimals, `None` as a dash.

    >>> html_table("scores", ["name"], [["f1 & more"]])
    '<table><caption>scores</caption><tr><th>name</th></tr><tr><td>f1 &amp; more</td></tr></table>'
    """
    listed = list(rows)
    lines = [_row("th", columns), *(_row("td", row) for row in listed[:_ROWS])]
    more = [f'<tr><td colspan="{len(columns)}">and {len(listed) - _ROWS} more</td></tr>'] if len(listed) > _ROWS else []
    table = f"<table><caption>{escape(title)}</caption>{''.join([*lines, *more])}</table>"
    return f"{table}<p>{escape(below)}</p>" if below else table


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
    if isinstance(cell, MarkedText):
        return cell.__html__()
    return "-" if cell is None else escape(f"{cell:.4f}" if isinstance(cell, float) else str(cell))
