"""Components of the grounded system: construction, saving and loading."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.spoken.systems.grounded.encoder import PairEncoder, RankerVocabulary
from duologue.challenges.spoken.systems.grounded.features import CorpusCounts
from duologue.challenges.spoken.systems.grounded.trainer import new_model
from duologue.challenges.spoken.systems.grounded.triple_choice import VALUE_WEIGHTS, ValueSelector
from duologue.challenges.spoken.systems.template_nlg.generator import TemplateGenerator
from duologue.challenges.spoken.systems.template_nlg.template_index import ReplyTemplateIndex
from duologue.core.errors import StorageError
from duologue.core.records import Record
from duologue.models.trained_system import read_json, write_json
from duologue.models.weights import load_weights, save_weights

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.challenges.spoken.systems.grounded.recipe import GroundedRecipe
    from duologue.models.utility import UtilityRanker

CARD = "grounded.json"


class GroundedComponents(NamedTuple):
    """The trained components and what they read with."""

    encoder: PairEncoder
    corpus: CorpusCounts
    models: list[UtilityRanker]
    """The ensemble of pair rankers."""
    selector: ValueSelector
    generator: TemplateGenerator


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
    )
    write_json(card, folder / CARD)
    components.generator.save(folder)


def load_components(recipe: GroundedRecipe, folder: Path) -> tuple[GroundedComponents, str]:
    """Return what `save_components` wrote; raises `StorageError` when a file is missing or damaged."""
    card = read_json(folder / CARD, _Card)
    models = []
    for number in range(recipe.members):
        model = new_model(card.words, recipe, 0)
        load_weights(model, folder / _weights(number))
        models.append(model.eval())
    if len(card.values.weights) != VALUE_WEIGHTS:
        raise StorageError(f"{folder / CARD} weighs values by other features than this version; train it again")
    components = GroundedComponents(
        encoder=PairEncoder(card.words),
        corpus=CorpusCounts(card.common, card.attributes),
        models=models,
        selector=card.values,
        generator=TemplateGenerator.load(folder),
    )
    return components, card.seen


def _weights(number: int) -> str:
    return f"weights-{number}.safetensors"
