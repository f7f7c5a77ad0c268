"""Golden cases of the proactive challenge: the scorer, and the conversions of the official tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.core.errors import FormatError
from duologue.core.records import Scoring
from golden.cases import Case, files_below, near, printed, read, report_on, same, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from golden.cases import Differences

NAMES = {"f1": "f1", "bleu1": "bleu-1", "bleu2": "bleu-2", "distinct1": "distinct-1", "distinct2": "distinct-2"}


def find(golden: Path) -> Iterator[Case]:
    """Yield scorer cases (a JSON object with `stdout` and `returncode` beside one text file) and conversions."""
    for path in files_below(golden, "*.json"):
        expected = read(path)
        if isinstance(expected, dict) and {"stdout", "returncode"} <= expected.keys():
            for text in files_below(path.parent, "*.txt"):
                yield Case("scorer", path.parent.name, lambda _, text=text, expected=expected: _scorer(text, expected))


def _scorer(text: Path, expected: dict[str, Any]) -> Differences:
    try:
        report = report_on("proactive", [], text, Scoring(variant="official"))
    except FormatError as error:
        kind = str(expected.get("error", "no error")).partition(":")[0]
        named = [] if kind in str(error) else [f"expected {kind}, found {error}"]
        return named + same("printed lines", printed(error.transcript), expected["stdout"])
    if expected["returncode"]:
        return [f"expected {expected.get('error')}, found scores"]
    found = values_of(report)
    differences = same("printed lines", printed(report.transcript), expected["stdout"])
    for name, value in expected.get("exact", {}).items():
        differences += near(name, found[NAMES[name]], value) if name in NAMES else same(name, report.n, value)
    return differences
