"""What one text is worth where another is right: the utilities of minimum Bayes risk, for all pairs among a few texts.

All go from 0 to 1, and equal texts are worth 1 to each other, empty ones included.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.metrics.chrf import ORDERS, f_score
from duologue.metrics.corpus_bleu import Bleu, BleuRules, count_bleu
from duologue.metrics.pairwise_overlap import KeyedTexts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Tokens = Sequence[str]

_SMOOTHED = BleuRules("Lin and Och 2004: one added to matches and guesses of the orders above 1", smoothing="add-one")


def f1(texts: Sequence[Tokens]) -> Floats:
    """Return the F1 of the bags of tokens of each pair, (n, n).

    >>> f1([["we", "are"], ["we"], []]).round(2).tolist()
    [[1.0, 0.67, 0.0], [0.67, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    return _f_score(KeyedTexts.of_tokens(texts))


def bigram_f1(texts: Sequence[Tokens]) -> Floats:
    """Return the F1 of the bags of tokens and pairs of neighbours, (n, n)."""
    return _f_score(KeyedTexts.of_tokens([[*words, *pairwise(words)] for words in texts]))


def sentence_bleu(texts: Sequence[Tokens]) -> Floats:
    """Return BLEU-4 of each text (rows) against each other one (columns), (n, n); one is added above unigrams."""
    n = len(texts)
    counts = count_bleu([one for one in texts for _ in texts], [[one] for _ in texts for one in texts], rules=_SMOOTHED)
    return np.nan_to_num(Bleu(4, _SMOOTHED).total(counts)).reshape(n, n)


def chrf(texts: Sequence[Tokens]) -> Floats:
    """Return chrF2 of each text (rows) against each other one (columns), (n, n): Popovic 2015, equation 1.

    Precision and recall are means over the orders that both texts have; white space does not count.
    """
    written = ["".join("".join(words).split()) for words in texts]
    sums = np.zeros((len(texts), len(texts), 3 * ORDERS))
    for order in range(ORDERS):
        grams = [[text[at : at + order + 1] for at in range(len(text) - order)] for text in written]
        keyed = KeyedTexts.of_tokens(grams)
        if not keyed.sizes.any():
            break
        sums[..., 3 * order] = keyed.sizes[:, None]
        sums[..., 3 * order + 1] = keyed.sizes
        sums[..., 3 * order + 2] = keyed.overlaps()
    return f_score(sums)


def _f_score(keyed: KeyedTexts) -> Floats:
    sizes = keyed.sizes.astype(float)
    if not sizes.any():
        return np.ones((keyed.n, keyed.n))
    both = sizes[:, None] + sizes
    return np.where(both > 0, 2 * keyed.overlaps().astype(float) / np.maximum(both, 1), 1.0)


UTILITIES: dict[str, Callable[[Sequence[Tokens]], Floats]] = {
    "f1": f1,
    "bigram-f1": bigram_f1,
    "bleu": sentence_bleu,
    "chrf": chrf,
}
"""Utilities by name."""


class LeastRisk(NamedTuple):
    """The text that minimum Bayes risk takes."""

    place: int
    undecided: bool
    """True where texts differ and all are worth the same, so that the first is no better than the others."""


def least_risk(texts: Sequence[Tokens], utility: str) -> int:
    """Return the place of the text that is worth most on average where each of them is right (minimum Bayes risk).

    As `chosen` says; raises as it does.
    """
    return chosen(texts, utility).place


def chosen(texts: Sequence[Tokens], utility: str) -> LeastRisk:
    """Return the text that is worth most on average where each of them is right (minimum Bayes risk).

    Kumar and Byrne 2004, equation 2, each text as likely as another; equal texts count as often as they are there.
    Ties, and what differs by less than 1e-9, go to the first: of two different texts neither is worth more by a utility
    that is the same both ways. Raises `ValueError` without texts, and for an unknown utility.

    >>> chosen([["we", "are"], ["we"]], "f1"), chosen([["we", "are"], ["we"], ["we"]], "f1")
    (LeastRisk(place=0, undecided=True), LeastRisk(place=1, undecided=False))
    """
    if not texts:
        raise ValueError("there is no text to choose")
    if utility not in UTILITIES:
        raise ValueError(f"'{utility}' is no utility; there are {', '.join(UTILITIES)}")
    kinds = list(dict.fromkeys(map(tuple, texts)))
    if len(kinds) == 1:
        return LeastRisk(0, undecided=False)
    worth = UTILITIES[utility](kinds)
    np.fill_diagonal(worth, 1.0)
    votes = np.array([sum(tuple(one) == kind for one in texts) for kind in kinds], dtype=float)
    worths = (worth @ votes / votes.sum()).round(9)
    best = kinds[int(np.argmax(worths))]
    place = next(place for place, one in enumerate(texts) if tuple(one) == best)
    return LeastRisk(place, undecided=bool((worths == worths[0]).all()))
