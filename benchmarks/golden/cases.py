"""What the cases of all challenges share: a case, how files are read and scored, how figures are compared."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core.plugins import load_task

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from duologue.core.records import Report, Scoring

    Differences = list[str]
    Run = Callable[[Path], Differences]

EXACT = 1e-12
BLEU = 1e-9
"""How near sums of logarithms must be; what is printed must be equal."""


class Case(NamedTuple):
    """One golden case."""

    kind: str
    name: str
    run: Run | None
    """Runs it in a scratch folder; `None` where its code comes later."""


class NotHereError(Exception):
    """The case needs something that is not here, such as an optional program; it counts as not run."""


def read(path: Path) -> Any:
    """Return the decoded JSON of a file, key order kept; `None` for a file that is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError):
        return None


def read_lines(path: Path) -> list[Any]:
    """Return the decoded JSON lines of a file; an empty list for a file that holds none."""
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    except ValueError:
        return []


def put(path: Path, value: Any) -> Path:
    """Write a text as it is, anything else as JSON."""
    path.write_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def near(what: str, found: float | None, expected: float, tolerance: float = EXACT) -> Differences:
    """Compare one figure; NaN equals NaN."""
    if found is not None and math.isnan(found) and math.isnan(expected):
        return []
    if found is None or not abs(found - expected) <= tolerance:
        return [f"{what}: expected {expected!r}, found {found!r}"]
    return []


def same(what: str, found: Any, expected: Any) -> Differences:
    """Compare anything exactly, and show the first place where texts differ."""
    if found == expected:
        return []
    if isinstance(found, str) and isinstance(expected, str):
        lines = zip(f"{expected}\0".split("\n"), f"{found}\0".split("\n"), strict=False)
        for number, (one, other) in enumerate(lines, start=1):
            if one != other:
                return [f"{what}: line {number}: expected {one[:120]!r}, found {other[:120]!r}"]
    return [f"{what}: expected {str(expected)[:200]}, found {str(found)[:200]}"]


def report_on(task: str, gold: Sequence[Path], pred: Path, how: Scoring) -> Report:
    """Score a file as `duologue score` does."""
    loaded = load_task(task)
    return loaded.score(loaded.load_files(gold), loaded.read(pred), how)


def values_of(report: Report) -> dict[str, float]:
    """Return the scores by name."""
    return {score.name: score.value for score in report.scores}


def printed(lines: Sequence[str]) -> str:
    """Return printed lines as one text."""
    return "".join(f"{line}\n" for line in lines)


def files_below(folder: Path, pattern: str) -> list[Path]:
    """Return the files of a name pattern, in a stable order."""
    return sorted(path for path in folder.rglob(pattern) if path.is_file())
