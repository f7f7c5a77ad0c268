"""Counts of very many samples, gone through portion by portion and added up by runs of consecutive samples.

What is kept grows with what the replies hold that is different: words, bigrams (12 bytes each) and replies (24 bytes).
CIDEr needs more, for it weighs every n-gram by how many samples have it: 4 bytes per token and text are kept for it,
and all different n-grams of the references. Only METEOR has all texts in memory, since its program is started once.
"""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.conversation.scoring.counts import (
    COMMONEST,
    DIFFERENT,
    DIVERSITY,
    count_each,
    count_likeness,
    count_with_meteor,
    meteor_of,
    profile_of,
)
from duologue.metrics.caption import CIDER
from duologue.metrics.documents import Numbered, cider_of
from duologue.metrics.sorted_aggregator import SortedAggregator
from duologue.metrics.word_vectors import read_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.conversation.scoring.items import Flow, Items
    from duologue.core.records import Scoring
    from duologue.metrics.counts import Floats
    from duologue.metrics.tokens import Integers, Tokens

_WORD_BITS = 31


class Runs(NamedTuple):
    """Counts by runs of samples."""

    columns: dict[str, Floats]
    """Per run, by name."""
    names: list[str]
    """Which samples each run holds."""
    vectors: str = ""
    """Hash of the table of word vectors, where one was used."""


def count_runs(flow: Flow, how: Scoring, most: int, told: Callable[[Items], None]) -> Runs:
    """Count samples by at most so many runs; each portion is told to the caller once. Raises as `count` does."""
    table = _Table(flow.n, most)
    known: dict[str, int] = {}
    kept: list[Numbered] = []
    fresh = _Fresh(table)
    for items in flow.portions():
        told(items)
        columns, tokens = count_each(items, profile_of(how), known)
        fresh.add(items.replies, tokens)
        if profile_of(how) == "coco":
            kept.append(_numbered(items, tokens))
        table.name(items.ids)
        table.add(columns)
    fresh.tell()
    if kept:
        for values in cider_of(kept):
            table.add({CIDER.name: values})
    kept.clear()
    vectors = read_vectors(Path(how.options["vectors"]), known) if how.options.get("vectors") else None
    known.clear()
    for items in flow.portions():
        table.add({COMMONEST.name: fresh.commonest(items.replies)})
        if vectors:
            table.add(count_likeness(items, vectors))
    if profile_of(how) == "coco" and meteor_of(how) is not None:
        table.add(count_with_meteor(flow.whole(), how))
    return Runs(table.columns, table.names, vectors.hash if vectors else "")


def _numbered(items: Items, tokens: Tokens) -> Numbered:
    """Return the tokens of a portion as small as can be; its references stand in layers."""
    several = [len(one) for one in items.references]
    layers = [[place for place, size in enumerate(several) if size > depth] for depth in range(max(several))]
    home = np.array([place for layer in layers for place in layer], np.int32)
    return Numbered(tokens.numbers.astype(np.int32), tokens.lengths.astype(np.int32), home)


class _Table:
    """Columns of counts by runs of samples; the portions of each column come in the order of the samples."""

    def __init__(self, samples: int, most: int) -> None:
        self.step = -(-samples // most)
        self.runs = -(-samples // self.step)
        self.columns: dict[str, Floats] = {}
        self._at: dict[str, int] = {}
        self._ids: list[str] = []
        self._ends: list[str] = []
        self._named = 0

    @property
    def names(self) -> list[str]:
        """The names of the runs."""
        return [f"samples {first}-{last}" for first, last in zip(self._ids, self._ends, strict=True)]

    def name(self, ids: Sequence[str]) -> None:
        """Take the ids of the samples that follow."""
        for place, name in enumerate(ids, start=self._named):
            if place % self.step == 0:
                self._ids.append(name)
                self._ends.append(name)
            else:
                self._ends[-1] = name
        self._named += len(ids)

    def where(self, first: int, count: int) -> Integers:
        """Return the run of each of some consecutive samples."""
        return np.arange(first, first + count) // self.step

    def add(self, columns: Mapping[str, Floats]) -> None:
        """Add up the counts of the samples that follow, in these columns."""
        for name, values in columns.items():
            here = self.columns.setdefault(name, np.zeros(self.runs))
            at = self._at.get(name, 0)
            here += np.bincount(self.where(at, len(values)), weights=values, minlength=self.runs)
            self._at[name] = at + len(values)


class _Fresh:
    """What is different in the replies of all portions: words, bigrams and whole replies, each in its first run."""

    def __init__(self, table: _Table) -> None:
        self._table = table
        self._samples = 0
        self._met = np.zeros(1 << 12, dtype=bool)
        self._words = np.zeros(table.runs)
        self._bigrams = SortedAggregator(np.minimum)
        self._replies = SortedAggregator(np.minimum, np.add, words=2)
        self._chosen: tuple[int, ...] = ()

    def add(self, replies: Sequence[str], tokens: Tokens) -> None:
        """Take the replies that follow, which are the first of the numbered texts."""
        count = len(replies)
        run = self._table.where(self._samples, count)
        self._samples += count
        numbers = tokens.numbers[: int(tokens.lengths[:count].sum())]
        owners = tokens.texts[: len(numbers)]
        self._add_words(numbers, run[owners], tokens.vocabulary)
        inside = owners[1:] == owners[:-1]
        bigrams = numbers[:-1][inside] << _WORD_BITS | numbers[1:][inside]
        kinds, first = np.unique(bigrams, return_index=True)
        self._bigrams.add([kinds], [run[owners[1:][inside][first]].astype(np.int32)])
        lengths = tokens.lengths[:count].astype(np.float64)
        said = (lengths, np.maximum(lengths - 1, 0.0))
        self._table.add({metric.columns[0]: one for metric, one in zip(DIVERSITY[:2], said, strict=True)})
        self._replies.add([*_digests(replies).T], [run.astype(np.int32), np.ones(count, np.int32)])

    def _add_words(self, numbers: Integers, run: Integers, vocabulary: int) -> None:
        while vocabulary > len(self._met):
            self._met = np.concatenate([self._met, np.zeros_like(self._met)])
        kinds, first = np.unique(numbers, return_index=True)
        new = ~self._met[kinds]
        self._words += np.bincount(run[first[new]], minlength=self._table.runs)
        self._met[kinds] = True

    def tell(self) -> None:
        """Put what is different into the table: everything counts in the run in which it comes first."""
        runs = self._table.runs
        bigrams, replies = self._bigrams.values(), self._replies.values()
        columns = self._table.columns
        columns[DIVERSITY[0].columns[1]] = self._words
        columns[DIVERSITY[1].columns[1]] = _times(bigrams[0] if bigrams else np.zeros(0, np.int32), runs)
        columns[DIFFERENT.name] = _times(replies[0], runs)
        most = int(np.argmax(replies[1]))  # of several the one with the smallest digest, whatever the order of the file
        high, low = self._replies.keys()
        self._chosen = (int(high[most]), int(low[most]))
        self._bigrams, self._replies = SortedAggregator(), SortedAggregator()

    def commonest(self, replies: Sequence[str]) -> Floats:
        """Return for each reply whether it is the most frequent one."""
        same: NDArray[np.bool_] = (_digests(replies) == np.array(self._chosen, np.uint64)).all(axis=1)
        return same.astype(np.float64)


def _times(runs: NDArray[np.int32], count: int) -> Floats:
    return np.bincount(runs, minlength=count).astype(np.float64)


def _digests(replies: Sequence[str]) -> NDArray[np.uint64]:
    """Return 128 bits for each reply, (replies, 2); of ten million different ones no two agree but by a miracle."""
    words = (" ".join(one.split()).encode("utf-8", "surrogatepass") for one in replies)
    return np.frombuffer(b"".join(blake2b(one, digest_size=16).digest() for one in words), "<u8").reshape(-1, 2)
