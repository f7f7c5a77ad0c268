"""Formulas of track 2: intents, Success, BLEU and their combination (specification, 8.2 to 8.6).

All are formulas over sums of counts per turn; dialogues are left out and swapped whole.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from duologue.metrics.corpus_bleu import ORDERS, Bleu, BleuRules, count_layers
from duologue.metrics.formulas import Ratio, Weighted
from duologue.metrics.overlap import overlap_metrics
from duologue.metrics.tokens import number_characters

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from duologue.metrics.counts import Metric

BLEU_COLUMNS = (
    "bleu length",
    "bleu reference",
    *(f"bleu {part}-{order}" for order in range(1, ORDERS + 1) for part in ("clipped", "grams")),
)
_TINY = 1e-7
"""Added to every n-gram precision by the official program, and to its denominator."""


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


def formulas(variant: str) -> tuple[Metric[Any], ...]:
    """Return the formulas of a variant: combined first, then its parts, then precision and recall of the intents.

    For 0 / 0 the official formulas give NaN and the strict ones 0.
    """
    official = variant == "official"
    source = f"SereTOD 2022 track 2 scorer{'' if official else ', repaired (docs/challenges/mobilecs.md)'}"
    empty = float("nan") if official else 0.0
    intents = partial(overlap_metrics, hits="right", empty=empty, nothing=empty, source=source)
    *of_user, user = intents("user-intent", prefix="user-intent-")
    *of_system, system = intents("system-intent", prefix="system-intent-")
    rule = "in any reply" if official else "soon after the request, in one or two replies, not among many other values"
    success = Ratio(
        "success",
        "success fulfilled",
        "success dialogues",
        f"success = dialogues with every requested item told ({rule}) / dialogues with requests",
        empty=empty,
        source=source,
    )
    added = " (+1e-7), empty replies left out" if official else ", case folded, empty replies count"
    bleu = Bleu(
        ORDERS,
        bleu_rules(official=official)._replace(source=source),
        name="bleu",
        columns=BLEU_COLUMNS,
        formula=f"bleu = 100 BP exp(sum(log p_n) / 4), characters without blanks{added}",
        scale=100,
    )
    combined = Weighted(
        "combined",
        ((1.0, user), (1.0, system), (1.0, success), (1 / 50, bleu)),
        "combined = user-intent-f1 + system-intent-f1 + success + bleu / 50",
        percent=False,
        source=source,
    )
    return (combined, user, system, success, bleu, *of_user, *of_system)
