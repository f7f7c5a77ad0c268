"""Components of the grounded system: construction, saving and loading."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.spoken.systems.grounded.encoder import PairEncoder, RankerVocabulary
from duologue.challenges.spoken.systems.grounded.features import CorpusCounts
from duologue.challenges.spoken.systems.grounded.similarity import TurnIndex
from duologue.challenges.spoken.systems.grounded.trainer import new_model
from duologue.challenges.spoken.systems.grounded.triple_choice import VALUE_WEIGHTS, ValueSelector
from duologue.challenges.spoken.systems.template_nlg.generator import TemplateGenerator
from duologue.challenges.spoken.systems.template_nlg.template_index import ReplyTemplateIndex
from duologue.core.disk import read_bytes, write_bytes
from duologue.core.errors import StorageError
from duologue.core.records import Record
from duologue.models.trained_system import read_json, write_json
from duologue.models.weights import restored, save_weights

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.challenges.spoken.systems.grounded.recipe import GroundedRecipe
    from duologue.models.sentence_encoders.encoder import EncoderChoice
    from duologue.models.utility import UtilityRanker

CARD = "grounded.json"
INDEX = "turns.f16"
"""File of the vectors of the training turns: float16, little-endian, row by row."""


class GroundedComponents(NamedTuple):
    """The trained components and what they read with."""

    encoder: PairEncoder
    corpus: CorpusCounts
    models: list[UtilityRanker]
    """The ensemble of pair rankers."""
    selector: ValueSelector
    generator: TemplateGenerator
    turn_index: TurnIndex | None = None
    """Training turns that others are compared with, where the recipe has an encoder."""


def untrained_generator(recipe: GroundedRecipe) -> TemplateGenerator:
    """Return a generator that has no templates: it says the bare values."""
    return TemplateGenerator(recipe.replies, ReplyTemplateIndex([]), [])


class _Card(Record, frozen=True, kw_only=True):
    """What saved components keep beside weights."""

    words: RankerVocabulary
    values: ValueSelector
    common: dict[str, int]
    attributes: dict[str, int]
    seen: str
    turns: tuple[tuple[str, ...], ...] = ()
    """Attributes of each turn of the index."""


def save_components(components: GroundedComponents, seen: str, folder: Path) -> None:
    """Write vocabulary, weights, value selector and generator; `seen` describes the training data."""
    for number, model in enumerate(components.models):
        save_weights(model, folder / _weights(number))
    card = _Card(
        words=components.encoder.words,
        values=components.selector,
        common=dict(components.corpus.common),
        attributes=dict(components.corpus.attributes),
        seen=seen,
        turns=tuple(components.turn_index.attributes) if components.turn_index is not None else (),
    )
    if components.turn_index is not None:
        write_bytes(folder / INDEX, components.turn_index.vectors.astype("<f2").tobytes())
    write_json(card, folder / CARD)
    components.generator.save(folder)


def load_components(
    recipe: GroundedRecipe, encoder: EncoderChoice | None, folder: Path
) -> tuple[GroundedComponents, str]:
    """Return what `save_components` wrote; raises `StorageError` when a file is missing or damaged."""
    card = read_json(folder / CARD, _Card)
    models = restored(
        lambda: [new_model(card.words, recipe, 0) for _ in range(recipe.members)],
        lambda made: {_weights(number): model for number, model in enumerate(made)},
        folder,
    )
    if len(card.values.weights) != VALUE_WEIGHTS:
        raise StorageError(f"{folder / CARD} weighs values by other features than this version; train it again")
    components = GroundedComponents(
        encoder=PairEncoder(card.words),
        corpus=CorpusCounts(card.common, card.attributes),
        models=models,
        selector=card.values,
        generator=TemplateGenerator.load(folder),
        turn_index=None if encoder is None else _index(encoder.dimensions(), card, folder / INDEX),
    )
    return components, card.seen


def _index(dimensions: int, card: _Card, path: Path) -> TurnIndex:
    data, wide = read_bytes(path), 2 * dimensions
    if not card.turns or len(data) != 2 * wide * len(card.turns):
        raise StorageError(f"{path} does not hold the vectors of {len(card.turns):,} turns; train the model again")
    vectors = np.frombuffer(data, "<f2").astype(np.float16).reshape(-1, wide)
    if not np.isfinite(vectors).all():
        raise StorageError(f"{path} holds what is no number; train the model again")
    return TurnIndex(vectors, list(card.turns), [])


def _weights(number: int) -> str:
    return f"weights-{number}.safetensors"
