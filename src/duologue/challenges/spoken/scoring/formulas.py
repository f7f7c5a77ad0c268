"""Formulas of the scores over sums of counts (specification, sections 3.2 to 3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from duologue.metrics.corpus_bleu import Bleu, BleuRules
from duologue.metrics.counts import Metric, share
from duologue.metrics.diversity import Distinct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.challenges.spoken.scoring.options import ScoringOptions
    from duologue.metrics.counts import Floats

    Seen = Mapping[str, float]
    Formula = Metric[Any]

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

_SMOOTHING: dict[str, Literal["none", "add-one", "floor"]] = {"none": "none", "add1": "add-one", "epsilon": "floor"}
"""Smoothing of bigrams (`BleuRules`) by the value of option `smoothing`."""


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


def bleu_of(n: int, options: ScoringOptions) -> Bleu:
    """Return BLEU-n over the matches and lengths of all replies together; over those of one reply it is that reply's.

    0 where an order has no match that smoothing makes up for.
    """
    orders = [column for order in ORDERS for column in (f"{order}-grams hit", f"{order}-grams said")]
    return Bleu(
        n,
        BleuRules(_SOURCES[f"bleu-{n}"], smoothing=_SMOOTHING[options.smoothing], mean="root"),
        columns=("tokens said", "tokens wanted", *orders),
        formula=f"bleu-{n} = corpus ({_unit(options)})",
    )


def _unit(options: ScoringOptions) -> str:
    return f"{options.tokens}, smoothing {options.smoothing}"


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


def formulas_of(options: ScoringOptions) -> tuple[Formula, ...]:
    """Return the formulas of all scores, in the order in which a report shows them."""
    identity = "values with types" if options.strict_types == "true" else "values as text"
    triples = f"{options.duplicates}, empty {options.empty}, {identity}"
    selection = tuple(
        PooledSelection(name, triples) if options.average == "corpus" else Mean(name, "kept", triples)
        for name in ("precision", "recall", "f1")
    )
    bleu = tuple(
        bleu_of(n, options) if options.bleu == "corpus" else Mean(f"bleu-{n}", "items", _unit(options)) for n in ORDERS
    )
    f1 = Mean("generation-f1", "items", f"{options.tokens}, {options.f1}")
    diversity: list[Formula] = []
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
