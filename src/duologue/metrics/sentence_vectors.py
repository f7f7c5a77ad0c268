"""Cosine of sentence vectors: how alike a reply is to its best reference by the caller's own model of sentences.

As the nlg-eval package, which scored DSTC6 track 2, computes its Skip-thought score: the cosine with the reference that
is most alike, the mean over items. The vectors are the caller's choice and belong into the signature; the published
figures used Skip-thought, so figures with another model do not compare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.core import disk
from duologue.core.errors import FormatError, UsageError
from duologue.core.escapes import one_line
from duologue.core.records import Problem
from duologue.metrics.formulas import Average
from duologue.metrics.word_vectors import unrounded

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from duologue.metrics.counts import Floats

_LIMIT = 20
"""Broken lines that are reported before reading stops."""
_LARGEST = 1e100
"""Of a vector's numbers, below or above zero: the squares of larger ones, and of their sums, would be infinite."""
_SHOWN = 60
"""Characters of a text that a message shows."""

SENTENCE_COSINE = Average(
    "sentence-cosine",
    "sentence-cosine = mean of best cosines of sentence vectors",
    lowest=-1,
    source="Skip-thought's score of the nlg-eval package, with the vectors that are given",
)


class SentenceVectors:
    """A table of vectors of whole texts; white space in a text counts as one space, none at its ends."""

    def __init__(self, rows: dict[str, Floats], path: Path | None = None, *, hash_: str = "") -> None:
        self._rows = rows
        self._path = path
        self.hash = hash_
        """SHA-256 of the file, for signatures; empty for a table made in memory."""

    def likeness(self, replies: Sequence[str], references: Sequence[Sequence[str]]) -> Floats:
        """Return for each reply the cosine with its best reference, from -1 to 1.

        A text without words that the table lacks is like nothing (0). Raises `UsageError` for any other.
        """
        self._demand([*replies, *(text for several in references for text in several)])
        pairs = zip(replies, references, strict=True)
        return np.array([max(self._cosine(said, wanted) for wanted in several) for said, several in pairs])

    def _cosine(self, said: str, wanted: str) -> float:
        one, other = self._rows.get(key_of(said)), self._rows.get(key_of(wanted))
        if one is None or other is None:
            return 0.0
        sizes = float(np.sqrt((one * one).sum()) * np.sqrt((other * other).sum()))
        return float(unrounded((one @ other) / sizes)) if sizes > 0 else 0.0

    def _demand(self, texts: Sequence[str]) -> None:
        """Raise `UsageError` where texts have no vector."""
        wanted = dict.fromkeys(filter(None, map(key_of, texts)))
        missing = [text for text in wanted if text not in self._rows]
        if missing:
            shown = one_line(missing[0][:_SHOWN]) + ("..." if len(missing[0]) > _SHOWN else "")
            raise UsageError(
                f"{self._path or 'the table'} has no vector for {len(missing):,} of {len(wanted):,} different texts, "
                f"such as '{shown}'; give every reply and every reference a line: the text, a TAB, its numbers"
            )


def key_of(text: str) -> str:
    """Return a text as a table has it.

    >>> key_of("  we are   there ")
    'we are there'
    """
    return " ".join(text.split())


def read_sentence_vectors(path: Path, wanted: Collection[str] | None = None) -> SentenceVectors:
    """Read a text table of sentence vectors: per line a text, a TAB, and its numbers with spaces or TABs between.

    Only vectors of `wanted` keys (`key_of`) are kept (`None`: all); of a text given twice the last line counts. Plain
    or gzip. Raises `FormatError` with the lines that do not fit the first, and `StorageError` when the file cannot be
    read.
    """
    data = disk.read_bytes(path)
    text, _ = disk.decode_text(data, path)
    dimensions, kept, empty = 0, dict[str, "Floats"](), True
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        said, tab, numbers = line.partition("\t")
        row = _parse(numbers)
        dimensions = dimensions or (0 if row is None else len(row))
        if not tab or row is None or len(row) != dimensions:
            expected = f"{dimensions} numbers" if dimensions else "numbers"
            message = f"found {line[:40]!r}, expected a text, a TAB and {expected}"
            problems.append(Problem(rule="vector-line", place=f"line {number}", message=message))
            if len(problems) >= _LIMIT:
                break
            continue
        empty = False
        if wanted is None or key_of(said) in wanted:
            kept[key_of(said)] = row
    if empty and not problems:
        problems.append(Problem(rule="vector-line", message="the file holds no sentence vectors"))
    if problems:
        raise FormatError(path, problems)
    return SentenceVectors(kept, path, hash_=disk.sha256(data))


def _parse(numbers: str) -> Floats | None:
    """Return a vector; `None` where there are no numbers, or too large ones."""
    try:
        row = np.array(numbers.split(), dtype=np.float64)
    except ValueError:
        return None
    return row if len(row) and (np.abs(row) <= _LARGEST).all() else None
