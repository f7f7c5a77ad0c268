"""What the reader of an export needs beside the figures: name, date, licence, and who ran the evaluation."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.errors import UsageError
from duologue.exports.portable import without_folders

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.plugins import SystemCard
    from duologue.core.records import Problem, Report, Score

_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")
CONFIDENCE = 0.95
"""Level of every interval of the house."""


class ExportDetails(NamedTuple):
    """What a user says of an export."""

    date: str
    """Day of the export in UTC, such as `2026-01-31`."""
    name: str = ""
    """What a hub calls the system or data, such as `our-lab/booking-bot`; empty: made from the system's name."""
    by: str = ""
    """Organisation that ran the evaluation; empty: not told."""
    licence: str = ""
    """SPDX identifier or name; empty: not told."""
    card: SystemCard | None = None
    """What the folder of the model says, where it was given."""


def one_system(reports: Sequence[Report]) -> str:
    """Return the name of the system that reports are of; `system` where they have none.

    Raises `UsageError` where they are of several, or one test set stands there twice with one way of scoring.
    """
    names = sorted({report.system for report in reports})
    if len(names) > 1:
        raise UsageError(f"the reports are of several systems ({', '.join(names)}); export each by itself")
    seen = set()
    for report in reports:
        one = (report.task, named_set(report), str(report.signature.of(())))
        if one in seen:
            raise UsageError(f"two reports are of {report.task}, {named_set(report)}, scored alike; give each once")
        seen.add(one)
    return names[0] or "system"


def hub_name(details: ExportDetails, system: str) -> str:
    """Return `organisation/system` in characters that a hub has.

    >>> hub_name(ExportDetails("2026-01-31"), "my bot/2"), hub_name(ExportDetails("", "lab/bot"), "x")
    ('local/my-bot-2', 'lab/bot')
    """
    return details.name or f"local/{in_hub_signs(system) or 'system'}"


def in_hub_signs(text: str) -> str:
    """Return a text in characters that names on a hub have.

    >>> in_hub_signs("restaurant, p@1.")
    'restaurant-p-1'
    """
    return _NO_NAME.sub("-", text).strip("-.")


def named_set(report: Report) -> str:
    """Return the name of a report's test set, and the hash of its truth where it has none."""
    named = str(report.meta.get("test_set") or "")
    return named or f"truth {report.signature.hashes.get('gold', 'unknown')[:8]}"


def with_a_value(scores: Iterable[Score]) -> list[Score]:
    """Return those scores that are a number; the others have no place in most forms."""
    return [score for score in scores if math.isfinite(score.value)]


def has_interval(score: Score) -> bool:
    """Tell whether both ends of the interval are numbers."""
    return all(end is not None and math.isfinite(end) for end in (score.low, score.high))


def remarks(report: Report) -> list[str]:
    """Return what stands beside the figures of a report: caution and problems, without folders of this machine."""
    files = report.meta.get("files")
    groups = files.values() if isinstance(files, dict) else ()
    listed = [one for group in groups if isinstance(group, list) for one in group]
    paths = [str(one.get("path", "")) for one in listed if isinstance(one, dict)]
    told = [f"{one.severity}: {_place(one)}{one.message} [{one.rule}]" for one in report.problems]
    return [without_folders(line, paths) for line in ([report.caution] if report.caution else []) + told]


def _place(problem: Problem) -> str:
    return f"{problem.place}: " if problem.place else ""
