"""Deduplication: repeated sentence pairs, and near-duplicate subtitle files by MinHash.

Hashes of all pairs are dealt into files by their first bits, so that equal pairs meet and each file can be sorted in
memory. What is found is one bit for each entry of the long list: 44 MB for the whole of OpenSubtitles.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING

import numpy as np

from duologue.challenges.conversation.extraction.subtitles import utterances
from duologue.challenges.conversation.extraction.subtitles.pairs import Places, pairs_of
from duologue.core.disk import guarded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from duologue.challenges.conversation.extraction.subtitles.pairs import PairLayout, PairSplit, SentencePairs

ROWS = 1 << 20
"""Hashes sorted at once."""
_ROW = np.dtype([("hash", np.uint64), ("order", np.int64)])

SIGNS = 32
"""Size of a MinHash signature."""
_BAND = 4
"""LSH band size: files with 70 % common sentences become candidates with probability 0.89."""
ALIKE = 0.6
"""Minimum estimated Jaccard similarity of near-duplicate files."""
LEAST = 16
"""Minimum sentences of a compared file."""
_NO_LETTER = re.compile(r"[\W_]+")


class DuplicatePairs:
    """Bit map of pairs to drop."""

    def __init__(self, length: int) -> None:
        self._marked = np.zeros(length // 8 + 1, np.uint8)
        self.total = 0
        """Number of dropped pairs."""

    def others(self, pairs: SentencePairs) -> NDArray[np.bool_]:
        """Return the mask of kept pairs, (pairs,)."""
        bits = self._marked[pairs.places >> 3] >> (pairs.places & 7).astype(np.uint8)
        others: NDArray[np.bool_] = bits & 1 == 0
        return others

    def mark(self, places: NDArray[np.int64]) -> None:
        """Drop the pairs at these positions, each given once."""
        np.bitwise_or.at(self._marked, places >> 3, np.left_shift(1, places & 7).astype(np.uint8))
        self.total += len(places)


def find(
    shards: Sequence[Path],
    layout: PairLayout,
    split: PairSplit,
    work: Path,
    *,
    max_length: int,
    duplicates: bool,
    leaks: bool,
    near: bool,
) -> DuplicatePairs:
    """Find the pairs to drop: duplicates within a part, and leaks from a part into a later one.

    With `near`, pairs with the same letters and digits count as equal, and all pairs of a file go whose sentences
    are mostly those of an earlier file. Raises `StorageError` for what the disk refuses.
    """
    copies = DuplicatePairs(layout.length)
    without = similar_files(shards, len(layout.starts)) if near else np.zeros(len(layout.starts), bool)
    buckets = max(1 << max(-(-layout.length // ROWS) - 1, 0).bit_length(), 1)
    with guarded("write to", work):
        work.mkdir(parents=True, exist_ok=True)
        places = Places(work / "places", layout)
        with ExitStack() as stack:
            files = [stack.enter_context((work / f"hashes.{number}").open("wb+")) for number in range(buckets)]
            for path in shards:
                sentences = utterances.read(path)
                found = pairs_of(sentences, layout, places, split, max_length)
                copied = np.repeat(without[[key for key, _ in sentences.files]], [n for _, n in sentences.files])
                dropped = copied[found.rows]
                copies.mark(found.places[dropped])
                _deal(found, ~dropped, layout, split, files, near=near)
            for file in files:
                for rows in _equal(file, layout.length, duplicates=duplicates, leaks=leaks):
                    copies.mark(rows)
    return copies


def _deal(
    pairs: SentencePairs,
    kept: NDArray[np.bool_],
    layout: PairLayout,
    split: PairSplit,
    files: Sequence[IO[bytes]],
    *,
    near: bool,
) -> None:
    """Write hash and order (part, then position) of each pair into the bucket file of its hash."""
    rows = np.empty(int(np.count_nonzero(kept)), _ROW)
    questions, answers = pairs.questions.chosen(kept).list(), pairs.answers.chosen(kept).list()
    rows["hash"] = _hashes(
        f"{_plain(question)}\n{_plain(answer)}" if near else f"{question}\n{answer}"
        for question, answer in zip(questions, answers, strict=True)
    )
    starts = np.array([part.start for part in split.ranges])
    part = np.searchsorted(starts, pairs.keys[kept], side="right") - 1
    rows["order"] = part * layout.length + pairs.places[kept]
    bucket = (rows["hash"] >> np.uint64(32)) % np.uint64(len(files))
    for number, file in enumerate(files):
        file.write(rows[bucket == number].tobytes())


def _hashes(texts: Iterator[str]) -> NDArray[np.uint64]:
    digests = b"".join(hashlib.blake2b(text.encode("utf-8"), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, np.uint64)


def _plain(text: str) -> str:
    return _NO_LETTER.sub(" ", text).strip() or text  # `...` and `!!` have nothing else


def _equal(file: IO[bytes], length: int, *, duplicates: bool, leaks: bool) -> Iterator[NDArray[np.int64]]:
    """Yield the positions of pairs that occur earlier."""
    file.seek(0)
    rows = np.frombuffer(file.read(), _ROW)
    if not len(rows):
        return
    rows = rows[np.lexsort((rows["order"], rows["hash"]))]
    part = rows["order"] // length
    again = np.concatenate((np.zeros(1, bool), rows["hash"][1:] == rows["hash"][:-1]))
    first = np.maximum.accumulate(np.where(again, 0, np.arange(len(rows))))  # (rows,) the first of the equal ones
    earlier_part = again & (part != part[first])
    same_part = again & np.concatenate((np.zeros(1, bool), part[1:] == part[:-1]))
    marked = np.zeros(len(rows), bool)
    if duplicates:
        marked |= same_part
    if leaks:
        marked |= earlier_part
    yield rows["order"][marked] % length


def similar_files(shards: Sequence[Path], files: int) -> NDArray[np.bool_]:
    """Return whether each file is a near-duplicate of an earlier one, by MinHash: (files,)."""
    signs = np.zeros((files, SIGNS), np.uint32)
    compared = np.zeros(files, bool)
    for path in shards:
        sentences = utterances.read(path)
        hashes = _hashes(iter(sentences.texts.list()))
        start = 0
        for key, count in sentences.files:
            if count >= LEAST:
                signs[key] = _signs(hashes[start : start + count])
                compared[key] = True
            start += count
    copied = np.zeros(files, bool)
    numbers = np.flatnonzero(compared)
    for band in range(0, SIGNS, _BAND):
        same = np.ascontiguousarray(signs[numbers, band : band + _BAND]).view(f"V{4 * _BAND}").ravel()
        _, group = np.unique(same, return_inverse=True)
        order = np.argsort(group, kind="stable")  # within a group by number, so that the earliest comes first
        fresh = np.concatenate((np.ones(min(len(order), 1), bool), np.diff(group[order]) != 0))
        first = order[np.maximum.accumulate(np.where(fresh, np.arange(len(order)), 0))]
        agreeing = np.mean(signs[numbers[order]] == signs[numbers[first]], axis=1)
        copied[numbers[order[~fresh & (agreeing >= ALIKE)]]] = True
    return copied


def _signs(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the MinHash signature of a set of hashes, `SIGNS` values of 32 bits."""
    steps = np.arange(1, SIGNS + 1, dtype=np.uint64)
    factors = steps * np.uint64(0x9E3779B97F4A7C15) | np.uint64(1)  # odd, so that different hashes stay different
    mixed = (hashes[:, None] ^ (hashes[:, None] >> np.uint64(29))) * factors  # (sentences, SIGNS), modulo 2**64
    found: NDArray[np.uint64] = (mixed >> np.uint64(32)).min(axis=0)
    return found
