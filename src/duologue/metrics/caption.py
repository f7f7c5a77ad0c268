"""ROUGE-L and CIDEr over several references, as the caption evaluation of COCO computes them.

These ranked the systems of DSTC6 track 2 (specification, section 8.1); every published figure comes out equal.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.metrics.formulas import Average
from duologue.metrics.tokens import number_grams, number_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from duologue.metrics.counts import Floats
    from duologue.metrics.tokens import Grams, Integers, Tokens

BETA = 1.2
"""Weight of recall in ROUGE-L."""
SIGMA = 6.0
"""Width of CIDEr's length penalty, in bigrams."""
_HELD = 4096
"""Tokens of a reply of which the places of each are held, two megabytes at the most."""
_OFTEN = 1024
"""Places of a token in a longer reply from which on they are held."""
ORDERS = 4
GROUPS = 20
"""Parts of the jackknife behind CIDEr's interval: each costs as much as the score itself."""
_STUDENT = 2.0930240544082634
"""Student's 97.5 % point for 19 degrees of freedom."""


ROUGE_L = Average(
    "rouge-l",
    "rouge-l = mean of F(beta 1.2) of longest common subsequences",
    source="Lin 2004, as the caption evaluation of COCO computes it (rouge.py)",
)
CIDER = Average(
    "cider",
    "cider = mean of 10 x tf-idf cosine, clipped, sigma 6",
    additive=False,
    percent=False,
    lowest=0,
    highest=10,
    source="Vedantam and others 2015, as the caption evaluation of COCO computes it (cider_scorer.py)",
)
"""Not additive: each item's value depends on the document frequencies of all; `Cider.interval` is for that."""


def rouge_l(hypothesis: str, references: Sequence[str]) -> float:
    """Return ROUGE-L of one reply: the F of the best precision and the best recall, each over all references.

    Texts are cut at single spaces, so two spaces in a row make an empty token, as in the original; an empty
    text is one empty token.

    >>> round(rouge_l("a b c", ["a c", "b c d"]), 6)
    0.829932
    """
    said = hypothesis.split(" ")
    places = _places(said)
    precision = recall = 0.0
    for reference in references:
        wanted = reference.split(" ")
        common = _common(places, len(said), wanted)
        precision, recall = max(precision, common / len(said)), max(recall, common / len(wanted))
    if not precision or not recall:
        return 0.0
    return (1 + BETA**2) * precision * recall / (recall + BETA**2 * precision)


def _places(said: Sequence[str]) -> Callable[[str], int]:
    """Return what gives the places of a token in a reply, as the bits of an integer.

    Each integer is as long as the reply. Of a very long one they are made when they are asked for, and only those are
    held that take long to make.
    """
    if len(said) <= _HELD:
        short: dict[str, int] = {}
        for place, token in enumerate(said):
            short[token] = short.get(token, 0) | 1 << place
        return lambda token: short.get(token, 0)
    found: dict[str, list[int]] = {}
    for place, token in enumerate(said):
        found.setdefault(token, []).append(place)
    held: dict[str, int] = {}

    def made(token: str) -> int:
        if token in held or token not in found:
            return held.get(token, 0)
        flags = bytearray(len(said) // 8 + 1)
        for place in found[token]:
            flags[place >> 3] |= 1 << (place & 7)
        bits = int.from_bytes(flags, "little")
        if len(found[token]) > _OFTEN:
            held[token] = bits
        return bits

    return made


def _common(places: Callable[[str], int], length: int, wanted: Sequence[str]) -> int:
    """Return the length of the longest common subsequence, by bits of one integer (Hyyrö 2004)."""
    full = (1 << length) - 1
    row = full
    for token in wanted:
        match = row & places(token)
        if match:
            row = ((row + match) | (row - match)) & full
    return length - row.bit_count()


class _Order(NamedTuple):
    """What CIDEr needs of the n-grams of one order; an entry is an n-gram in a text, with its number of times."""

    kinds: int
    documents: tuple[Integers, Integers]
    """(n-gram, item) of each n-gram in the references of an item, each pair once."""
    said: tuple[Integers, Integers, Floats]
    """n-gram, item and squared times of the hypotheses' entries."""
    wanted: tuple[Integers, Integers, Floats]
    """n-gram, reference and squared times of the references' entries."""
    shared: tuple[Integers, Integers, Floats]
    """n-gram, reference and min(said, wanted) x wanted, where both have it."""


class CiderBatch:
    """The n-grams of some items, whose CIDEr follows when it is known in how many items' references each stands.

    `tokens` are those of all replies, then of all references; `item` says which item each reference belongs to.
    """

    def __init__(self, tokens: Tokens, item: Integers) -> None:
        self.items = len(tokens.lengths) - len(item)
        self._item = item
        self._several = np.bincount(item, minlength=self.items)
        bigrams = np.maximum(tokens.lengths - 1, 0)
        longer = bigrams[item] - bigrams[self.items :]
        self._short = np.exp(-(longer.astype(np.float64) ** 2) / (2 * SIGMA**2))
        home = np.concatenate([np.arange(self.items), item])
        self._orders = [_order(grams, home, self.items) for grams in number_grams(tokens, ORDERS)]

    def documents(self, kept: NDArray[np.bool_] | None = None) -> Sequence[Floats | Integers]:
        """Return per order in how many of these items' references each n-gram stands, only those kept counted."""
        found = []
        for order in self._orders:
            grams, items = order.documents
            weights = None if kept is None else kept[items].astype(np.float64)
            found.append(np.bincount(grams, weights=weights, minlength=order.kinds))
        return found

    def values(self, documents: Sequence[Floats | Integers], count: int) -> Floats:
        """Return CIDEr per item, shape (items,), of a set of `count` items with these document frequencies."""
        total = np.zeros(len(self._item))
        for order, frequencies in zip(self._orders, documents, strict=True):
            weight = (math.log(count) - _logarithms(frequencies)) ** 2
            said = _norms(order.said, weight, self.items)[self._item]
            wanted = _norms(order.wanted, weight, len(self._item))
            grams, texts, products = order.shared
            dots = np.bincount(texts, weights=products * weight[grams], minlength=len(self._item))
            sizes = said * wanted
            total += np.divide(dots, sizes, out=np.zeros(len(dots)), where=sizes != 0)
        total *= self._short / ORDERS
        per_item: Floats = np.bincount(self._item, weights=total, minlength=self.items) / self._several * 10
        return per_item


class Cider:
    """CIDEr of a set of items (Vedantam and others 2015), with clipping and length penalty but no stemming.

    Not CIDEr-D. Per order 1 to 4 raw counts times idf = ln(items) - ln(max(1, items whose references have the
    n-gram)); similarity sum(min(h, r) r) / (|h| |r|) times exp(-d^2 / 72), d the difference in bigrams; mean
    over orders and references, times 10. So a value depends on the whole set, and one item alone has 0. Raises
    `ValueError` when the numbers differ or an item has no reference.
    """

    def __init__(self, hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[Sequence[str]]]) -> None:
        if len(hypotheses) != len(references):
            raise ValueError(f"{len(hypotheses)} hypotheses are given for {len(references)} items")
        several = np.array([len(one) for one in references], dtype=np.int64)
        if len(several) and not several.all():
            raise ValueError(f"item {int(np.argmin(several))} has no reference")
        self.items = len(hypotheses)
        tokens = number_tokens([*hypotheses, *(text for one in references for text in one)])
        self._batch = CiderBatch(tokens, np.repeat(np.arange(self.items), several))

    def values(self, kept: NDArray[np.bool_] | None = None) -> Floats:
        """Return CIDEr per item, shape (items,).

        With `kept` the document frequencies are those of the items it marks, and only theirs are meaningful.
        """
        count = self.items if kept is None else int(np.count_nonzero(kept))
        return self._batch.values(self._batch.documents(kept), count) if count else np.zeros(self.items)

    def interval(self, groups: Integers, times: float = _STUDENT) -> tuple[float, float]:
        """Return the ends of an interval around the mean: value -/+ `times` standard errors.

        Delete-a-group jackknife: each group of items is left out once and all document frequencies are counted
        again without it, so that the interval knows that they are estimates too. `groups` has the number of
        each item's group; `times` is Student's 97.5 % point for 20 groups. Raises `ValueError` for fewer than two.
        """
        names = np.unique(groups)
        if len(names) < 2:
            raise ValueError("a jackknife needs at least two groups")
        value = float(self.values().mean())
        means = [float(self.values(kept)[kept].mean()) for kept in (groups != name for name in names)]
        return jackknife_interval(value, means, times)


def jackknife_interval(
    value: float, left_out: Sequence[float] | Floats, times: float = _STUDENT
) -> tuple[float, float]:
    """Return value -/+ `times` jackknife standard errors, of the values with each of g groups left out.

    >>> jackknife_interval(2.0, [2.0, 2.0, 2.0])
    (2.0, 2.0)
    """
    values = np.asarray(left_out, dtype=np.float64)
    groups = len(values)
    error = math.sqrt((groups - 1) / groups * float(((values - values.mean()) ** 2).sum()))
    return value - times * error, value + times * error


def _logarithms(frequencies: Floats | Integers) -> Floats:
    """Return ln(max(1, frequency)) of each, by the same function as that of the count.

    numpy's own differs from it by a bit or not, with its version and the processor. Where an n-gram stands in the
    references of all items its weight is nothing, and that bit, by which it is then divided, would be everything.
    """
    whole = np.maximum(frequencies, 1).astype(np.int64)
    used = np.flatnonzero(np.bincount(whole))
    table = np.zeros(whole.max(initial=1) + 1)
    table[used] = [math.log(number) for number in used.tolist()]
    found: Floats = table[whole]
    return found


def _norms(entries: tuple[Integers, Integers, Floats], weight: Floats, texts: int) -> Floats:
    grams, owners, squares = entries
    found: Floats = np.sqrt(np.bincount(owners, weights=squares * weight[grams], minlength=texts))
    return found


def _order(grams: Grams, home: Integers, items: int) -> _Order:
    """Return the entries of one order. Texts 0 to items - 1 are the hypotheses, `home` has each text's item."""
    kinds = max(grams.kinds, 1)
    keys, times = np.unique(grams.texts * kinds + grams.numbers, return_counts=True)
    owners, numbers = np.divmod(keys, kinds)
    cut = int(np.searchsorted(owners, items))
    said, wanted = owners[:cut], owners[cut:]
    at_home = home[wanted] * kinds + numbers[cut:]
    documents = np.unique(at_home)
    place = np.minimum(np.searchsorted(keys[:cut], at_home), max(cut - 1, 0))
    both = keys[place] == at_home if cut else np.zeros(len(at_home), bool)
    pairs = (np.minimum(times[place[both]], times[cut:][both]) * times[cut:][both]).astype(np.float64)
    squares = times.astype(np.float64) ** 2
    return _Order(
        kinds=kinds,
        documents=(documents % kinds, documents // kinds),
        said=(numbers[:cut], said, squares[:cut]),
        wanted=(numbers[cut:], wanted - items, squares[cut:]),
        shared=(numbers[cut:][both], wanted[both] - items, pairs),
    )
