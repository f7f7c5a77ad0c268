"""Streaming version of `counts` for very large files: counts are summed over runs of consecutive samples.

Memory grows with the distinct words, bigrams (12 bytes each) and replies (24 bytes). CIDEr needs document frequencies:
it keeps 4 bytes per token and text, and all distinct n-grams of the references. Only METEOR holds all texts in memory,
since its program is started once.
"""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.conversation.scoring.counts import (
    DIFFERENT,
    DIVERSITY,
    MOST_FREQUENT,
    SENTENCES,
    count_each,
    count_embedding,
    count_with_meteor,
    meteor_of,
    profile_of,
)
from duologue.metrics.caption import CIDER
from duologue.metrics.documents import Numbered, cider_of
from duologue.metrics.greedy_idf import ReferenceIdf
from duologue.metrics.run_sums import RunSums
from duologue.metrics.sentence_vectors import SENTENCE_COSINE, read_sentence_vectors
from duologue.metrics.sorted_aggregator import SortedAggregator
from duologue.metrics.word_vectors import read_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.conversation.scoring.items import ItemStream, ScoredItems
    from duologue.core.records import Scoring
    from duologue.metrics.counts import Floats
    from duologue.metrics.tokens import Integers, Tokens

_WORD_BITS = 31


class RunCounts(NamedTuple):
    """Counts per run of samples."""

    columns: dict[str, Floats]
    """Per run, by name."""
    names: list[str]
    """First and last sample of each run."""
    vectors: str = ""
    """Hash of the word vectors, where used."""
    sentences: str = ""
    """Hash of the sentence vectors, where used."""


def count_runs(flow: ItemStream, how: Scoring, limit: int, visit: Callable[[ScoredItems], None]) -> RunCounts:
    """Count samples in at most `limit` runs; `visit` is called once per chunk. Raises as `count` does."""
    table = _NamedRuns(flow.n, limit)
    known: dict[str, int] = {}
    kept: list[Numbered] = []
    fresh = _DistinctCounter(table)
    for items in flow.portions():
        visit(items)
        columns, tokens = count_each(items, profile_of(how), known)
        fresh.add(items.replies, tokens)
        if profile_of(how) == "coco":
            kept.append(_numbered(items, tokens))
        table.name(items.ids)
        table.add(columns)
    fresh.finish()
    if kept:
        for values in cider_of(kept):
            table.add({CIDER.name: values})
    kept.clear()
    vectors = read_vectors(Path(how.options["vectors"]), known) if how.options.get("vectors") else None
    known.clear()
    given = how.options.get(SENTENCES)
    sentences = read_sentence_vectors(Path(given)) if given else None
    idf = ReferenceIdf()
    for items in flow.portions() if vectors else ():
        idf.add(text.split() for several in items.references for text in several)
    for items in flow.portions():
        table.add({MOST_FREQUENT.name: fresh.commonest(items.replies)})
        if vectors:
            table.add(count_embedding(items, vectors, idf))
        if sentences:
            table.add({SENTENCE_COSINE.name: sentences.likeness(items.replies, items.references)})
    if profile_of(how) == "coco" and meteor_of(how) is not None:
        table.add(count_with_meteor(flow.whole(), how))
    hashes = (one.hash if one else "" for one in (vectors, sentences))
    return RunCounts(table.columns, table.names, *hashes)


def _numbered(items: ScoredItems, tokens: Tokens) -> Numbered:
    """Return the token ids of a chunk as int32, references by layer."""
    several = [len(one) for one in items.references]
    layers = [[place for place, size in enumerate(several) if size > depth] for depth in range(max(several))]
    home = np.array([place for layer in layers for place in layer], np.int32)
    return Numbered(tokens.numbers.astype(np.int32), tokens.lengths.astype(np.int32), home)


class _NamedRuns(RunSums):
    """Columns of counts by run, and the names of the runs: their first and last samples."""

    def __init__(self, samples: int, limit: int) -> None:
        super().__init__(samples, limit)
        self._ids: list[str] = []
        self._ends: list[str] = []
        self._named = 0

    @property
    def names(self) -> list[str]:
        """The names of the runs."""
        return [f"samples {first}-{last}" for first, last in zip(self._ids, self._ends, strict=True)]

    def name(self, ids: Sequence[str]) -> None:
        """Add the ids of the next samples."""
        for place, name in enumerate(ids, start=self._named):
            if place % self.step == 0:
                self._ids.append(name)
                self._ends.append(name)
            else:
                self._ends[-1] = name
        self._named += len(ids)


class _DistinctCounter:
    """Distinct words, bigrams and replies over all chunks, each attributed to the run of its first occurrence."""

    def __init__(self, table: RunSums) -> None:
        self._table = table
        self._samples = 0
        self._met = np.zeros(1 << 12, dtype=bool)
        self._words = np.zeros(table.runs)
        self._bigrams = SortedAggregator(np.minimum)
        self._replies = SortedAggregator(np.minimum, np.add, words=2)
        self._chosen: tuple[int, ...] = ()

    def add(self, replies: Sequence[str], tokens: Tokens) -> None:
        """Add the next replies, which are the first texts of `tokens`."""
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

    def finish(self) -> None:
        """Write the distinct counts into the table."""
        runs = self._table.runs
        bigrams, replies = self._bigrams.values(), self._replies.values()
        columns = self._table.columns
        columns[DIVERSITY[0].columns[1]] = self._words
        columns[DIVERSITY[1].columns[1]] = _times(bigrams[0] if bigrams else np.zeros(0, np.int32), runs)
        columns[DIFFERENT.name] = _times(replies[0], runs)
        most = int(np.argmax(replies[1]))  # ties: the smallest digest, whatever the order of the file
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
