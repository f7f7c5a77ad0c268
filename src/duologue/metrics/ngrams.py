"""N-grams, their clipped matches, and corpus BLEU (Papineni et al. 2002) over the sums of them.

The key of an n-gram is a choice that scores depend on, so it has a name: `tuple` keeps the n tokens apart, `joined`
writes them together as some published scripts do, so that `ab|c` and `a|bc` are the same bigram.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from duologue.metrics.counts import Metric, share

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from duologue.metrics.counts import Floats

Key = Literal["tuple", "joined"]


class Texts(NamedTuple):
    """What BLEU looks at: the tokens of an answer and of its one reference, in their order."""

    said: Sequence[str]
    wanted: Sequence[str]


def ngrams(tokens: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """Return the n-grams of tokens in order, as tuples.

    >>> ngrams(["a", "b", "c"], 2)
    [('a', 'b'), ('b', 'c')]
    """
    return list(zip(*(tokens[start:] for start in range(n)), strict=False))


def joined_ngrams(tokens: Sequence[str], n: int) -> list[str]:
    """Return the n-grams of tokens in order, each written together without a separator.

    >>> joined_ngrams(["a", "b", "c"], 2)
    ['ab', 'bc']
    """
    return ["".join(gram) for gram in ngrams(tokens, n)]


def keyed_ngrams(tokens: Sequence[str], n: int, key: Key) -> Sequence[Hashable]:
    """Return the n-grams of tokens under the named key."""
    return joined_ngrams(tokens, n) if key == "joined" else ngrams(tokens, n)


def clipped(said: Iterable[Hashable], wanted: Iterable[Hashable]) -> int:
    """Return how many n-grams match, each counted at most as often as it is wanted.

    >>> clipped(["a", "a", "a"], ["a", "a", "b"])
    2
    """
    return (Counter(said) & Counter(wanted)).total()


def brevity_penalty(said: Floats, wanted: Floats) -> Floats:
    """Return exp(1 - wanted / said) where less was said than wanted, else 1; 0 where nothing was said."""
    ratio = share(wanted, said)
    result: Floats = np.where(said < wanted, np.exp(1 - np.nan_to_num(ratio, nan=np.inf)), 1.0)
    return result


class CorpusBleu(Metric[Texts]):
    """BLEU-n of a corpus with one reference per item, no smoothing, all orders weighed alike.

    Counts `words said`, `words wanted`, and for each order k up to n `k-grams hit` and `k-grams said`. The score is
    the brevity penalty times the geometric mean of the precisions; 0 where one of them is 0 or has no n-gram.
    """

    def __init__(self, n: int, key: Key = "tuple", *, unit: str = "words", name: str | None = None) -> None:
        if n < 1:
            raise ValueError(f"n is {n}; BLEU has orders from 1")
        self.n = n
        self.key: Key = key
        self.name = name or f"bleu-{n}"
        mark = " joined" if key == "joined" else ""
        orders = [f"{k}-grams{mark if k > 1 else ''}" for k in range(1, n + 1)]
        pairs = [column for order in orders for column in (f"{order} hit", f"{order.replace(mark, '')} said")]
        self.columns = (f"{unit} said", f"{unit} wanted", *pairs)
        self.formula = f"{self.name} = bp exp(mean ln p_k), k <= {n}, corpus, 1 reference, {unit}, {key} keys"

    def count(self, seen: Texts) -> tuple[float, ...]:
        """Return the lengths, then matches and n-grams said for each order."""
        counted = [len(seen.said), len(seen.wanted)]
        for k in range(1, self.n + 1):
            said = keyed_ngrams(seen.said, k, self.key)
            counted += [clipped(said, keyed_ngrams(seen.wanted, k, self.key)), len(said)]
        return tuple(float(number) for number in counted)

    def total(self, sums: Floats) -> Floats:
        """Return bp * exp(mean of ln p_k); NaN where neither side held a token."""
        said, wanted = sums[..., 0], sums[..., 1]
        precisions = np.stack([share(sums[..., 2 * k], sums[..., 2 * k + 1]) for k in range(1, self.n + 1)], axis=-1)
        fine = np.asarray((precisions > 0).all(axis=-1))  # False for NaN too
        logs = np.log(np.where(fine[..., None], precisions, 1.0))
        value = np.where(fine, brevity_penalty(said, wanted) * np.exp(logs.sum(axis=-1) / self.n), 0.0)
        result: Floats = np.where(said + wanted > 0, value, np.nan)
        return result
