from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tests.challenges.mobilecs.systems.calls import generated

from duologue.challenges.mobilecs.systems.masked_text.network import pre_train
from duologue.challenges.mobilecs.systems.masked_text.recipe import MaskedTextRecipe
from duologue.challenges.mobilecs.systems.tagger.document import call_document
from duologue.challenges.mobilecs.systems.tagger.network import new_tagger
from duologue.challenges.mobilecs.systems.tagger.recipe import CharTaggerRecipe
from duologue.core.protocols import Run

if TYPE_CHECKING:
    from pathlib import Path

WIDTH = 8
TINY = CharTaggerRecipe(embedding=8, width=WIDTH)


def test_an_encoder_learns_what_stands_around_characters(tmp_path: Path) -> None:
    documents = [call_document(one.sample.history) for one in generated(40)]
    recipe = MaskedTextRecipe(passes=3, vocabulary=100, batch=4, learning_rate=0.02)
    tagger = new_tagger([3], TINY, 1)
    loss = pre_train(tagger.encoder, WIDTH, documents, recipe, Run(folder=tmp_path / "a", seed=1))
    assert loss < math.log(100) - 0.3
    assert tagger.encoder.embedding.weight.abs().sum() > 0
    again = new_tagger([3], TINY, 1)
    assert pre_train(again.encoder, WIDTH, documents, recipe, Run(folder=tmp_path / "b", seed=1)) == loss


def test_too_little_text_changes_nothing(tmp_path: Path) -> None:
    tagger = new_tagger([3], TINY, 1)
    documents = [call_document(one.sample.history) for one in generated(1)]
    assert pre_train(tagger.encoder, WIDTH, documents, MaskedTextRecipe(), Run(folder=tmp_path, seed=1)) == math.inf
    assert not tagger.encoder.embedding.weight.any()
