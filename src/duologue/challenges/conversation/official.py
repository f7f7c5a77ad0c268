"""The official program `bleu_score.py`, replayed: what it reads and what it prints (specification, section 7).

It reads text lines, takes those that start exactly with `S_REF:` or `S_HYP:`, removes every occurrence of the
marker in them, cuts at white space, and pairs references and hypotheses by their order. One reference each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.conversation.files import HYPOTHESIS, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Submission

PROFILES = {"official": "nltk-2017", "official-nltk-current": "nltk-current"}
"""Variants that print what the program prints, and the NLTK whose BLEU they compute."""

_RULE = "-" * 32


class Pairs(NamedTuple):
    """What the program takes from a file, in the order of the file."""

    references: list[str]
    hypotheses: list[str]


def read_pairs(submission: Submission) -> Pairs:
    """Return the texts behind the markers, the markers taken out. A first line after a byte order mark has none."""
    lines = submission.rows or []
    if any(problem.rule == "byte-order-mark" for problem in submission.problems):
        lines = lines[1:]
    marked = [line for line in lines if line.startswith("S_")]
    return Pairs(
        [line.replace(REFERENCE, "") for line in marked if line.startswith(REFERENCE)],
        [line.replace(HYPOTHESIS, "") for line in marked if line.startswith(HYPOTHESIS)],
    )


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
