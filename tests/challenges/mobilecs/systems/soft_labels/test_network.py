from __future__ import annotations

import numpy as np
import pytest
import torch

from duologue.challenges.mobilecs.systems.soft_labels.network import SoftDocument, certain, soft_task
from duologue.challenges.mobilecs.systems.tagger.char_features import encoded
from duologue.challenges.mobilecs.systems.tagger.network import IGNORED, TaggedDocument, new_tagger, tagger_task
from duologue.challenges.mobilecs.systems.tagger.recipe import CharTaggerRecipe

SIZES = (3, 5)
FEATURES = encoded("流量包十块")


def test_certain_labels_cost_what_labels_cost() -> None:
    tagger = new_tagger(SIZES, CharTaggerRecipe(embedding=4, width=4), 1).eval()
    rows = [TaggedDocument(FEATURES, np.array([[1, 2, 2, 0, 0], [0, 0, 0, 3, IGNORED]]))]
    hard, soft = tagger_task(tagger), soft_task(tagger)
    with torch.no_grad():
        expected = float(hard.loss(hard.collate(rows)))
        assert float(soft.loss(soft.collate([certain(one, SIZES) for one in rows]))) == pytest.approx(expected)


def test_what_is_not_trusted_costs_nothing() -> None:
    tagger = new_tagger(SIZES, CharTaggerRecipe(embedding=4, width=4), 1).eval()
    shares = tuple(np.full((5, size), 1 / size, dtype=np.float16) for size in SIZES)
    nothing = SoftDocument(FEATURES, shares, np.zeros((2, 5), dtype=np.bool_))
    soft = soft_task(tagger)
    with torch.no_grad():
        assert float(soft.loss(soft.collate([nothing]))) == 0.0
