"""Metrics of result files: those of `eval.py`, and knowledge and goal completion for variant `strict`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.proactive.knowledge import HIGHEST_COMPLETION
from duologue.metrics.corpus_bleu import Bleu
from duologue.metrics.diversity import Distinct
from duologue.metrics.formulas import Ratio
from duologue.metrics.overlap import Overlap, overlap_metrics

if TYPE_CHECKING:
    from duologue.core.records import Scoring
    from duologue.metrics.counts import Metric
    from duologue.metrics.ngrams import Key


BY_RULE = "by rule, not the human scale"
"""What stands beside every figure of goal completion and coherence: the points are those of the human scales."""


def bigram_key(variant: str) -> Key:
    """Return how a variant identifies bigrams: as joined strings or as pairs of words."""
    return "joined" if variant == "official" else "tuple"


def _bleu(order: int, key: Key) -> Bleu:
    """Return BLEU over the columns of `metrics.bulk_overlap`."""
    hits = "2-grams joined hit" if key == "joined" else "2-grams hit"
    return Bleu(
        order,
        "plain",
        columns=("words said", "words wanted", "1-grams hit", "1-grams said", hits, "2-grams said"),
        formula=f"bleu-{order} = bp exp(mean ln p_k), k <= {order}, corpus, 1 reference, words, {key} keys",
    )


def goal_completion() -> Ratio:
    """Return mean goal completion of dialogues as a fraction of the maximum, 2.

    Its counts are in the row of a dialogue's first sample.
    """
    formula = f"goal-completion = goal points / (2 dialogues), {BY_RULE}"
    return Ratio("goal-completion", "goal points", "dialogues", formula, per=HIGHEST_COMPLETION, note=BY_RULE)


def metrics(how: Scoring) -> tuple[Metric[Any], ...]:
    """Return the metrics of a variant: those of `eval.py`, and for `strict` those of knowledge and goal."""
    key = bigram_key(how.variant)
    of_knowledge: tuple[Metric[Any], ...] = (*overlap_metrics("objects", prefix="knowledge-"), goal_completion())
    return (
        Overlap("chars", "f1"),
        _bleu(1, key),
        _bleu(2, key),
        Distinct(1, key),
        Distinct(2, key),
        *(of_knowledge if how.variant == "strict" else ()),
    )
