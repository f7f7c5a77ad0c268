"""BLEU over one or several references, in the formulas of three programs.

Same name, three numbers: the caption evaluation of COCO (the ranking of DSTC6 track 2), and NLTK's
`corpus_bleu` as it was in 2017 (3.2.4) and as it is now (3.10). All sum clipped matches over the corpus; they
differ in hypotheses too short for an order, in orders without a match, and in the brevity penalty's corners.
Matches are counted over all items of a batch at once, with numbers for tokens: exact, and some twenty times
faster than dictionaries.
"""

from __future__ import annotations

import sys
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np

from duologue.metrics.counts import Metric
from duologue.metrics.tokens import number_tokens, with_lengths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.metrics.counts import Floats
    from duologue.metrics.tokens import Integers, Tokens

Text = TypeVar("Text")

ORDERS = 4
PROFILES = ("coco", "nltk-2017", "nltk-current")
"""Formulas by the program that computes them."""

_SOURCES = {
    "coco": "Papineni and others 2002, as the caption evaluation of COCO computes it (bleu_scorer.py, closest)",
    "nltk-2017": "Papineni and others 2002, as nltk.translate.bleu_score.corpus_bleu of NLTK 3.2.4 computes it",
    "nltk-current": "Papineni and others 2002, as nltk.translate.bleu_score.corpus_bleu of NLTK 3.10 computes it",
}

_BATCH = 4096
"""Items counted at once: what is sorted stays in the cache, and memory stays bounded."""
_TINY, _SMALL = 1e-15, 1e-9
"""What the COCO program adds to numerators and denominators."""


class TokenizedPair(NamedTuple):
    """A tokenised hypothesis and its tokenised references, one or more."""

    hypothesis: Sequence[str]
    references: Sequence[Sequence[str]]


class Bleu(Metric[TokenizedPair]):
    """BLEU-n of a corpus, by one of `PROFILES`; counts as `count_bleu` gives them.

    * `coco`: precision (match + 1e-15) / (guess + 1e-9); a hypothesis too short for an order adds nothing to its
      guesses; brevity penalty exp(1 - 1 / ratio) for ratio (hyp + 1e-15) / (ref + 1e-9) below 1.
    * `nltk-2017`: a hypothesis too short adds 1; an order without matches and all above it are left out while
      the weights stay 1/n, so BLEU-4 can exceed BLEU-2; no unigram match gives 0.
    * `nltk-current`: as 2017, but an order without matches has the smallest normal double as its precision.

    Raises `ValueError` for an order outside 1 to 4 or an unknown profile. Source: specification of the
    conversation challenge, sections 7 and 8.1.
    """

    def __init__(self, order: int, profile: str = "coco") -> None:
        if not 1 <= order <= ORDERS:
            raise ValueError(f"the order is {order}; BLEU is taken of order 1 to {ORDERS}")
        if profile not in PROFILES:
            raise ValueError(f"'{profile}' is no BLEU profile; there are {', '.join(PROFILES)}")
        self.order = order
        self.profile = profile
        self.name = f"bleu-{order}"
        self.columns = bleu_columns(profile)[: 2 + 2 * order]
        self.formula = f"bleu-{order} = {profile} corpus BLEU of 1 to {order}-grams"
        self.source = _SOURCES[profile]

    def count(self, seen: TokenizedPair) -> tuple[float, ...]:
        """Return the counts of one item."""
        counted = count_bleu([seen.hypothesis], [seen.references], profile=self.profile)
        return tuple(counted[0, : len(self.columns)].tolist())

    def total(self, sums: Floats) -> Floats:
        """Return BLEU for sums of counts. Without items `coco` gives 0, as its formula does, and `nltk` NaN."""
        said, wanted = sums[..., 0], sums[..., 1]
        matches, guesses = sums[..., 2::2], sums[..., 3::2]
        if self.profile == "coco":
            return _coco(said, wanted, matches, guesses)
        found = _nltk(said, wanted, matches, guesses, old=self.profile == "nltk-2017")
        return np.where(guesses[..., 0] == 0, np.nan, found)


def _coco(said: Floats, wanted: Floats, matches: Floats, guesses: Floats) -> Floats:
    order = matches.shape[-1]
    precision = np.prod((matches + _TINY) / (guesses + _SMALL), axis=-1) ** (1 / order)
    ratio = (said + _TINY) / (wanted + _SMALL)
    penalty: Floats = np.exp(np.minimum(0.0, 1 - 1 / ratio))
    result: Floats = precision * penalty
    return result


def _nltk(said: Floats, wanted: Floats, matches: Floats, guesses: Floats, *, old: bool) -> Floats:
    order = matches.shape[-1]
    hit = matches > 0
    precision = np.where(hit, matches, 1.0) / np.where(guesses > 0, guesses, 1.0)
    if old:
        taken = np.logical_and.accumulate(hit, axis=-1)
        logs = np.where(taken, np.log(precision), 0.0)
    else:
        logs = np.log(np.where(hit, precision, sys.float_info.min))
    shortfall = wanted / np.where(said > 0, said, 1.0)
    penalty = np.where(said > wanted, 1.0, np.exp(1 - shortfall))
    found: Floats = np.where(hit[..., 0], penalty * np.exp(logs.sum(axis=-1) / order), 0.0)
    return found


def bleu_columns(profile: str) -> tuple[str, ...]:
    """Return the names of the counts: lengths, then matches and guesses of orders 1 to 4."""
    guess = "guess" if profile == "coco" else "padded guess"
    pairs = [(f"match-{order}", f"{guess}-{order}") for order in range(1, ORDERS + 1)]
    return ("hypothesis tokens", "reference tokens", *(name for pair in pairs for name in pair))


def count_bleu(
    hypotheses: Sequence[Sequence[str]],
    references: Sequence[Sequence[Sequence[str]]],
    *,
    profile: str = "coco",
) -> Floats:
    """Return lengths, matches and guesses per item, columns as `bleu_columns(profile)`, shape (items, 10).

    The reference length is that closest to the hypothesis's, the shorter of two equally close. A match is clipped
    at the most occurrences in one reference. Raises `ValueError` when the numbers of items differ or an item has no
    reference.
    """
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses are given for {len(references)} items")
    layers = layers_of(references)
    texts = chain(hypotheses, *(layer.texts for layer in layers))
    return count_layers(number_tokens(list(texts)), [layer.items for layer in layers], len(references), profile=profile)


class ReferenceLayer(NamedTuple, Generic[Text]):
    """The first reference of each item, or the second, ..."""

    items: Integers
    """Numbers of the items that have one, ascending."""
    texts: list[Text]


def layers_of(references: Sequence[Sequence[Text]]) -> list[ReferenceLayer[Text]]:
    """Return references in layers. Raises `ValueError` for an item without any."""
    bare = [number for number, several in enumerate(references) if not several]
    if bare:
        raise ValueError(f"item {bare[0]} has no reference")
    layers = []
    for depth in range(max(map(len, references), default=0)):
        items = [number for number, several in enumerate(references) if len(several) > depth]
        layers.append(ReferenceLayer(np.array(items, dtype=np.int64), [references[number][depth] for number in items]))
    return layers


def count_layers(tokens: Tokens, layers: Sequence[Integers], items: int, *, profile: str = "coco") -> Floats:
    """Do what `count_bleu` does for numbered texts: all hypotheses, then the references layer by layer."""
    array = np.zeros((items, 2 + 2 * ORDERS))
    segments = [np.arange(items), *layers]
    bounds = np.cumsum([0, *map(len, segments)])
    offsets = np.concatenate([[0], np.cumsum(tokens.lengths)])
    for start in range(0, items, _BATCH):
        stop = min(start + _BATCH, items)
        pieces = [
            (bound + slice_.start, bound + slice_.stop, segment[slice_] - start)
            for bound, segment in zip(bounds.tolist(), segments, strict=False)
            for slice_ in [slice(*np.searchsorted(segment, [start, stop]).tolist())]
        ]
        numbers = np.concatenate([tokens.numbers[offsets[low] : offsets[high]] for low, high, _ in pieces])
        lengths = np.concatenate([tokens.lengths[low:high] for low, high, _ in pieces])
        part = with_lengths(numbers, lengths, tokens.vocabulary)
        array[start:stop] = _count(part, [segment for _, _, segment in pieces])
    if profile != "coco":
        array[:, 3::2] = np.maximum(array[:, 3::2], 1)
    return array


def _count(tokens: Tokens, segments: Sequence[Integers]) -> Floats:
    """Count a batch, whose texts stand in layers: all hypotheses, all first references, all second ones, ..."""
    items = len(segments[0])
    array = np.zeros((items, 2 + 2 * ORDERS))
    said = tokens.lengths[:items]
    array[:, 0] = said
    bounds = np.cumsum([0, *map(len, segments)])
    array[:, 1] = _closest(said, [(part, tokens.lengths[bounds[at + 1] :]) for at, part in enumerate(segments[1:])])
    for order in range(1, ORDERS + 1):
        array[:, 1 + 2 * order] = np.maximum(said - order + 1, 0)
    cuts = np.concatenate([[0], np.cumsum(tokens.lengths)])[bounds[1:-1]]
    array[:, 2::2] = _matches(tokens, np.concatenate(segments), cuts, items)
    return array


def _closest(said: Integers, layers: Sequence[tuple[Integers, Integers]]) -> Integers:
    far = np.iinfo(np.int64).max
    best, away = np.full(len(said), far), np.full(len(said), far)
    for segments, lengths in layers:
        length = lengths[: len(segments)]
        distance = np.abs(length - said[segments])
        nearer = (distance < away[segments]) | ((distance == away[segments]) & (length < best[segments]))
        best[segments[nearer]] = length[nearer]
        away[segments[nearer]] = distance[nearer]
    return best


def _matches(tokens: Tokens, segments: Integers, cuts: Integers, items: int) -> Floats:
    """Return clipped matches per item and order, (items, 4).

    An n-gram can only match where both its (n-1)-grams do, so each order looks at what is left of the one below.
    """
    found = np.zeros((items, ORDERS))
    segment = segments[tokens.texts]
    starts = np.arange(len(tokens.numbers))
    keys = segment * tokens.vocabulary + tokens.numbers
    alive = np.full(len(tokens.numbers) + 1, -1)
    for order in range(1, ORDERS + 1):
        if order > 1:
            starts = starts[(starts + order <= tokens.ends[starts]) & (alive[starts + 1] >= 0)]
            keys = alive[starts] * tokens.vocabulary + tokens.numbers[starts + order - 1]
        if not len(starts):
            break
        kinds, grams = np.unique(keys, return_inverse=True)
        edges = [0, *np.searchsorted(starts, cuts).tolist(), len(starts)]
        said, *others = (np.bincount(grams[low:high], minlength=len(kinds)) for low, high in pairwise(edges))
        wanted = others[0]
        for other in others[1:]:
            np.maximum(wanted, other, out=wanted)
        clipped = np.minimum(said, wanted)
        home = np.empty(len(kinds), np.int64)
        home[grams] = segment[starts]
        found[:, order - 1] = np.bincount(home, weights=clipped, minlength=items)
        kept = clipped[grams] > 0
        alive.fill(-1)
        starts, grams = starts[kept], grams[kept]
        alive[starts] = grams
    return found
