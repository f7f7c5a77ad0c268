"""chrF: the F score of character n-grams, corpus-wide, as sacreBLEU 2 computes it (order 6, beta 2, no word n-grams).

White space does not count. Of several references the one with the best score for the sample is taken. Precision and
recall are means over the orders that hypotheses and references have, so that short texts need no smoothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.metrics.corpus_bleu import TokenizedPair, count_layers, layers_of
from duologue.metrics.counts import Metric
from duologue.metrics.tokens import number_characters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.metrics.counts import Floats

ORDERS = 6
BETA = 2.0
"""How much more recall counts than precision."""
COLUMNS = tuple(
    f"chrf {what}-{order}" for order in range(1, ORDERS + 1) for what in ("hypothesis", "reference", "match")
)
"""Character n-grams of the hypothesis, of the best reference, and of both, order by order."""


class Chrf(Metric[TokenizedPair]):
    """chrF2 over the sums of character n-gram counts."""

    name = "chrf"
    columns = COLUMNS
    formula = "chrf = F2 of mean precision and mean recall of character 1 to 6-grams, corpus-wide"
    source = "Popovic 2015, as sacrebleu.metrics.CHRF of sacreBLEU 2 computes it"

    def count(self, seen: TokenizedPair) -> tuple[float, ...]:
        """Return the counts of one item."""
        texts = ["".join(one) for one in (seen.hypothesis, *seen.references)]
        return tuple(count_chrf(texts[:1], [texts[1:]])[0].tolist())

    def total(self, sums: Floats) -> Floats:
        """Return chrF for sums of counts; 0 where nothing matches."""
        return f_score(sums)


CHRF = Chrf()


def f_score(sums: Floats) -> Floats:
    """Return the F2 of counts, columns as `COLUMNS`."""
    said, wanted, matches = (sums[..., at::3] for at in range(3))
    both = (said > 0) & (wanted > 0)
    orders = np.maximum(both.sum(axis=-1), 1)
    precision = np.where(both, matches / np.where(said > 0, said, 1), 0).sum(axis=-1) / orders
    recall = np.where(both, matches / np.where(wanted > 0, wanted, 1), 0).sum(axis=-1) / orders
    below = BETA**2 * precision + recall
    found: Floats = (1 + BETA**2) * precision * recall / np.where(below > 0, below, 1)
    return found


def count_chrf(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Floats:
    """Return the counts per item against its best reference, columns as `COLUMNS`, shape (items, 18).

    Ties go to the first reference. Raises `ValueError` when the numbers of items differ or an item has no reference.

    >>> count_chrf(["a b"], [["ab c"]])[0, :6].tolist()
    [2.0, 3.0, 2.0, 1.0, 2.0, 1.0]
    """
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses are given for {len(references)} items")
    best = np.zeros((len(hypotheses), len(COLUMNS)))
    highest = np.full(len(hypotheses), -1.0)
    said = ["".join(text.split()) for text in hypotheses]
    for layer in layers_of(references):
        here = [said[item] for item in layer.items.tolist()]
        counted = _counts(here, ["".join(text.split()) for text in layer.texts])
        scores = f_score(counted)
        better = scores > highest[layer.items]
        best[layer.items[better]] = counted[better]
        highest[layer.items[better]] = scores[better]
    return best


def _counts(said: Sequence[str], wanted: Sequence[str]) -> Floats:
    """Return the counts of pairs of texts without white space."""
    pairs = len(said)
    tokens = number_characters([*said, *wanted])
    counted = count_layers(tokens, [np.arange(pairs)], pairs, orders=ORDERS)
    found = np.zeros((pairs, len(COLUMNS)))
    for order in range(ORDERS):
        longer = np.maximum(tokens.lengths - order, 0)
        place = 3 * order
        found[:, place + 1] = longer[pairs:]
        found[:, place] = np.where(longer[pairs:] > 0, longer[:pairs], 0)  # no reference n-gram: no wrong guess
        found[:, place + 2] = counted[:, 2 + 2 * order]
    return found
