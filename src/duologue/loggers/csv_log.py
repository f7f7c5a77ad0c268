"""A table of all metrics of a training: `training.csv`, with the core install alone."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from duologue.core.disk import decode_text, read_bytes, write_text

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
            text, _ = decode_text(read_bytes(self._path), self._path)
            self._rows = {(row["part"], row["step"]): dict(row) for row in csv.DictReader(io.StringIO(text))}
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
