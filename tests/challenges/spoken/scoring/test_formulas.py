from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from duologue.challenges.spoken.scoring.formulas import bleu_of, formulas_of
from duologue.challenges.spoken.scoring.options import OPTIONS, ScoringOptions

if TYPE_CHECKING:
    from duologue.metrics.counts import Metric

CHOICES = [
    ScoringOptions(**dict(zip(("average", "bleu", "smoothing", "distinct", "scope"), values, strict=True)))
    for values in product(*(OPTIONS[name] for name in ("average", "bleu", "smoothing", "distinct", "scope")))
]


def named(choices: ScoringOptions) -> dict[str, Metric[Any]]:
    return {formula.name: formula for formula in formulas_of(choices)}


@pytest.mark.parametrize("choices", CHOICES, ids=lambda choices: "+".join(choices.changed()) or "default")
def test_every_formula_is_zero_for_nothing_and_works_on_many_sums_at_once(choices: ScoringOptions) -> None:
    chance = np.random.default_rng(1)
    for name, formula in named(choices).items():
        width = len(formula.columns)
        assert formula.total(np.zeros(width)) == 0, name
        sums = chance.random((5, width)) + 1
        together = formula.total(sums)
        assert together.shape == (5,)
        assert [float(formula.total(row)) for row in sums] == pytest.approx(together.tolist())


@pytest.mark.parametrize("choices", CHOICES, ids=lambda choices: "+".join(choices.changed()) or "default")
def test_the_formulas_have_the_names_of_the_challenge_in_every_choice(choices: ScoringOptions) -> None:
    assert list(named(choices)) == [
        "precision",
        "recall",
        "f1",
        "bleu-1",
        "bleu-2",
        "distinct-1",
        "distinct-2",
        "generation-f1",
        "total",
        "pooled-distinct-1",
        "pooled-distinct-2",
    ]
    assert [name for name, one in named(choices).items() if not one.additive and not name.startswith("pooled")] == (
        ["distinct-1", "distinct-2"] if choices.scope == "corpus" else []
    )


def test_the_published_row_adds_up_to_the_published_total() -> None:
    total = named(ScoringOptions())["total"]
    assert not total.percent
    row = {"kept": 1, "precision": 0.5015, "recall": 0.4929, "f1": 0.4856, "items": 1}
    row |= {"bleu-1": 0.2869, "bleu-2": 0.2231, "generation-f1": 0.397}
    assert float(total.total(np.array(total.count(row)))) == pytest.approx(1.0789)


def test_pooled_triples_are_divided_once() -> None:
    sums = np.array([2.0, 4.0, 8.0])
    formulas = named(ScoringOptions(average="corpus"))
    found = [float(formulas[name].total(sums)) for name in ("precision", "recall", "f1")]
    assert found == pytest.approx([0.5, 0.25, 1 / 3])


@pytest.mark.parametrize(("smoothing", "bigrams"), [("none", 0.0), ("add1", (0 + 1) / (2 + 1)), ("epsilon", 0.1 / 2)])
def test_pooled_bleu_smooths_as_one_reply_does(smoothing: str, bigrams: float) -> None:
    sums = np.array([4.0, 4.0, 2.0, 4.0, 0.0, 2.0])  # said, wanted, unigrams hit and said, bigrams hit and said
    assert float(bleu_of(2, ScoringOptions(smoothing=smoothing)).total(sums)) == pytest.approx((0.5 * bigrams) ** 0.5)
