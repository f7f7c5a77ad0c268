"""Formulas of track 2: intents, Success, BLEU and their combination (specification, 8.2 to 8.6).

All are formulas over sums of counts per turn; dialogues are left out and swapped whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.mobilecs.scoring.dialogue.bleu import COLUMNS, ORDERS
from duologue.metrics.spans import Columns, Match, Weighted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.metrics.counts import Floats, Metric

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


class CharacterBleu(Columns):
    """Corpus BLEU-4 over characters, one reference, 0 to 100 as the official program gives it.

    Official: 1e-7 is added to precisions, so a perfect score is 100.00001, and empty output gives NaN. Otherwise the
    plain formula, 0 if an order has no match.
    """

    name = "bleu"
    columns = COLUMNS
    percent = False

    def __init__(self, *, official: bool, source: str = "") -> None:
        self.official, self.source = official, source
        added = " (+1e-7), empty replies left out" if official else ", case folded, empty replies count"
        self.formula = f"bleu = 100 BP exp(sum(log p_n) / 4), characters without blanks{added}"

    def total(self, sums: Floats) -> Floats:
        """Return 100 x brevity penalty x geometric mean of the clipped precisions of orders 1 to 4."""
        length, reference = np.asarray(sums[..., 0]), np.asarray(sums[..., 1])
        logs = np.zeros(np.shape(length))
        for order in ORDERS:
            clipped, grams = np.asarray(sums[..., 2 * order]), np.asarray(sums[..., 2 * order + 1])
            if self.official:
                precision = clipped / (grams + _TINY) + _TINY
            else:
                precision = np.divide(clipped, grams, out=np.zeros(np.shape(grams)), where=grams != 0)
            with np.errstate(divide="ignore"):  # log 0 is -inf, and exp of it 0: no match, no score
                logs = logs + np.log(precision) / len(ORDERS)
        ratio = np.full(np.shape(length), np.nan if self.official else np.inf)
        np.divide(reference, length, out=ratio, where=length != 0)
        penalty = np.where(length > reference, 1.0, np.exp(1 - np.maximum(ratio, 1.0)))
        result: Floats = 100 * penalty * np.exp(logs)
        return result


class Combined(Weighted):
    """The sum by which the challenge ranks, at most 5; shown as a number, not as a percentage."""

    percent = False


def formulas(variant: str) -> tuple[Metric[Mapping[str, float]], ...]:
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
    bleu = CharacterBleu(official=official, source=source)
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
