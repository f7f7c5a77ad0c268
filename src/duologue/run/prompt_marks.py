"""Marks of prompts in signatures: which words chat models were asked with, in what is scored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.core.protocols import System
    from duologue.core.records import Report

SYSTEM, USER = "system", "user"
"""Parts that a chat model may have in a dialogue."""
_LONGEST = 200
"""Characters of a mark that are kept: notes may be a stranger's."""


def marks_of(**partners: System | None) -> dict[str, str]:
    """Return the marks of the prompts that prepared partners ask with, by their part; none of most systems."""
    marks = {part: one_line(getattr(partner, "prompt_mark", "")) for part, partner in partners.items()}
    return {part: mark for part, mark in marks.items() if mark}


def one_line(mark: Any) -> str:
    """Return a mark as a signature may hold it; nothing for what is no text.

    >>> one_line("toy en v1 | 0a1b")
    'toy en v1 0a1b'
    """
    return " ".join(mark.replace("|", " ").split())[:_LONGEST] if isinstance(mark, str) else ""


def with_prompts(report: Report, marks: Mapping[str, str]) -> Report:
    """Return a report with these marks, and no others, in all its signatures."""
    if report.signature.prompts == marks:
        return report

    def signed(scores: Any) -> Any:
        return tuple(
            msgspec.structs.replace(one, signature=msgspec.structs.replace(one.signature, prompts=dict(marks)))
            for one in scores
        )

    return msgspec.structs.replace(
        report,
        signature=msgspec.structs.replace(report.signature, prompts=dict(marks)),
        scores=signed(report.scores),
        slices=tuple(msgspec.structs.replace(one, scores=signed(one.scores)) for one in report.slices),
    )
