from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from tests.challenges.mobilecs.systems.calls import generated

from duologue.challenges.mobilecs.systems.extractor.pseudo_labels import pseudo_labelled
from duologue.challenges.mobilecs.systems.extractor.recipe import ExtractorRecipe
from duologue.challenges.mobilecs.systems.extractor.semi_supervised_recipe import SemiSupervisedRecipe
from duologue.challenges.mobilecs.systems.extractor.trainer import train_tagger
from duologue.challenges.mobilecs.systems.extractor.training_rows import labelled_rows
from duologue.core.protocols import Run

if TYPE_CHECKING:
    from duologue.challenges.mobilecs.systems.tagger.network import CharTagger, TaggedDocument

TINY = ExtractorRecipe.tiny()


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> CharTagger:
    recipe = msgspec.structs.replace(
        TINY, tagger=msgspec.structs.replace(TINY.tagger, width=16, epochs=8, batch=4, learning_rate=0.01)
    )
    examples = generated(40)
    return train_tagger(recipe, examples[:30], examples[30:], Run(folder=tmp_path_factory.mktemp("t"), seed=1))


@pytest.fixture(scope="module")
def rows() -> list[TaggedDocument]:
    return labelled_rows(generated(50), TINY)


@pytest.mark.slow
def test_each_document_gets_probabilities_of_all_layers(tagger: CharTagger, rows: list[TaggedDocument]) -> None:
    unknown = [one.features for one in rows[40:]]
    found = pseudo_labelled([tagger, tagger], unknown, rows[30:40], SemiSupervisedRecipe())
    assert len(found) == 10
    for one, features in zip(found, unknown, strict=True):
        assert one.features is features
        assert one.trusted.shape == (3, len(features))
        for shares, size in zip(one.shares, tagger.sizes, strict=True):
            assert shares.shape == (len(features), size)
            assert shares.sum(1, dtype=np.float32) == pytest.approx(1.0, abs=0.01)
    assert 0.5 < np.mean([one.trusted.mean() for one in found]) < 1.0


def test_a_dear_mistake_makes_fewer_spans_trusted(tagger: CharTagger, rows: list[TaggedDocument]) -> None:
    unknown = [one.features for one in rows[40:]]

    def trusted(cost: float) -> int:
        recipe = SemiSupervisedRecipe(cost=cost, outside=1.0)
        return sum(int(one.trusted.sum()) for one in pseudo_labelled([tagger], unknown, rows[30:40], recipe))

    assert trusted(0.0) > trusted(100.0)
