"""Counts of generated replies against their references: F1, BLEU, DISTINCT (specification, sections 3.3 to 3.6).

All replies are counted at once, with code points for tokens: exact, and ten times faster than dictionaries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.spoken.scoring.formulas import ORDERS, bleu_of
from duologue.metrics.corpus_bleu import count_layers
from duologue.metrics.counts import share
from duologue.metrics.diversity import diversity_of
from duologue.metrics.overlap import Overlap
from duologue.metrics.tokens import number_characters, number_grams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.spoken.scoring.options import ScoringOptions
    from duologue.metrics.counts import Floats
    from duologue.metrics.diversity import Diversity

    Integers = NDArray[np.int64]

_HAN = ("\u4e00", "\u9fff")
"""First and last of the characters that option `tokens=han` keeps."""


class ReplyCounts(NamedTuple):
    """Counts of all replies."""

    columns: dict[str, Floats]
    """By name: the counts, one per sample."""
    pools: dict[int, Diversity]
    """By order: the n-grams of all replies pooled."""


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
    items = len(said)
    tokens = number_characters([tokens_of(text, options.tokens) for text in (*said, *wanted)])
    counted = count_layers(tokens, [np.arange(items)], items, orders=len(ORDERS))
    formulas = [bleu_of(n, options) for n in ORDERS]
    columns = dict(zip(formulas[-1].columns, counted.T, strict=True))
    for bleu in formulas:  # on the counts of one reply it is BLEU of that reply
        columns[bleu.name] = bleu.total(counted[:, : len(bleu.columns)])
    pools: dict[int, Diversity] = {}
    shared: Floats = columns["1-grams hit"]
    for grams in number_grams(tokens, len(ORDERS)):
        n, ours = grams.order, grams.texts < items
        cells, times = np.unique(grams.texts * grams.kinds + grams.numbers, return_counts=True)  # an n-gram in a text
        border = int(np.searchsorted(cells, items * grams.kinds))
        mine, unrepeated = cells[:border], cells[:border][times[:border] == 1]
        if n == 1 and options.f1 == "set":
            both = np.intersect1d(mine, cells[border:] - items * grams.kinds, assume_unique=True)
            shared = _per_item(both // grams.kinds, items)
        here, owners = grams.numbers[ours], grams.texts[ours]
        overall = np.bincount(here, minlength=grams.kinds)
        pools[n] = pool = diversity_of(here, columns[f"{n}-grams said"].astype(np.int64), groups)
        columns[f"{n}-grams different"] = _per_item(mine // grams.kinds, items)
        columns[f"{n}-grams unrepeated"] = _per_item(unrepeated // grams.kinds, items)
        columns[f"{n}-grams new"] = pool.fresh.astype(float)
        columns[f"{n}-grams once"] = _per_item(owners[overall[here] == 1], items)
        part = columns[f"{n}-grams different" if options.distinct == "types" else f"{n}-grams unrepeated"]
        columns[f"distinct-{n}"] = share(part, columns[f"{n}-grams said"], 0.0)
    lengths = columns["tokens said"], columns["tokens wanted"]
    columns["generation-f1"] = Overlap("tokens", "f1", nothing=0.0).total(np.stack([shared, *lengths], axis=-1))
    return ReplyCounts(columns, pools)


def _per_item(where: Integers, items: int) -> Floats:
    return np.bincount(where, minlength=items).astype(float)
