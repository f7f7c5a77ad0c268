"""CIDEr for very many items: document frequencies in arrays, items processed in portions.

Equal to `caption.Cider` item by item. What grows with the file are the tokens that the caller keeps and the different
n-grams of the references, some twelve bytes each: CIDEr cannot do without their frequencies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.metrics.caption import ORDERS, CiderBatch
from duologue.metrics.sorted_aggregator import SortedAggregator
from duologue.metrics.tokens import number_grams, with_lengths

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from duologue.metrics.counts import Floats
    from duologue.metrics.tokens import Grams, Integers, Tokens

    Small = NDArray[np.int32]

_WORD_BITS = 31
"""Tokens are numbered below 2**31, n-grams below 2**32."""


class Numbered(NamedTuple):
    """The texts of some items, all replies before all references; tokens have one numbering in all portions."""

    numbers: Small
    """Number of each token."""
    lengths: Small
    """Tokens per text."""
    items: Small
    """Per reference the item that it belongs to, from 0 in each portion."""

    @property
    def replies(self) -> int:
        """How many items there are: each has one reply."""
        return len(self.lengths) - len(self.items)


class _Portion:
    """A portion with a numbering of its own, so that arrays are as long as its own vocabulary."""

    def __init__(self, numbers: Small, lengths: Small) -> None:
        words, own = np.unique(numbers, return_inverse=True)
        self.words = words.astype(np.int64) if len(words) else np.zeros(1, np.int64)
        self.tokens: Tokens = with_lengths(own.astype(np.int64), lengths.astype(np.int64), len(words))

    def codes(self, grams: Grams, before: Integers | None) -> Integers:
        """Return what the n-grams of one order are called in all portions, given the places of those one shorter."""
        if before is None:
            return self.words
        start, last = np.divmod(grams.made_of, self.tokens.vocabulary)
        codes: Integers = np.where(before[start] >= 0, before[start] << _WORD_BITS | self.words[last], -1)
        return codes


def cider_of(portions: Sequence[Numbered]) -> Iterator[Floats]:
    """Yield CIDEr per item, portion by portion. Goes through the portions once per order to count documents."""
    count = sum(portion.replies for portion in portions)
    known = [SortedAggregator(np.add) for _ in range(ORDERS)]
    for order in range(1, ORDERS + 1):
        for portion in portions:
            _count_documents(portion, known[:order])
    for portion in portions:
        here = _Portion(portion.numbers, portion.lengths)
        documents = []
        places: Integers | None = None
        for grams, seen in zip(number_grams(here.tokens, ORDERS), known, strict=True):
            places = seen.places(here.codes(grams, places))
            frequencies = seen.values()
            documents.append(np.where(places >= 0, frequencies[0][places], 0) if frequencies else 0 * places)
        yield CiderBatch(here.tokens, portion.items.astype(np.int64)).values(documents, count)


def _count_documents(portion: Numbered, known: Sequence[SortedAggregator]) -> None:
    """Put in the n-grams of the references, of the order that the last of `known` is for."""
    said = int(portion.lengths[: portion.replies].sum())
    here = _Portion(portion.numbers[said:], portion.lengths[portion.replies :])
    places: Integers | None = None
    for grams, seen in zip(number_grams(here.tokens, len(known)), known, strict=True):
        codes = here.codes(grams, places)
        if seen is not known[-1]:
            places = seen.places(codes)
            continue
        items = portion.items.astype(np.int64)
        pairs = np.unique(items[grams.texts] * max(grams.kinds, 1) + grams.numbers)
        times = np.bincount(pairs % max(grams.kinds, 1), minlength=len(codes)).astype(np.int32)
        seen.add([codes], [times])
