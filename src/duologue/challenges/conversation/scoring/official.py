"""Reimplementation of the official program `bleu_score.py`: what it reads and prints (specification, section 7).

It takes the lines that start exactly with `S_REF:` or `S_HYP:`, removes every occurrence of the marker, splits at white
space, and pairs references and hypotheses by order, one reference each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.conversation.formats.dialogue_lines import HYPOTHESIS, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.records import Submission

PROFILES = {"official": "nltk-2017", "official-nltk-current": "nltk-current"}
"""Variants that print what the program prints, with the NLTK version whose BLEU they compute."""

_RULE = "-" * 32


def references_in(submission: Submission) -> Iterator[str]:
    """Yield the reference texts, markers removed.

    A first line after a byte order mark is skipped, as the program does not see its marker.
    """
    return _texts(submission, REFERENCE)


def hypotheses_in(submission: Submission) -> Iterator[str]:
    """Yield the hypothesis texts as `references_in` does."""
    return _texts(submission, HYPOTHESIS)


def count_pairs(submission: Submission) -> tuple[int, int]:
    """Return the numbers of references and hypotheses that the program finds."""
    references = hypotheses = 0
    for portion in _portions(submission):
        references += sum([line.startswith(REFERENCE) for line in portion])
        hypotheses += sum([line.startswith(HYPOTHESIS) for line in portion])
    return references, hypotheses


def _texts(submission: Submission, mark: str) -> Iterator[str]:
    for portion in _portions(submission):  # a portion at a time: there may be ten million lines
        yield from [line.replace(mark, "") for line in portion if line.startswith(mark)]


def _portions(submission: Submission) -> Iterator[list[str]]:
    """Yield the lines in chunks, without a first line behind a byte order mark; none of an unreadable file."""
    skipped = int(any(problem.rule == "byte-order-mark" for problem in submission.problems))
    for portion in submission.rows.portions() if submission.rows is not None else ():
        yield portion[skipped:]
        skipped = 0


def transcript(name: str, references: int, hypotheses: int, scores: Sequence[float] = ()) -> tuple[str, ...]:
    """Return the lines printed by the program: the four scores, or its error message without `scores`.

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
