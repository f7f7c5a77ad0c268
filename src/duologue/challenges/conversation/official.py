"""The official program `bleu_score.py`, replayed: what it reads and what it prints (specification, section 7).

It reads text lines, takes those that start exactly with `S_REF:` or `S_HYP:`, removes every occurrence of the
marker in them, cuts at white space, and pairs references and hypotheses by their order. One reference each.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from duologue.challenges.conversation.files import HYPOTHESIS, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.records import Submission

PROFILES = {"official": "nltk-2017", "official-nltk-current": "nltk-current"}
"""Variants that print what the program prints, and the NLTK whose BLEU they compute."""

_RULE = "-" * 32


def references_in(submission: Submission) -> Iterator[str]:
    """Go through the texts behind `S_REF:`, with every marker taken out of them.

    A first line after a byte order mark has none, for the program does not see its marker.
    """
    return (line.replace(REFERENCE, "") for line in _marked_lines(submission) if line.startswith(REFERENCE))


def hypotheses_in(submission: Submission) -> Iterator[str]:
    """Go through the texts behind `S_HYP:` as `references_in` does."""
    return (line.replace(HYPOTHESIS, "") for line in _marked_lines(submission) if line.startswith(HYPOTHESIS))


def count_pairs(submission: Submission) -> tuple[int, int]:
    """Return how many references and how many hypotheses the program finds."""
    found = Counter(line.startswith(REFERENCE) for line in _marked_lines(submission))
    return found[True], found[False]


def _marked_lines(submission: Submission) -> Iterator[str]:
    lines = submission.rows or ()
    if any(problem.rule == "byte-order-mark" for problem in submission.problems):
        lines = islice(lines, 1, None)
    return (line for line in lines if line.startswith((REFERENCE, HYPOTHESIS)))


def transcript(name: str, references: int, hypotheses: int, scores: Sequence[float] = ()) -> tuple[str, ...]:
    """Return the printed lines: with the four scores, or with the program's error where there are none.

    Spelling as in the original ("Number or references", "reeferences").
    """
    results = [f"Bleu{order}: {score:f}" for order, score in enumerate(scores, start=1)]
    return (
        _RULE,
        f"Evaluated file: {name}",
        f"Number or references: {references}",
        f"Number or hypotheses: {hypotheses}",
        _RULE,
        *(results or ["Error: mismatched reeferences and hypotheses."]),
        _RULE,
    )
