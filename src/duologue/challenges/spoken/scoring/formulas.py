"""Formulas of the scores over sums of counts (specification, sections 3.2 to 3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.metrics.counts import Metric, share
from duologue.metrics.diversity import Distinct
from duologue.metrics.ngrams import brevity_penalty

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.challenges.spoken.scoring.options import ScoringOptions
    from duologue.metrics.counts import Floats

    Seen = Mapping[str, float]
    Formula = Metric[Seen]

ORDERS = (1, 2)
"""N of BLEU-N and DISTINCT-N."""

_SOURCES = {
    **dict.fromkeys(("precision", "recall", "f1"), "challenge document; means per sample as in the published baseline"),
    **dict.fromkeys(("bleu-1", "bleu-2"), "challenge document, sentence BLEU (Papineni et al. 2002) of characters"),
    **dict.fromkeys(("distinct-1", "distinct-2"), "challenge document: n-grams that occur exactly once"),
    "generation-f1": "challenge document, F1 of characters",
}
"""Where the definitions come from, by score."""

_SELECTION_WEIGHT, _GENERATION_WEIGHT = 0.3, 0.7
"""Of the total score (challenge document)."""

_EPSILON = 0.1
"""Matches that option `smoothing=epsilon` takes for none."""


def zero_for_nothing(value: Floats) -> Floats:
    """Return 0 where nothing was counted: the challenge has no undefined scores."""
    result: Floats = np.nan_to_num(value, nan=0.0)
    return result


class _Read(Metric["Seen"]):
    """Reads its counts from those that were made of a sample."""

    def count(self, seen: Seen) -> tuple[float, ...]:
        """Return the counts of one sample."""
        return tuple(seen[column] for column in self.columns)


class Mean(_Read):
    """The mean of a score per sample over the samples that `base` counts; 0 where there is none."""

    def __init__(self, name: str, base: str, remark: str) -> None:
        self.name = name
        self.source = _SOURCES[name]
        self.columns = (base, name)
        self.formula = f"{name} = mean per sample ({remark})"

    def total(self, sums: Floats) -> Floats:
        """Return sum / samples."""
        return zero_for_nothing(share(sums[..., 1], sums[..., 0]))


class PooledSelection(_Read):
    """Precision, recall or F1 over the triples of all samples together; 0 where a denominator is 0."""

    def __init__(self, name: str, remark: str) -> None:
        self.name = name
        self.source = _SOURCES[name]
        self.columns = ("triples hit", "triples said", "triples wanted")
        self.formula = f"{name} = pooled triples ({remark})"

    def total(self, sums: Floats) -> Floats:
        """Return hits / said, hits / wanted, or 2 p r / (p + r)."""
        precision = zero_for_nothing(share(sums[..., 0], sums[..., 1]))
        recall = zero_for_nothing(share(sums[..., 0], sums[..., 2]))
        if self.name == "precision":
            return precision
        if self.name == "recall":
            return recall
        return zero_for_nothing(share(2 * precision * recall, precision + recall))


class PooledBleu(_Read):
    """BLEU-n over the matches and lengths of all replies together, with the smoothing of bigrams that was chosen."""

    def __init__(self, n: int, smoothing: str, remark: str) -> None:
        self.n = n
        self.smoothing = smoothing
        self.name = f"bleu-{n}"
        self.source = _SOURCES[self.name]
        pairs = [column for order in ORDERS[:n] for column in (f"{order}-grams hit", f"{order}-grams said")]
        self.columns = ("tokens said", "tokens wanted", *pairs)
        self.formula = f"bleu-{n} = corpus ({remark})"

    def total(self, sums: Floats) -> Floats:
        """Return the brevity penalty times the geometric mean of the precisions; 0 where one of them is 0."""
        said, wanted = sums[..., 0], sums[..., 1]
        precisions = [zero_for_nothing(share(sums[..., 2], sums[..., 3]))]
        if self.n > 1:
            precisions.append(self._bigrams(sums[..., 4], sums[..., 5], precisions[0]))
        product = np.prod(precisions, axis=0)
        result: Floats = np.where(product > 0, brevity_penalty(said, wanted) * product ** (1 / self.n), 0.0)
        return result

    def _bigrams(self, hits: Floats, said: Floats, unigrams: Floats) -> Floats:
        plain = zero_for_nothing(share(hits, said))
        if self.smoothing == "add1":
            return np.where(unigrams > 0, (hits + 1) / (said + 1), 0.0)
        if self.smoothing == "epsilon":
            least = zero_for_nothing(share(np.full_like(said, _EPSILON), said))
            return np.where((hits == 0) & (unigrams > 0), least, plain)
        return plain


class Total(_Read):
    """0.3 (precision + recall + f1) + 0.7 (bleu-1 + bleu-2 + generation-f1), from 0 to 3."""

    name = "total"
    percent = False
    source = "challenge document: the score by which systems are ranked"

    def __init__(self, selection: tuple[Formula, ...], generation: tuple[Formula, ...]) -> None:
        self._parts = [(_SELECTION_WEIGHT, one) for one in selection] + [
            (_GENERATION_WEIGHT, one) for one in generation
        ]
        self.columns = tuple(dict.fromkeys(column for _, one in self._parts for column in one.columns))
        names = " + ".join(one.name for one in selection), " + ".join(one.name for one in generation)
        self.formula = f"total = {_SELECTION_WEIGHT} ({names[0]}) + {_GENERATION_WEIGHT} ({names[1]})"

    def total(self, sums: Floats) -> Floats:
        """Return the weighted sum."""
        places = {column: place for place, column in enumerate(self.columns)}
        found: Floats = np.zeros(sums.shape[:-1])
        for weight, one in self._parts:
            found = found + weight * one.total(sums[..., [places[column] for column in one.columns]])
        return found


class PooledDistinct(Distinct):
    """DISTINCT-n over all replies together: different n-grams / n-grams, 0 without any.

    Not additive; the interval is the jackknife of `duologue.metrics.diversity`, never a bootstrap.
    """

    source = "Li et al. 2016, over all replies"

    def total(self, sums: Floats) -> Floats:
        """Return different / all."""
        return zero_for_nothing(super().total(sums))


class PooledOnce(_Read):
    """DISTINCT-n as the document defines it, over all replies together: n-grams that occur exactly once / n-grams.

    Not additive, and a reply left out can raise the number as well as lower it: no interval is made.
    """

    additive = False

    def __init__(self, n: int, name: str) -> None:
        self.name = name
        self.source = _SOURCES[name]
        self.columns = (f"{n}-grams said", f"{n}-grams once")
        self.formula = f"{name} = {n}-grams that occur once / all said, corpus"

    def total(self, sums: Floats) -> Floats:
        """Return once / all."""
        return zero_for_nothing(share(sums[..., 1], sums[..., 0]))


def formulas_of(options: ScoringOptions) -> tuple[Metric[Seen], ...]:
    """Return the formulas of all scores, in the order in which a report shows them."""
    identity = "values with types" if options.strict_types == "true" else "values as text"
    triples = f"{options.duplicates}, empty {options.empty}, {identity}"
    selection = tuple(
        PooledSelection(name, triples) if options.average == "corpus" else Mean(name, "kept", triples)
        for name in ("precision", "recall", "f1")
    )
    unit = f"{options.tokens}, smoothing {options.smoothing}"
    bleu = tuple(
        PooledBleu(n, options.smoothing, unit) if options.bleu == "corpus" else Mean(f"bleu-{n}", "items", unit)
        for n in ORDERS
    )
    f1 = Mean("generation-f1", "items", f"{options.tokens}, {options.f1}")
    diversity: list[Metric[Seen]] = []
    for n in ORDERS:
        if options.scope == "sample":
            mean = Mean(f"distinct-{n}", "items", f"{options.tokens}, {options.distinct}")
            if options.distinct == "types":
                mean.source = "Li et al. 2016, per reply"
            diversity.append(mean)
        elif options.distinct == "types":
            diversity.append(PooledDistinct(n))
        else:
            diversity.append(PooledOnce(n, f"distinct-{n}"))
    beside = tuple(PooledDistinct(n, name=f"pooled-distinct-{n}") for n in ORDERS)
    return (*selection, *bleu, *diversity, f1, Total(selection, (*bleu, f1)), *beside)
