"""Formulas of the scores over sums of counts (specification, sections 3.2 to 3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from duologue.metrics.corpus_bleu import Bleu, BleuRules
from duologue.metrics.diversity import Distinct
from duologue.metrics.formulas import Average, Ratio, Weighted
from duologue.metrics.overlap import MEASURES, Overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.spoken.scoring.options import ScoringOptions
    from duologue.metrics.counts import Metric

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


def _total(selection: Sequence[Formula], generation: Sequence[Formula]) -> Weighted:
    """Return 0.3 (precision + recall + f1) + 0.7 (bleu-1 + bleu-2 + generation-f1), from 0 to 3."""
    weights = ((_SELECTION_WEIGHT, selection), (_GENERATION_WEIGHT, generation))
    return Weighted(
        "total",
        [(weight, one) for weight, several in weights for one in several],
        "total = " + " + ".join(f"{weight} ({' + '.join(one.name for one in several)})" for weight, several in weights),
        percent=False,
        source="challenge document: the score by which systems are ranked",
    )


def _mean(name: str, remark: str, samples: str = "items", source: str = "") -> Average:
    """Return the mean of a score per sample over the samples that a column counts; 0 where there is none."""
    formula = f"{name} = mean per sample ({remark})"
    return Average(name, formula, items=samples, empty=0.0, source=source or _SOURCES[name])


def _distinct(n: int, options: ScoringOptions) -> Formula:
    """Return DISTINCT-n as the options have it; of all replies together it is not additive.

    The document counts n-grams that occur exactly once: there, a reply left out can raise the number as well as lower
    it, so no interval is made.
    """
    name = f"distinct-{n}"
    if options.scope == "sample":
        source = "Li et al. 2016, per reply" if options.distinct == "types" else ""
        return _mean(name, f"{options.tokens}, {options.distinct}", source=source)
    if options.distinct == "types":
        return _pooled_distinct(n)
    formula = f"{name} = {n}-grams that occur once / all said, corpus"
    source = _SOURCES[name]
    return Ratio(name, f"{n}-grams once", f"{n}-grams said", formula, empty=0.0, additive=False, source=source)


def _pooled_distinct(n: int, name: str = "") -> Distinct:
    """Return different n-grams / n-grams over all replies together; its interval is the jackknife's."""
    return Distinct(n, name=name, empty=0.0, source="Li et al. 2016, over all replies")


def formulas_of(options: ScoringOptions) -> tuple[Formula, ...]:
    """Return the formulas of all scores, in the order in which a report shows them."""
    identity = "values with types" if options.strict_types == "true" else "values as text"
    triples = f"{options.duplicates}, empty {options.empty}, {identity}"
    pooled = options.average == "corpus"
    selection = [
        Overlap("triples", name, nothing=0.0, remark=triples, source=_SOURCES[name])
        if pooled
        else _mean(name, triples, "kept")
        for name in MEASURES
    ]
    bleu = tuple(
        bleu_of(n, options) if options.bleu == "corpus" else _mean(f"bleu-{n}", _unit(options)) for n in ORDERS
    )
    f1 = _mean("generation-f1", f"{options.tokens}, {options.f1}")
    diversity = [_distinct(n, options) for n in ORDERS]
    beside = [_pooled_distinct(n, f"pooled-distinct-{n}") for n in ORDERS]
    return (*selection, *bleu, *diversity, f1, _total(selection, (*bleu, f1)), *beside)
