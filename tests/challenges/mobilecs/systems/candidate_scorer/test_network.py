from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from duologue.challenges.mobilecs.systems.candidate_scorer.feed_forward import CandidateList
from duologue.challenges.mobilecs.systems.candidate_scorer.network import collate, fit_scorer, new_scorer
from duologue.challenges.mobilecs.systems.candidate_scorer.recipe import ScorerRecipe
from duologue.core.protocols import Run
from duologue.models.train import TrainConfig

if TYPE_CHECKING:
    from pathlib import Path

RECIPE = ScorerRecipe(hidden=8, layers=2, dropout=0.0, epochs=40, batch=8, learning_rate=0.02)


def lists() -> list[CandidateList]:
    """Return decisions whose right candidate is the one with the largest first feature."""
    chance = np.random.default_rng(1)
    found = []
    for size in (2, 3, 4) * 12:
        features = chance.normal(size=(size, 3)).astype(np.float32)
        right = np.zeros(size, dtype=np.float32)
        right[features[:, 0].argmax()] = 1
        found.append(CandidateList(features, right))
    return found


@pytest.mark.parametrize("one_of_all", [True, False])
def test_a_scorer_learns_which_candidate_is_right(tmp_path: Path, *, one_of_all: bool) -> None:
    rows, scorer = lists(), new_scorer(3, RECIPE, 1)
    config = TrainConfig.of(RECIPE, choose="loss")
    fit_scorer(scorer, rows, rows, config, Run(folder=tmp_path, seed=1), one_of_all=one_of_all)
    frozen = scorer.frozen()
    hits = sum(int(frozen.scores(row.features).argmax()) == int(row.right.argmax()) for row in rows)
    assert hits >= 30


def test_frozen_weights_score_as_the_network_does() -> None:
    scorer = new_scorer(3, RECIPE, 1).eval()
    features = lists()[0].features
    with torch.inference_mode():
        wanted = scorer(torch.from_numpy(features)).numpy()
    assert scorer.frozen().scores(features) == pytest.approx(wanted, abs=1e-6)


def test_what_is_known_of_a_decision_stands_behind_the_features_of_all_candidates() -> None:
    scorer = new_scorer(5, RECIPE, 1).eval()
    features, context = lists()[0].features, np.array([1.0, -2.0], dtype=np.float32)
    whole = np.concatenate([features, np.tile(context, (len(features), 1))], 1)
    with torch.inference_mode():
        wanted = scorer(torch.from_numpy(whole)).numpy()
        batch = collate([CandidateList(features, np.zeros(len(features), dtype=np.float32), context)])
        found = scorer(batch.features, batch.context)[0].numpy()
    assert found == pytest.approx(wanted, abs=1e-6)
    assert scorer.frozen().scores(features, context) == pytest.approx(wanted, abs=1e-6)


def test_without_decisions_a_scorer_stays_as_it_is(tmp_path: Path) -> None:
    scorer = new_scorer(3, RECIPE, 1)
    before = scorer.frozen()
    fit_scorer(scorer, [], lists(), TrainConfig.of(RECIPE), Run(folder=tmp_path, seed=1), one_of_all=True)
    assert all(
        np.array_equal(one[0], other[0]) for one, other in zip(before.layers, scorer.frozen().layers, strict=True)
    )
