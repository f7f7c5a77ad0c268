"""What scores say of themselves beside a table: how a figure is to be taken, in the words of its formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duologue.core.records import Report


def notes_of(reports: Iterable[Report]) -> dict[str, str]:
    """Return score -> its note for the scores of reports that have one, in order of first appearance."""
    return {score.name: score.note for report in reports for score in report.scores if score.note}


def in_lines(notes: dict[str, str]) -> list[str]:
    """Return a line for each note, with all scores that it is of.

    >>> in_lines({"a": "by rule", "b": "of 10 samples", "c": "by rule"})
    ['a, c: by rule.', 'b: of 10 samples.']
    """
    return [
        f"{', '.join(name for name, other in notes.items() if other == note)}: {note}."
        for note in dict.fromkeys(notes.values())
    ]
