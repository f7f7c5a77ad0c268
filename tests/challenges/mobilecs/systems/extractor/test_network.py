from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
import torch

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES
from duologue.challenges.mobilecs.systems.candidate_scorer.recipe import ScorerRecipe
from duologue.challenges.mobilecs.systems.extractor.name_evidence import BUCKETS, typed_names
from duologue.challenges.mobilecs.systems.extractor.network import (
    NameClassifier,
    TypedEntity,
    fit_classifier,
    fit_names,
    new_classifier,
)
from duologue.challenges.mobilecs.systems.extractor.recipe import NamesRecipe
from duologue.core.protocols import Run
from duologue.models.train import TrainConfig

if TYPE_CHECKING:
    from pathlib import Path

RECIPE = ScorerRecipe(hidden=8, dropout=0.0, epochs=30, batch=4, learning_rate=0.02)


def entity(first: float, second: float, sign: float, kind: int) -> TypedEntity:
    return TypedEntity(np.array([first, second, sign], dtype=np.float32), kind, 1)


ROWS = [entity(-0.1, -2.0, 0.0, 0), entity(-0.1, -2.0, 1.0, 1), entity(-2.0, -0.1, 0.0, 1)] * 4
PACK = ENTITY_TYPES.index("流量包")
NAMES = typed_names([("心享流量包", PACK), ("乐聊宽带", 0), ("乐聊短号", 0)] * 2)
NAMES_RECIPE = NamesRecipe(epochs=20, batch=2)


def test_untrained_it_leaves_the_scores_as_they_are() -> None:
    features = torch.tensor([[-1.0, -2.0, 1.0]])
    assert torch.equal(new_classifier(3, 2, RECIPE, 1)(features), features[:, :2])


@pytest.mark.parametrize("layers", [1, 2])
def test_it_learns_to_correct_them_and_frozen_says_the_same(tmp_path: Path, layers: int) -> None:
    recipe = msgspec.structs.replace(RECIPE, layers=layers)
    classifier = new_classifier(3, 2, recipe, 1)
    assert len(classifier.hidden) == layers
    fit_classifier(classifier, ROWS, ROWS, TrainConfig.of(recipe), Run(folder=tmp_path, seed=1))
    features = np.stack([row.features for row in ROWS])
    with torch.no_grad():
        scores = classifier(torch.from_numpy(features)).numpy()
    assert scores.argmax(1).tolist() == [row.kind for row in ROWS]
    assert np.allclose(features[:, :2] + classifier.frozen().outputs(features[:, 2:]), scores, atol=1e-5)


def test_without_entities_it_stays_as_it_is(tmp_path: Path) -> None:
    classifier = new_classifier(3, 2, RECIPE, 1)
    fit_classifier(classifier, [], ROWS, TrainConfig.of(RECIPE), Run(folder=tmp_path, seed=1))
    assert not classifier.corrections.weight.any()


def test_names_teach_which_type_names_like_them_have(tmp_path: Path) -> None:
    classifier = NameClassifier(BUCKETS, len(ENTITY_TYPES))
    fit_names(classifier, NAMES, NAMES_RECIPE, Run(folder=tmp_path, seed=1))
    evidence = classifier.frozen()
    assert [int(evidence.of([name]).argmax()) for name in ("任我流量包", "乐聊彩铃")] == [PACK, 0]


def test_without_names_it_stays_as_it_is(tmp_path: Path) -> None:
    classifier = NameClassifier(BUCKETS, len(ENTITY_TYPES))
    fit_names(classifier, [], NAMES_RECIPE, Run(folder=tmp_path, seed=1))
    assert not classifier.grams.weight.any()
