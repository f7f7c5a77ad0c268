"""Embedding average, vector extrema and greedy matching: similarity of replies by word vectors.

As in the nlg-eval package that scored DSTC6 track 2 (specification, section 8.1): the best reference counts, the
score is the mean over items. The vectors are the caller's choice and belong into the signature; the published
figures used GloVe 6B of 300 dimensions and a word tokenizer, so figures with another table do not compare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.core import disk
from duologue.core.errors import FormatError
from duologue.core.records import Problem
from duologue.metrics.formulas import Average

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from duologue.metrics.counts import Floats

_LIMIT = 20
"""Broken lines that are reported before reading stops."""
_LARGEST = 1e100
"""Of a vector's numbers, below or above zero: the squares of larger ones, and of their sums, would be infinite."""

_ROUNDING = 1e-12
"""A cosine that is nearer to 1 or -1 is one of them, but for the rounding of sums."""

_SOURCE = "Liu and others 2016, as the nlg-eval package computes it"

EMBEDDING = (
    Average("embedding-average", "embedding-average = mean of cosines of summed vectors", source=_SOURCE, lowest=-1),
    Average("vector-extrema", "vector-extrema = mean of cosines of extreme vectors", source=_SOURCE, lowest=-1),
    Average("greedy-matching", "greedy-matching = mean of best cosines word by word", source=_SOURCE, lowest=-1),
)
"""The formulas, in the order of `Likeness`."""


class Likeness(NamedTuple):
    """How alike a reply is to its best reference, from -1 to 1; 0 where either has no words."""

    average: float
    """Cosine of the summed vectors."""
    extrema: float
    """Cosine of the vectors made of each dimension's most extreme value."""
    greedy: float
    """Mean of both directions' mean best cosine."""


class Vectors:
    """A table of word vectors. A word that it lacks has the mean of all vectors.

    `mean` is that mean where `array` holds only some of them. Raises `ValueError` when it is missing for an empty
    table, or the numbers of words and rows differ.
    """

    def __init__(self, words: Sequence[str], array: Floats, *, mean: Floats | None = None, hash_: str = "") -> None:
        if array.ndim != 2 or len(words) != len(array) or (mean is None and not words):
            raise ValueError(f"{len(words)} words are given for vectors of shape {array.shape}")
        self._rows = {word: row for row, word in enumerate(words)}
        self._array = np.vstack([array, array.mean(axis=0) if mean is None else mean])
        self.hash = hash_
        """SHA-256 of the file, for signatures; empty for a table made in memory."""

    def of(self, tokens: Sequence[str]) -> Floats:
        """Return the vectors of the tokens, shape (tokens, dimensions)."""
        unknown = len(self._array) - 1
        found: Floats = self._array[[self._rows.get(token, unknown) for token in tokens]]
        return found

    def likeness(self, hypothesis: Sequence[str], references: Sequence[Sequence[str]]) -> Likeness:
        """Compare a reply with its references; each of the three takes the reference it likes best."""
        said = self.of(hypothesis) if hypothesis else None
        found = [_compare(said, self.of(one) if one else None) for one in references]
        return Likeness(*(max(values) for values in zip(*found, strict=True)))


def _compare(said: Floats | None, wanted: Floats | None) -> Likeness:
    if said is None or wanted is None:
        return Likeness(0.0, 0.0, 0.0)
    cosines = unrounded(_unit(said) @ _unit(wanted).T)
    greedy = (float(cosines.max(axis=1).mean()) + float(cosines.max(axis=0).mean())) / 2
    return Likeness(
        average=float(unrounded(_unit(said.sum(axis=0)) @ _unit(wanted.sum(axis=0)))),
        extrema=float(unrounded(_unit(_extreme(said)) @ _unit(_extreme(wanted)))),
        greedy=greedy,
    )


def unrounded(cosines: Floats) -> Floats:
    """Return cosines of which those are 1 and -1 that are so but for rounding: a reply that is its reference has 1.

    >>> unrounded(np.array([1 + 4e-16, 0.5, -1 + 4e-16])).tolist()
    [1.0, 0.5, -1.0]
    """
    return np.where(np.abs(np.abs(cosines) - 1) < _ROUNDING, np.sign(cosines), cosines)


def _extreme(rows: Floats) -> Floats:
    """Return per dimension the maximum where it is above minus the minimum, else the minimum."""
    high, low = rows.max(axis=0), rows.min(axis=0)
    found: Floats = np.where(high > -low, high, low)
    return found


def _unit(rows: Floats) -> Floats:
    """Return the rows with length 1; a row of zeros stays."""
    sizes = np.sqrt((rows * rows).sum(axis=-1, keepdims=True))
    found: Floats = rows / np.where(sizes > 0, sizes, 1.0)
    return found


def read_vectors(path: Path, wanted: Collection[str] | None = None) -> Vectors:
    """Read a text table of word vectors: a word and its numbers per line, cut by spaces (GloVe, word2vec text).

    Only the vectors of `wanted` words are kept (`None`: all), and the mean of all. A first line of two integers
    (words, dimensions) is skipped; of a word given twice the last line counts; a word may hold spaces, as some
    tables have them. Plain or gzip. Raises `FormatError` with the lines that do not fit the first, and
    `StorageError` when the file cannot be read.
    """
    data = disk.read_bytes(path)
    text, _ = disk.decode_text(data, path)
    lines = text.split("\n")
    said = (number for number, line in enumerate(lines) if line.strip())
    start = next(said, 0)
    first = lines[start].split()
    if len(first) == 2 and all(part.isdecimal() for part in first):
        start = next(said, len(lines))
    dimensions = max(len(lines[start].split()) - 1, 1) if len(lines) > start else 1
    kept: dict[str, Floats] = {}
    total, count = np.zeros(dimensions), 0
    problems: list[Problem] = []
    for number, line in enumerate(lines[start:], start=start + 1):
        if not line.strip():
            continue
        word, row = _parse(line, dimensions)
        if row is None:
            message = f"found {line[:40]!r}, expected a word and {dimensions} numbers"
            problems.append(Problem(rule="vector-line", place=f"line {number}", message=message))
            if len(problems) >= _LIMIT:
                break
            continue
        total += row
        count += 1
        if wanted is None or word in wanted:
            kept[word] = row
    if not count and not problems:
        problems.append(Problem(rule="vector-line", message="the file holds no word vectors"))
    if problems:
        raise FormatError(path, problems)
    array = np.vstack([*kept.values()]) if kept else np.zeros((0, dimensions))
    return Vectors(list(kept), array, mean=total / count, hash_=disk.sha256(data))


def _parse(line: str, dimensions: int) -> tuple[str, Floats | None]:
    """Return a line's word and vector; `None` where the numbers are too few, too large or no numbers."""
    parts = line.rstrip().split(" ")
    word = " ".join(parts[:-dimensions])
    try:
        row = np.array(parts[-dimensions:], dtype=np.float64)
    except ValueError:
        return word, None
    return word, row if len(parts) > dimensions and (np.abs(row) <= _LARGEST).all() else None
