"""Counts of generated replies against their references: F1, BLEU, DISTINCT (specification, sections 3.3 to 3.6).

All replies are counted at once, with code points for tokens: exact, and ten times faster than dictionaries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.spoken.scoring.formulas import ORDERS, PooledBleu, zero_for_nothing
from duologue.metrics.counts import share
from duologue.metrics.diversity import diversity_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.spoken.scoring.options import ScoringOptions
    from duologue.metrics.counts import Floats
    from duologue.metrics.diversity import Diversity

    Integers = NDArray[np.int64]

_HAN = ("\u4e00", "\u9fff")
"""First and last of the characters that option `tokens=han` keeps."""
_BITS = 21
"""Of a code point."""


class ReplyCounts(NamedTuple):
    """Counts of all replies."""

    columns: dict[str, Floats]
    """By name: the counts, one per sample."""
    pools: dict[int, Diversity]
    """By order: the n-grams of all replies pooled."""


class _Grams(NamedTuple):
    items: Integers
    """The index of the text of each n-gram."""
    keys: Integers
    """The key of each n-gram; equal n-grams have equal keys."""


def tokens_of(text: str, tokens: str = "chars") -> str:
    """Return the tokens of a reply as one string, one character each.

    >>> tokens_of("8:00 开门"), tokens_of("8:00 开门", "han")
    ('8:00开门', '开门')
    """
    if tokens == "han":
        return "".join(sign for sign in text if _HAN[0] <= sign <= _HAN[1])
    return "".join(text.split())  # what `split` cuts at is what `isspace` holds for


def count_replies(
    said: Sequence[str], wanted: Sequence[str], options: ScoringOptions, groups: Sequence[str] | None = None
) -> ReplyCounts:
    """Return the counts of replies against their references; a missing reply is given as an empty one.

    `groups` names the dialogue of each, for the interval of pooled DISTINCT.
    """
    said = [tokens_of(text, options.tokens) for text in said]
    wanted = [tokens_of(text, options.tokens) for text in wanted]
    columns = {"tokens said": _lengths(said).astype(float), "tokens wanted": _lengths(wanted).astype(float)}
    pools: dict[int, Diversity] = {}
    common: Floats = columns["tokens said"]
    for n in ORDERS:
        shared, pools[n] = _count_order(n, said, wanted, groups, columns)
        if n == 1:
            common = columns["1-grams hit"] if options.f1 == "clipped" else shared
        part = columns[f"{n}-grams different" if options.distinct == "types" else f"{n}-grams unrepeated"]
        columns[f"distinct-{n}"] = zero_for_nothing(share(part, columns[f"{n}-grams said"]))
        bleu = PooledBleu(n, options.smoothing, "")  # on the counts of one reply it is BLEU of that reply
        columns[f"bleu-{n}"] = bleu.total(np.stack([columns[name] for name in bleu.columns], axis=-1))
    precision, recall = share(common, columns["tokens said"]), share(common, columns["tokens wanted"])
    columns["generation-f1"] = zero_for_nothing(share(2 * precision * recall, precision + recall))
    return ReplyCounts(columns, pools)


def _count_order(
    n: int, said: Sequence[str], wanted: Sequence[str], groups: Sequence[str] | None, columns: dict[str, Floats]
) -> tuple[Floats, Diversity]:
    """Add the counts of n-grams to `columns`; return the shared n-gram types and the pool of the replies' n-grams."""
    items = len(said)
    ours, theirs = _grams(said, n), _grams(wanted, n)
    known, numbers = np.unique(np.concatenate([ours.keys, theirs.keys]), return_inverse=True)
    kinds = max(len(known), 1)
    here, there = numbers[: len(ours.keys)], numbers[len(ours.keys) :]
    cells, times = np.unique(ours.items * kinds + here, return_counts=True)  # a cell is an n-gram in an item
    other_cells, other_times = np.unique(theirs.items * kinds + there, return_counts=True)
    both, mine, yours = np.intersect1d(cells, other_cells, assume_unique=True, return_indices=True)
    matched = np.minimum(times[mine], other_times[yours])
    overall = np.bincount(here, minlength=kinds)
    sizes = np.maximum(_lengths(said) - n + 1, 0)
    pool = diversity_of(here, sizes, groups)

    def per_item(where: Integers, weights: Integers | None = None) -> Floats:
        return np.bincount(where, weights=weights, minlength=items).astype(float)

    columns[f"{n}-grams said"] = sizes.astype(float)
    columns[f"{n}-grams hit"] = per_item(both // kinds, matched)
    columns[f"{n}-grams different"] = per_item(cells // kinds)
    columns[f"{n}-grams unrepeated"] = per_item(cells[times == 1] // kinds)
    columns[f"{n}-grams new"] = pool.fresh.astype(float)
    columns[f"{n}-grams once"] = per_item(ours.items[overall[here] == 1])
    return per_item(both // kinds), pool


def _lengths(texts: Sequence[str]) -> Integers:
    return np.fromiter(map(len, texts), np.int64, len(texts))


def _grams(texts: Sequence[str], n: int) -> _Grams:
    """Return the unigrams or bigrams of texts; no bigram crosses a text boundary."""
    packed = "".join(texts).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(packed, dtype="<u4").astype(np.int64)
    items = np.repeat(np.arange(len(texts)), _lengths(texts))
    if n == 1:
        return _Grams(items, codes)
    inside = items[:-1] == items[1:]
    return _Grams(items[:-1][inside], ((codes[:-1] << _BITS) | codes[1:])[inside])
