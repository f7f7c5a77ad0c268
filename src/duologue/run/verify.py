"""Re-compute a stored number from its stored files, and say equal or what differs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core.disk import Source
from duologue.core.errors import DuologueError, UsageError
from duologue.core.lines import sha256
from duologue.core.plugins import load_task
from duologue.run import evaluate
from duologue.run.context import locate
from duologue.run.saved import how_of, read_report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Report

REPORTS = "*.report.json"
"""Names of saved reports, as `duologue score --out` should be given."""


class Verdict(NamedTuple):
    """What came of re-computing one saved report."""

    path: Path
    signature: str
    checked: int
    """How many stored figures were compared."""
    differences: tuple[str, ...]
    """What differs, in words; empty: everything is equal."""


def find(what: str, folders: Sequence[Path]) -> list[Path]:
    """Return the saved reports that `what` means: a file, or all below `folders` that hold this signature.

    A signature is that of a whole report or of one of its scores. Raises `UsageError` when there is none.
    """
    if Path(what).is_file():
        return [Path(what)]
    looked, found = 0, []
    for path in sorted({path for folder in folders if folder.is_dir() for path in folder.rglob(REPORTS)}):
        looked += 1
        try:
            report = read_report(path)
        except DuologueError:  # whatever else ends in .report.json is not what is looked for
            continue
        if what in {report.signature, *(score.signature for score in report.scores)}:
            found.append(path)
    if not found:
        places = ", ".join(map(str, folders))
        raise UsageError(
            f"no report with the signature '{what}' is among the {looked} below {places}, and no file has this name; "
            f"say where to look with --in FOLDER"
        )
    return found


def verify(path: Path) -> Verdict:
    """Score again what a saved report was made from and compare every figure, exactly.

    Files are looked for where the report says, then beside the report. Raises `UsageError` for a report that
    does not name its files (made before they were kept), and what scoring raises.
    """
    report = read_report(path)
    files = report.meta.get("files")
    if not isinstance(files, dict) or not files.get("pred"):
        raise UsageError(f"{path} does not name the files that it was made from; score them again with --out")
    differences: list[str] = []
    found = {kind: [_locate(one, path, differences) for one in files.get(kind) or ()] for kind in _KINDS}
    if any(one is None for group in found.values() for one in group):
        return Verdict(path, report.signature, 0, tuple(differences))
    golds, (pred, *_), data = ([one for one in found[kind] if one is not None] for kind in _KINDS)
    test_set = report.meta.get("test_set")
    again = evaluate.score(
        load_task(report.task),
        golds,
        pred,
        how_of(report),
        data=data[0] if data else None,
        test_set=str(test_set) if test_set else None,
    )
    pairs = _figures(report, again)
    differences += [
        f"{what}: stored {stored!r}, computed {now!r}" for what, stored, now in pairs if not _same(stored, now)
    ]
    return Verdict(path, report.signature, len(pairs), tuple(differences))


_KINDS = ("gold", "pred", "input")


def _locate(stored: Any, report: Path, differences: list[str]) -> Path | None:
    """Return where a stored file is now; note when it is gone or holds something else."""
    named = Path(str(stored["path"]))
    path = locate(named, report)
    if path is None:
        differences.append(f"{named}: the file is gone")
        return None
    here = sha256(Source(path))
    if here != stored["sha256"]:
        differences.append(f"{path}: the file has changed: stored hash {stored['sha256'][:12]}, found {here[:12]}")
    return path


def _figures(stored: Report, now: Report) -> list[tuple[str, Any, Any]]:
    """Return what both reports say of each thing: `None` where one says nothing."""
    pairs: list[tuple[str, Any, Any]] = [("n", stored.n, now.n), ("signature", stored.signature, now.signature)]
    before, after = ({score.name: score for score in one.scores} for one in (stored, now))
    for name in dict.fromkeys((*before, *after)):
        one, other = before.get(name), after.get(name)
        pairs += [
            (f"{name}, {field}", getattr(one, field, None), getattr(other, field, None))
            for field in ("value", "low", "high")
        ]
    if stored.transcript or now.transcript:
        pairs.append(("printed lines", stored.transcript, now.transcript))
    pairs.append(("counts per item", (stored.columns, stored.items), (now.columns, now.items)))
    pairs.append(("slices", stored.slices, now.slices))
    return pairs


def _same(one: object, other: object) -> bool:
    """Whether two figures are equal; NaN is equal to itself and to nothing, as JSON writes it."""
    if isinstance(one, float) and math.isnan(one):
        one = None
    if isinstance(other, float) and math.isnan(other):
        other = None
    return one == other
