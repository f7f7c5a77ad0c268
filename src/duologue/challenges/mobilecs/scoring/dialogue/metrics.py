"""Formulas of track 2: intents, Success, BLEU and their combination (specification, 8.2 to 8.6).

All are formulas over sums of counts per turn; dialogues are left out and swapped whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.metrics.corpus_bleu import ORDERS, Bleu, BleuRules, count_layers
from duologue.metrics.spans import Columns, Match, Weighted
from duologue.metrics.tokens import number_characters

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from duologue.metrics.counts import Floats, Metric

BLEU_COLUMNS = (
    "bleu length",
    "bleu reference",
    *(f"bleu {part}-{order}" for order in range(1, ORDERS + 1) for part in ("clipped", "grams")),
)
_TINY = 1e-7
"""Added to every n-gram precision by the official program, and to its denominator."""


class Success(Columns):
    """Share of the dialogues with requests in which every requested item was given."""

    name = "success"
    columns = ("success dialogues", "success fulfilled")

    def __init__(self, *, empty: float, rule: str, source: str = "") -> None:
        self.empty, self.source = empty, source
        self.formula = f"success = dialogues with every requested item told ({rule}) / dialogues with requests"

    def total(self, sums: Floats) -> Floats:
        """Return fulfilled / dialogues with requests; `empty` where there are none."""
        whole = np.asarray(sums[..., 0])
        result = np.full(np.shape(whole), self.empty)
        np.divide(sums[..., 1], whole, out=result, where=whole != 0)
        return result


def bleu_rules(*, official: bool) -> BleuRules:
    """Return the rules of BLEU (specification, 8.5).

    The official program adds 1e-7 to each precision and to its denominator, so that a perfect copy has more than 100;
    it gives NaN for empty output, and takes 1,000 for a reference length that is as far off.
    """
    if not official:
        return BleuRules()
    return BleuRules(constants=(0.0, _TINY, _TINY), undefined="without hypothesis", farthest=1000)


def count_replies(pairs: Sequence[tuple[str, str]], *, official: bool) -> list[dict[str, float]]:
    """Return the counts of BLEU for each reply and its reference, over their characters; blanks are none."""
    texts = [pair[side] for side in (0, 1) for pair in pairs]
    rules, places = bleu_rules(official=official), np.arange(len(pairs))
    array = count_layers(number_characters(texts), [places], len(pairs), rules=rules)
    return [dict(zip(BLEU_COLUMNS, row, strict=True)) for row in array.tolist()]


class Combined(Weighted):
    """The sum by which the challenge ranks, at most 5; shown as a number, not as a percentage."""

    percent = False


def formulas(variant: str) -> tuple[Metric[Any], ...]:
    """Return the formulas of a variant: combined first, then its parts, then precision and recall of the intents.

    For 0 / 0 the official formulas give NaN and the strict ones 0.
    """
    official = variant == "official"
    source = f"SereTOD 2022 track 2 scorer{'' if official else ', repaired (docs/challenges/mobilecs.md)'}"
    empty = float("nan") if official else 0.0
    user = Match("user-intent", "f1", empty=empty, source=source)
    system = Match("system-intent", "f1", empty=empty, source=source)
    rule = "in any reply" if official else "soon after the request, in one or two replies, not among many other values"
    success = Success(empty=empty, rule=rule, source=source)
    added = " (+1e-7), empty replies left out" if official else ", case folded, empty replies count"
    bleu = Bleu(
        ORDERS,
        bleu_rules(official=official)._replace(source=source),
        name="bleu",
        columns=BLEU_COLUMNS,
        formula=f"bleu = 100 BP exp(sum(log p_n) / 4), characters without blanks{added}",
        scale=100,
    )
    combined = Combined(
        "combined",
        ((1.0, user), (1.0, system), (1.0, success), (1 / 50, bleu)),
        "combined = user-intent-f1 + system-intent-f1 + success + bleu / 50",
        source=source,
    )
    parts = [
        Match(what, measure, empty=empty, source=source)
        for what in ("user-intent", "system-intent")
        for measure in ("precision", "recall")
    ]
    return (combined, user, system, success, bleu, *parts)
