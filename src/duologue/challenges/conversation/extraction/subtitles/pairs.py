"""Pairs of neighbouring sentences and their split, made from utterances (specification, section 6.3).

All sentences of the chosen files stand in one long list, each file followed by an empty entry. Sentence i asks and
sentence i + 1 answers. The official tool shuffles the places 0 ... len - 2 and cuts the shuffled list into parts; so
a sentence may answer in one part and ask in another. Here the place that a pair has in the shuffled list is its key,
and pairs are brought into the order of their keys on disk.
"""

from __future__ import annotations

import hashlib
import os
import random
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.conversation.extraction.subtitles import utterances
from duologue.challenges.conversation.extraction.subtitles.utterances import SEED
from duologue.core import disk
from duologue.core.sums import added
from duologue.corpus import shuffle, tables
from duologue.corpus.external_sort import ExternalSorter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from duologue.challenges.conversation.extraction.subtitles.utterances import ShardSentences
    from duologue.core.protocols import Progress

PARTS = ("train", "dev", "test")
UNUSED = -1


class PairLayout(NamedTuple):
    """Positions of each file's sentences in the list of all sentences."""

    starts: NDArray[np.int64]
    """(files of the archive,), -1 for unused files."""
    length: int
    """Length of the list, empty entries included."""


class PairSplit(NamedTuple):
    """Assignment of pairs to parts."""

    ranges: tuple[range, ...]
    """Keys of each part."""
    part_of_file: NDArray[np.int8] | None
    """By file of the archive: its part, or `UNUSED`. `None` where the key alone decides, as in the official split."""


class SentencePairs(NamedTuple):
    """Sentence pairs of one shard, within the length limit."""

    keys: NDArray[np.int64]
    places: NDArray[np.int64]
    """Position of the first sentence in the list of all sentences."""
    rows: NDArray[np.int64]
    """Its row in the shard."""
    questions: tables.PackedTexts
    answers: tables.PackedTexts


def lay_out(order: NDArray[np.int64], counts: NDArray[np.int64]) -> PairLayout:
    """Lay out the sentences of all files in the shuffled order, with an empty entry after each file.

    A file that could not be read has neither.
    """
    starts = np.full(len(counts), -1, np.int64)
    read = order[counts[order] >= 0]
    ends = np.cumsum(counts[read] + 1)
    starts[read] = ends - counts[read] - 1
    return PairLayout(starts, int(ends[-1]) if len(ends) else 0)


def official_split(length: int, ratios: Sequence[float]) -> PairSplit:
    """Split the shuffled list of pairs as the official tool does."""
    total = added(ratios)
    cuts, reached = [0], 0.0
    for ratio in ratios:
        reached += ratio
        cuts.append(int(reached / total * length))
    return PairSplit(tuple(range(start, end) for start, end in pairwise(cuts)), None)


def split_by_movie(layout: PairLayout, names: Sequence[str], ratios: Sequence[float]) -> PairSplit:
    """Split by movie, so that no movie is in two parts.

    A hash of the movie (the folder of the file; the file itself where it lies in none) decides, so that the same
    movie is in the same part of every archive and every year's release.
    """
    edges = np.cumsum(ratios)
    parts = np.array([_part_of(movie_of(name), edges) for name in names], np.int8)
    return PairSplit(
        tuple(range(part * layout.length, (part + 1) * layout.length) for part in range(len(ratios))), parts
    )


def movie_of(name: str) -> str:
    """Return the movie id of an archive member.

    >>> movie_of("OpenSubtitles/xml/en/1999/133093/3271.xml")
    '133093'
    """
    folders = name.split("/")[:-1]
    return folders[-1] if folders else name.partition(".")[0]


def _part_of(movie: str, edges: NDArray[np.float64]) -> int:
    digest = hashlib.blake2b(movie.encode("utf-8", "surrogateescape"), digest_size=8).digest()
    part = int(np.searchsorted(edges, int.from_bytes(digest, "big") / 2**64, side="right"))
    return part if part < len(edges) else UNUSED


class Places:
    """The shuffled position of each pair, memory-mapped."""

    def __init__(self, path: Path, layout: PairLayout) -> None:
        self._path = path
        rng = random.Random(SEED)
        shuffle.shuffle(list(range(len(layout.starts))), rng)  # the list of files came first in the stream
        self._kind = shuffle.write_places(path, max(layout.length - 1, 0), rng)

    def of(self, files: Sequence[tuple[int, int]], starts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the shuffled positions of all sentences of files, (sum of their counts,)."""
        with self._path.open("rb") as file:
            found = [self._read(file.fileno(), int(starts[key]), count) for key, count in files]
        return np.concatenate([np.zeros(0, np.int64), *found])

    def _read(self, handle: int, start: int, count: int) -> NDArray[np.int64]:
        size = self._kind.itemsize
        return np.frombuffer(os.pread(handle, count * size, start * size), self._kind)


def pairs_of(
    sentences: ShardSentences, layout: PairLayout, places: Places, split: PairSplit, max_length: int
) -> SentencePairs:
    """Return the pairs of a shard with both sentences shorter than `max_length` words."""
    counts = np.array([count for _, count in sentences.files], np.int64)
    starts = layout.starts[[key for key, _ in sentences.files]]
    short = sentences.tokens < max_length
    paired = np.zeros(len(short), bool)
    paired[:-1] = short[:-1] & short[1:]
    ends = np.cumsum(counts)
    paired[ends[counts > 0] - 1] = False  # the last sentence of a file is followed by the empty entry
    keys = places.of(sentences.files, layout.starts).astype(np.int64)
    if split.part_of_file is not None:
        part = np.repeat(split.part_of_file[[key for key, _ in sentences.files]].astype(np.int64), counts)
        paired &= part != UNUSED
        keys += part * layout.length
    standing = np.repeat(starts - (ends - counts), counts) + np.arange(len(short))
    asking = np.flatnonzero(paired)
    texts = sentences.texts
    return SentencePairs(keys[asking], standing[asking], asking, texts.chosen(asking), texts.chosen(asking + 1))


def write(
    shards: Sequence[Path],
    layout: PairLayout,
    split: PairSplit,
    outputs: Sequence[Path],
    work: Path,
    *,
    max_length: int,
    keep: Callable[[SentencePairs], NDArray[np.bool_]] | None = None,
    say: Callable[[str], None] = lambda _: None,
    progress: Progress | None = None,
) -> list[int]:
    """Write the dialogue text of each part; return the number of pairs per part.

    A pair is `U: ` and the first sentence, `S: ` and the second, and an empty line. `work` is a folder for what does
    not fit into memory; `keep` may leave out pairs. Raises `StorageError` for what the disk refuses.
    """
    written = np.zeros(len(split.ranges), np.int64)
    with ExternalSorter(work) as sorter:
        places = Places(work / "places", layout)
        for number, path in enumerate(shards, 1):
            found = pairs_of(utterances.read(path), layout, places, split, max_length)
            if keep is not None:
                found = _chosen(found, keep(found))
            sorter.add(found.keys, tables.joined(b"U: ", found.questions, b"\nS: ", found.answers, b"\n\n"))
            written += _counted(found.keys, split.ranges)
            if progress is not None:
                progress(number, len(shards), "shuffling pairs")
        (work / "places").unlink()
        for keys, output, count in zip(split.ranges, outputs, written.tolist(), strict=True):
            # The official tool counts what it cuts off, before it leaves out long sentences and ends of files.
            say(f"writing {len(keys) if split.part_of_file is None else count} sentence pairs to {output}")
            with disk.replacing(output) as out:
                for data in sorter.sorted(keys.start, keys.stop):
                    out.write(data)
    return written.tolist()


def _chosen(pairs: SentencePairs, kept: NDArray[np.bool_]) -> SentencePairs:
    questions, answers = pairs.questions.chosen(kept), pairs.answers.chosen(kept)
    return SentencePairs(pairs.keys[kept], pairs.places[kept], pairs.rows[kept], questions, answers)


def _counted(keys: NDArray[np.int64], ranges: Sequence[range]) -> NDArray[np.int64]:
    return np.array([np.count_nonzero((keys >= part.start) & (keys < part.stop)) for part in ranges], np.int64)
