"""BLEU over one or several references: one count of n-grams, one formula, and what programs do differently as rules.

All sum clipped matches over the corpus (Papineni and others 2002). They differ in orders without a match (smoothing),
in hypotheses too short for an order, in the brevity penalty's corners, and in what nothing at all is worth. Matches are
counted over all items of a batch at once, with numbers for tokens: exact, and some twenty times faster than
dictionaries.
"""

from __future__ import annotations

import sys
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, TypeVar

import numpy as np

from duologue.metrics.counts import Metric
from duologue.metrics.tokens import number_tokens, with_lengths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.metrics.counts import Floats
    from duologue.metrics.tokens import Integers, Tokens

Text = TypeVar("Text")

ORDERS = 4

_BATCH = 4096
"""Items counted at once: what is sorted stays in the cache, and memory stays bounded."""
_TINY, _SMALL = 1e-15, 1e-9
"""What the COCO program adds to numerators and denominators."""


class BleuRules(NamedTuple):
    """What the paper leaves open, as a program settles it."""

    source: str = ""
    smoothing: Literal["none", "add-one", "floor", "omit", "smallest"] = "none"
    """Of orders above 1, where unigrams match. `none`: an order without a match makes BLEU 0. `add-one`: (match + 1) /
    (guess + 1). `floor`: 0.1 matches for none. `omit`: an order without a match and all above it are left out while the
    weights stay 1/n, so BLEU-4 can exceed BLEU-2. `smallest`: its precision is the smallest normal double."""
    constants: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Added to the matches of every order, to its guesses, and to its precision."""
    mean: Literal["logs", "root"] = "logs"
    """The geometric mean from logarithms or as a root: the same but for the last digit."""
    brevity: Literal["exact", "constants"] = "exact"
    """exp(1 - reference / hypothesis) where that is shorter; or with COCO's constants added to both lengths."""
    undefined: Literal["never", "without items", "without tokens", "without hypothesis"] = "never"
    """When BLEU is NaN, otherwise 0. `without items` is told by guesses, so it needs `padded`."""
    padded: bool = False
    """A hypothesis too short for an order adds one to its guesses, otherwise nothing."""
    farthest: int | None = None
    """The reference length is the closest one, but this number where it is as far as that from the hypothesis's."""


PROFILES = {
    "plain": BleuRules("Papineni and others 2002, without smoothing", undefined="without tokens"),
    "coco": BleuRules(
        "Papineni and others 2002, as the caption evaluation of COCO computes it (bleu_scorer.py, closest)",
        constants=(_TINY, _SMALL, 0.0),
        mean="root",
        brevity="constants",
    ),
    "nltk-2017": BleuRules(
        "Papineni and others 2002, as nltk.translate.bleu_score.corpus_bleu of NLTK 3.2.4 computes it",
        smoothing="omit",
        undefined="without items",
        padded=True,
    ),
    "nltk-current": BleuRules(
        "Papineni and others 2002, as nltk.translate.bleu_score.corpus_bleu of NLTK 3.10 computes it",
        smoothing="smallest",
        undefined="without items",
        padded=True,
    ),
}
"""Rules by name: the paper's own, and those of three programs."""


class TokenizedPair(NamedTuple):
    """A tokenised hypothesis and its tokenised references, one or more."""

    hypothesis: Sequence[str]
    references: Sequence[Sequence[str]]


class Bleu(Metric[TokenizedPair]):
    """BLEU-n of a corpus, by one of `PROFILES` or by rules; counts lengths, then matches and guesses of each order.

    `columns` names these counts where they are not those of `bleu_columns`; with `scale` 100 it goes from 0 to 100.
    Raises `ValueError` for an order outside 1 to 4 or an unknown profile. Source: specification of the conversation
    challenge, sections 7 and 8.1.
    """

    def __init__(
        self, order: int, rules: str | BleuRules = "coco", *,
        name: str = "", columns: Sequence[str] = (), formula: str = "", scale: float = 1.0, note: str = "",
    ) -> None:  # fmt: skip
        if not 1 <= order <= ORDERS:
            raise ValueError(f"the order is {order}; BLEU is taken of order 1 to {ORDERS}")
        self.order = order
        self.rules = rules_of(rules)
        self.scale, self.note = scale, note
        self.percent, self.lowest, self.highest = scale == 1, 0.0, scale
        self.name = name or f"bleu-{order}"
        self.columns = tuple(columns or bleu_columns(self.rules))[: 2 + 2 * order]
        self.formula = formula or f"bleu-{order} = {rules} corpus BLEU of 1 to {order}-grams"
        self.source = self.rules.source

    def count(self, seen: TokenizedPair) -> tuple[float, ...]:
        """Return the counts of one item."""
        counted = count_bleu([seen.hypothesis], [seen.references], rules=self.rules)
        return tuple(counted[0, : len(self.columns)].tolist())

    def total(self, sums: Floats) -> Floats:
        """Return the brevity penalty times the geometric mean of the precisions, for sums of counts."""
        said, wanted = sums[..., 0], sums[..., 1]
        matches, guesses = sums[..., 2::2], sums[..., 3::2]
        precisions = _precisions(matches, guesses, self.rules)
        reached = np.asarray((precisions > 0).all(axis=-1))
        if self.rules.mean == "root":
            mean = np.prod(precisions, axis=-1) ** (1 / self.order)
        else:
            mean = np.exp(np.log(np.where(reached[..., None], precisions, 1.0)).sum(axis=-1) / self.order)
        value = np.where(reached, self.scale * _brevity_penalty(said, wanted, self.rules) * mean, 0.0)
        if self.rules.undefined == "never":
            return value
        whole = {"without items": guesses[..., 0], "without tokens": said + wanted, "without hypothesis": said}
        return np.where(whole[self.rules.undefined] == 0, np.nan, value)


def _precisions(matches: Floats, guesses: Floats, rules: BleuRules) -> Floats:
    """Return the smoothed precision of each order, 0 where it has no n-gram; of order 1 it is never smoothed."""
    top, bottom = matches + rules.constants[0], guesses + rules.constants[1]
    if rules.smoothing == "add-one":
        top[..., 1:] += 1
        bottom[..., 1:] += 1
    elif rules.smoothing == "floor":
        top[..., 1:][matches[..., 1:] == 0] = 0.1
    found = np.divide(top, bottom, out=np.zeros(np.shape(bottom)), where=bottom != 0) + rules.constants[2]
    if rules.smoothing == "omit":
        found[..., 1:][~np.logical_and.accumulate(matches > 0, axis=-1)[..., 1:]] = 1.0
    elif rules.smoothing == "smallest":
        found[..., 1:][matches[..., 1:] == 0] = sys.float_info.min
    return found


def _brevity_penalty(said: Floats, wanted: Floats, rules: BleuRules) -> Floats:
    """Return exp(1 - wanted / said) where less was said than wanted, else 1; 0 where only nothing was said."""
    if rules.brevity == "constants":
        ratio = (said + _TINY) / (wanted + _SMALL)
        penalty: Floats = np.exp(np.minimum(0.0, 1 - 1 / ratio))
        return penalty
    shortfall = np.divide(wanted, said, out=np.full(np.shape(said), np.inf), where=said != 0)
    return np.where(said < wanted, np.exp(1 - shortfall), 1.0)


def rules_of(rules: str | BleuRules) -> BleuRules:
    """Return the rules of a profile. Raises `ValueError` for an unknown one."""
    if isinstance(rules, BleuRules):
        return rules
    if rules not in PROFILES:
        raise ValueError(f"'{rules}' is no BLEU profile; there are {', '.join(PROFILES)}")
    return PROFILES[rules]


def bleu_columns(rules: str | BleuRules) -> tuple[str, ...]:
    """Return the names of the counts: lengths, then matches and guesses of orders 1 to 4."""
    guess = "padded guess" if rules_of(rules).padded else "guess"
    pairs = [(f"match-{order}", f"{guess}-{order}") for order in range(1, ORDERS + 1)]
    return ("hypothesis tokens", "reference tokens", *(name for pair in pairs for name in pair))


def count_bleu(
    hypotheses: Sequence[Sequence[str]],
    references: Sequence[Sequence[Sequence[str]]],
    *,
    rules: str | BleuRules = "coco",
) -> Floats:
    """Return lengths, matches and guesses per item, columns as `bleu_columns(rules)`, shape (items, 10).

    The reference length is that closest to the hypothesis's, the shorter of two equally close. A match is clipped
    at the most occurrences in one reference. Raises `ValueError` when the numbers of items differ or an item has no
    reference.
    """
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses are given for {len(references)} items")
    layers = layers_of(references)
    texts = chain(hypotheses, *(layer.texts for layer in layers))
    return count_layers(number_tokens(list(texts)), [layer.items for layer in layers], len(references), rules=rules)


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


def count_layers(
    tokens: Tokens, layers: Sequence[Integers], items: int, *, orders: int = ORDERS, rules: str | BleuRules = "coco"
) -> Floats:
    """Do what `count_bleu` does for numbered texts: all hypotheses, then the references layer by layer.

    Counts n-grams up to `orders` alone, so the shape is (items, 2 + 2 orders).
    """
    rules = rules_of(rules)
    array = np.zeros((items, 2 + 2 * orders))
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
        array[start:stop] = _count(part, [segment for _, _, segment in pieces], orders)
    if rules.padded:
        array[:, 3::2] = np.maximum(array[:, 3::2], 1)
    if rules.farthest is not None:
        array[np.abs(array[:, 0] - array[:, 1]) >= rules.farthest, 1] = rules.farthest
    return array


def _count(tokens: Tokens, segments: Sequence[Integers], orders: int) -> Floats:
    """Count a batch, whose texts stand in layers: all hypotheses, all first references, all second ones, ..."""
    items = len(segments[0])
    array = np.zeros((items, 2 + 2 * orders))
    said = tokens.lengths[:items]
    array[:, 0] = said
    bounds = np.cumsum([0, *map(len, segments)])
    array[:, 1] = _closest(said, [(part, tokens.lengths[bounds[at + 1] :]) for at, part in enumerate(segments[1:])])
    for order in range(1, orders + 1):
        array[:, 1 + 2 * order] = np.maximum(said - order + 1, 0)
    cuts = np.concatenate([[0], np.cumsum(tokens.lengths)])[bounds[1:-1]]
    array[:, 2::2] = _matches(tokens, np.concatenate(segments), cuts, items, orders)
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


def _matches(tokens: Tokens, segments: Integers, cuts: Integers, items: int, orders: int) -> Floats:
    """Return clipped matches per item and order, (items, orders).

    An n-gram can only match where both its (n-1)-grams do, so each order looks at what is left of the one below.
    """
    found = np.zeros((items, orders))
    segment = segments[tokens.texts]
    starts = np.arange(len(tokens.numbers))
    keys = segment * tokens.vocabulary + tokens.numbers
    alive = np.full(len(tokens.numbers) + 1, -1)
    for order in range(1, orders + 1):
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
