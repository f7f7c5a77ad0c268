"""A table of all metrics of a training: `training.csv`, with the core install alone."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, NoReturn

from duologue.core.disk import decode_text, read_bytes, write_text
from duologue.core.errors import FormatError
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FILE = "training.csv"


class CsvLogger:
    """Writes a row for each part and step; a step that a stopped training goes through again replaces its row."""

    def __init__(self, folder: Path, about: Mapping[str, str]) -> None:  # noqa: ARG002  # all loggers are made alike; the card tells
        self._path = folder / FILE
        self._rows: dict[tuple[str, str], dict[str, str]] = {}

    def log(self, part: str, step: int, metrics: Mapping[str, float]) -> None:
        """Write what was measured after `step` steps of a part of the system (empty: the whole)."""
        if not self._rows and self._path.is_file():
            self._rows = _rows_in(self._path)
        told = {name: repr(float(value)) for name, value in metrics.items()}
        self._rows[part, str(step)] = {"part": part, "step": str(step), **told}
        columns = list(dict.fromkeys(name for row in self._rows.values() for name in row))
        written = io.StringIO()
        table = csv.DictWriter(written, columns, restval="", lineterminator="\n")
        table.writeheader()
        table.writerows(self._rows.values())
        write_text(self._path, written.getvalue())

    def close(self) -> None:
        """Do nothing: every row is on the disk."""


def _rows_in(path: Path) -> dict[tuple[str, str], dict[str, str]]:
    """Return the rows of a stopped training. Raises `FormatError` for a file that is no such table."""
    text, _ = decode_text(read_bytes(path), path)
    table = csv.DictReader(io.StringIO(text, newline=""), restkey="", strict=True)
    try:
        rows = list(table)
    except csv.Error as error:
        _refuse(path, f"not valid CSV: {error}", table.reader.line_num)
    head = list(table.fieldnames or ())
    if rows and (not {"part", "step"} <= set(head) or len(set(head)) < len(head)):
        _refuse(path, f"found the columns {', '.join(head)[:120]}, expected each once, with part and step", 1)
    found: dict[tuple[str, str], dict[str, str]] = {}
    for number, row in enumerate(rows, start=2):
        if "" in row or None in row.values():
            _refuse(path, f"expected {len(head)} cells as in the first line", number)
        found[row["part"], row["step"]] = dict(row)
    return found


def _refuse(path: Path, message: str, line: int) -> NoReturn:
    advice = "rename the file to keep it, or remove it; the training begins a new one"
    raise FormatError(path, [Problem(rule="training-table", place=f"line {line}", message=message, advice=advice)])
