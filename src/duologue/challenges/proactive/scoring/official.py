"""Exact emulation of the official program `eval.py`, quirks included (specification, section 3).

The program reads lines `prediction TAB reference`, scores those that it can read, and prints five scores at the end. An
uncaught error ends it before anything is printed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.disk import Source
from duologue.core.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from duologue.metrics.lexicon import Integers

NAMES = ("f1", "bleu-1", "bleu-2", "distinct-1", "distinct-2")
"""Scores in the order in which the program prints them."""

_DIVISION = "ZeroDivisionError: float division by zero"
_LOGARITHM = "ValueError: math domain error"


class EvalPyError(NamedTuple):
    """An uncaught error of the program."""

    error: str
    """Type and message as in CPython 3.11."""
    where: str
    """Function of the program that raises it."""
    why: str
    """Cause in the file."""


@dataclass(frozen=True, slots=True)
class EvalPyOutcome:
    """Result of the official program for a file: scores, or the error that ends it."""

    pairs: int
    """Number of lines scored."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """Unrounded scores by name; empty if the program fails."""
    refused: EvalPyError | None = None

    @property
    def stdout(self) -> tuple[str, ...]:
        """The lines that the program prints; fractions have a percent sign too."""
        if self.refused is not None:
            return ()
        f1, *others = (self.scores[name] for name in NAMES)
        labels = ("BLEU1", "BLEU2", "DISTINCT1", "DISTINCT2")
        return (
            f"F1: {f1 * 100:.2f}%",
            *(f"{label}: {value:.3f}%" for label, value in zip(labels, others, strict=True)),
        )


def line_pairs(lines: Iterable[str]) -> list[tuple[str, str] | None]:
    r"""Return prediction and reference of each line as the program reads them, `None` for a line that it skips.

    A line with an empty prediction is skipped, since stripping the line removes the TAB.

    >>> line_pairs(["a b\tc\tignored", "\tc"])
    [('a b', 'c'), None]
    """
    fields = [line.strip().split("\t") for line in lines]
    return [(one[0].strip(), one[1].strip()) if len(one) >= 2 else None for one in fields]


class EvalPyCounter:
    """Accumulates the counts of the program chunk by chunk, in constant memory except for distinct bigrams.

    `counter` keeps the n-grams of up to `keep` predictions.
    """

    def __init__(self, keep: int = 0) -> None:
        from duologue.metrics.bulk_overlap import PairCounter  # numpy stays out of what only lists tasks

        self.counter = PairCounter(empty_words=True, keep=keep)
        self._sums = [0] * 10
        self._pairs = 0
        self._trigrams = [0, 0]

    def add(self, pairs: Sequence[tuple[str, str]]) -> Integers:
        """Count pairs and return their counts, shape (pairs, `duologue.metrics.bulk_overlap.COLUMNS`)."""
        counts = self.counter.add([said for said, _ in pairs], [wanted for _, wanted in pairs])
        self._sums = [have + more for have, more in zip(self._sums, counts.sum(axis=0).tolist(), strict=True)]
        self._pairs += len(pairs)
        sizes = counts[:, 3]
        self._trigrams[1] += int((sizes - 2).clip(0).sum())
        if not (self._sums[5] and self._sums[8]):  # only then can p_3, which is not printed, raise an error
            self._trigrams[0] += sum(_trigram_matches(*pair) for pair in pairs)
        return counts

    @property
    def settled(self) -> bool:
        """Whether the program will print scores whatever follows: all its divisors are positive."""
        hits, words, bigrams = self._sums[0], self._sums[5], self._sums[8]
        return bool(hits and words and bigrams and self._trigrams[1])

    def outcome(self) -> EvalPyOutcome:
        """Return the result of the program for the pairs so far, computed in the same order."""
        sums = [float(number) for number in self._sums]
        hits, said, wanted, words, reference = sums[:5]
        if not self._pairs:
            return self._refuse(_DIVISION, "calc_f1", "no line has both a prediction and a reference")
        if not (said and wanted and hits):
            return self._refuse(_DIVISION, "calc_f1", "no prediction shares a character with its reference")
        p, r = hits / said, hits / wanted
        f1 = 2 * p * r / (p + r)
        bp = math.exp(1 - reference / words) if words < reference else 1.0
        totals = (sums[6], sums[9], float(self._trigrams[1]))
        matches = (sums[5], sums[8], float(self._trigrams[0]))
        for n, total in enumerate(totals, start=1):
            if not total:
                return self._refuse(_DIVISION, "calc_cover_rate", f"no prediction has {n} words")
        p1, p2, p3 = (match / total for match, total in zip(matches, totals, strict=True))
        if (p2 > 0 and not p1) or (p3 > 0 and not (p1 and p2)):
            why = "n-grams match only because they are written together, while shorter ones do not match at all"
            return self._refuse(_LOGARITHM, "calc_bleu", why)
        values = (
            f1,
            bp * math.exp(math.log(p1)) if p1 > 0 else 0.0,
            bp * math.exp((math.log(p1) + math.log(p2)) / 2) if p2 > 0 else 0.0,
            self.counter.different_words() / sums[6],
            self.counter.different_bigrams(joined=True) / sums[9],
        )
        return EvalPyOutcome(self._pairs, dict(zip(NAMES, values, strict=True)))

    def _refuse(self, error: str, where: str, why: str) -> EvalPyOutcome:
        return EvalPyOutcome(self._pairs, refused=EvalPyError(error, where, why))


def evaluate(portions: Iterable[Sequence[str]]) -> EvalPyOutcome:
    """Return the result of `eval.py` for the lines of an evaluation file, given in chunks."""
    tally = EvalPyCounter()
    for pairs in pairs_of(portions):
        tally.add(pairs)
    return tally.outcome()


def evaluate_file(path: Path) -> EvalPyOutcome:
    """Return the result of `eval.py` for an evaluation file, plain or gzip.

    A million lines take about ten seconds; memory grows only with the number of distinct bigrams. Raises `StorageError`
    when the file cannot be read, `FormatError` when it is not UTF-8, where the program fails too.
    """
    return evaluate(Lines(Source(path)).portions())


def pairs_of(portions: Iterable[Sequence[str]]) -> Iterator[list[tuple[str, str]]]:
    """Yield the pairs that the program scores, chunk by chunk."""
    for lines in portions:
        yield [pair for pair in line_pairs(lines) if pair is not None]


def _trigram_matches(said: str, wanted: str) -> int:
    from duologue.metrics.ngrams import clipped, joined_ngrams

    return clipped(joined_ngrams(said.split(" "), 3), joined_ngrams(wanted.split(" "), 3))
