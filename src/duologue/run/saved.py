"""Reports saved as JSON: read back with a clear word when one is not what it should be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.core.disk import read_bytes, write_bytes
from duologue.core.errors import FormatError
from duologue.core.records import Problem, Report

if TYPE_CHECKING:
    from pathlib import Path


def save_report(report: Report, path: Path) -> None:
    """Write the whole report, with the counts per item that paired tests need."""
    write_bytes(path, msgspec.json.encode(report))


def read_report(path: Path) -> Report:
    """Return a saved report. Raises `FormatError` for a file that is none, saying how one is made."""
    try:
        return msgspec.json.decode(read_bytes(path), type=Report)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        problem = Problem(
            rule="not-a-report",
            message=f"this is not a saved report: {error}",
            advice="make one with `duologue score ... --out FILE.report.json`",
        )
        raise FormatError(path, [problem]) from error
