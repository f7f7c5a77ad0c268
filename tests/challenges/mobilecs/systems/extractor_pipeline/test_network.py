from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from tests.challenges.mobilecs.systems.calls import generated
from tests.tiny_models import save_tiny_bert

from duologue.challenges.mobilecs.schema.task_infos import EXTRACTION
from duologue.challenges.mobilecs.systems.extractor_pipeline.extractor_pipeline import ExtractorPipeline
from duologue.challenges.mobilecs.systems.extractor_pipeline.network import (
    EncoderTagger,
    features_of_text,
    tag_turns,
    width_of,
)
from duologue.challenges.mobilecs.systems.extractor_pipeline.recipe import ExtractorPipelineRecipe
from duologue.challenges.mobilecs.systems.tagger.network import TaggedDocument
from duologue.core.errors import UsageError
from duologue.core.identity import LOG
from duologue.core.plugins import load_system, load_task, save_card
from duologue.core.protocols import Run
from duologue.models.pretrained.character_encoder import CharacterEncoder
from duologue.run.package import pack
from duologue.run.systems import recipe_of
from duologue.testing import check_system

if TYPE_CHECKING:
    from duologue.core.records import Example


def base(folder: Path, examples: list[Example]) -> Path:
    """Save a tiny BERT that knows the characters of the calls."""
    return save_tiny_bert(folder, "".join(turn.text for one in examples for turn in one.sample.history) + "_")


def test_an_encoder_tags_each_character_and_padding_changes_nothing(tmp_path: Path) -> None:
    encoder = CharacterEncoder.load(save_tiny_bert(tmp_path / "bert", "您好彩铃"))
    tagger = EncoderTagger(encoder, 3, 0.0, 1)
    texts = ["您好", "彩铃好好好", ""]
    found = tag_turns(tagger, [features_of_text(tagger, text) for text in texts])
    assert [one.vectors.shape for one in found] == [(2, 32), (5, 32), (0, 32)]
    assert [one.layers[0].shape for one in found] == [(2, 3), (5, 3), (0, 3)]
    (alone,) = tag_turns(tagger, [features_of_text(tagger, texts[0])])
    assert np.allclose(alone.layers[0], found[0].layers[0], atol=1e-5)
    assert width_of(tagger) == 32
    batch = tagger.batch(
        [TaggedDocument(features_of_text(tagger, text), np.ones((1, len(text)), dtype=np.int64)) for text in texts[:2]]
    )
    assert batch.labels.tolist() == [[-100, 1, 1, -100, -100, -100, -100], [-100, 1, 1, 1, 1, 1, -100]]


def test_a_fine_tuned_pipeline_learns_and_is_saved_without_its_base(tmp_path: Path) -> None:
    examples = generated(24)
    recipe = ExtractorPipelineRecipe.tiny()
    tagger = msgspec.structs.replace(recipe.tagger, epochs=3, batch=8, learning_rate=3e-3, dropout=0.0)
    recipe = msgspec.structs.replace(recipe, tagger=tagger, encoder=str(base(tmp_path / "bert", examples)))
    system = ExtractorPipeline(recipe)
    assert system.extras == ("models", "hub")
    assert system.external == ("bert (a model trained elsewhere)",)
    folder = tmp_path / "model"
    folder.mkdir()
    system.fit(examples, [], [], Run(folder=folder, seed=1))
    losses = [json.loads(line)["loss"] for line in (folder / "entities" / LOG).read_text().splitlines()]
    assert losses[-1] < losses[0] / 1.5
    system.save(folder)
    save_card(folder, name="extractor-pipeline", recipe=recipe, task=EXTRACTION.name, seed=1, data="t", data_hash="")
    (tmp_path / "bert" / "config.json").unlink()
    loaded = load_system(folder)
    samples = [one.sample for one in examples[:3]]
    for one in (system, loaded):
        one.prepare(EXTRACTION, 1, {})
    assert loaded.answer(samples) == system.answer(samples)
    assert "before them what bert learned from" in loaded.seen
    check_system(loaded, samples, EXTRACTION, {})
    entry = tmp_path / "entry"
    assert pack(load_task(EXTRACTION.name), str(folder), entry).external == ["bert (a model trained elsewhere)"]
    assert "duologue[models,hub]==" in (entry / "requirements.txt").read_text("utf-8")
    packed = load_system(entry / "model")
    packed.prepare(EXTRACTION, 1, {})
    assert packed.answer(samples) == system.answer(samples)


def test_the_published_recipe_is_whole_and_names_no_model(tmp_path: Path) -> None:
    recipe = recipe_of("extractor-pipeline", Path("seretod-bert"), ("encoder=folder",))
    assert isinstance(recipe, ExtractorPipelineRecipe)
    assert (recipe.tagger.epochs, recipe.tagger.learning_rate, recipe.longest_turn) == (5, 3e-5, 180)
    assert recipe.encoder == "folder"
    file = tmp_path / "mine.toml"
    file.write_text('encoder = "owner/name"', encoding="utf-8")
    with pytest.raises(UsageError, match="not taken from a file"):
        recipe_of("extractor-pipeline", file, ())
