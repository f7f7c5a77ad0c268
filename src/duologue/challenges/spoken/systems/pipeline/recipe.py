"""Recipe of the pipeline: sizes and training of its components."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec

from duologue.core.bounds import Dropout, Positive, PositiveFloat, ProperFraction, Stacked
from duologue.core.records import Record
from duologue.models.training_recipe import CheckpointedRecipe


class ComponentRecipe(Record, frozen=True):
    """The training of one component."""

    epochs: Positive = 2
    batch: Positive = 32
    """Samples per step."""
    learning_rate: PositiveFloat = 2e-3
    """At its highest, after the warm-up."""


class TaggerRecipe(ComponentRecipe, frozen=True):
    """The entity tagger."""

    width: Annotated[int, msgspec.Meta(ge=4, multiple_of=4)] = 96
    layers: Stacked = 1


class AttributeRecipe(ComponentRecipe, frozen=True):
    """The text encoder of the attribute matcher."""

    width: Positive = 128
    epochs: Positive = 8


class GeneratorRecipe(ComponentRecipe, frozen=True):
    """The reply generator."""

    former_names: ClassVar[dict[str, str]] = {"mass": "top_p", "heat": "temperature"}
    """Former names of entries."""

    width: Annotated[int, msgspec.Meta(ge=4, multiple_of=4)] = 96
    encoder_layers: Stacked = 1
    decoder_layers: Stacked = 2
    dropout: Dropout = 0.1
    word_dropout: Dropout = 0.1
    """Share of characters that are read as unknown in training."""
    epochs: Positive = 7
    batch: Positive = 16
    search: Literal["greedy", "beam", "nucleus"] = "nucleus"
    """How replies are generated; the published program samples them."""
    top_p: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.6
    """Of nucleus sampling: tokens are drawn from the most probable ones whose probabilities sum to this."""
    temperature: PositiveFloat = 0.7
    """Of nucleus sampling: the sampling temperature."""
    longest: Positive = 40
    """Most tokens (characters and pieces of triples) of a reply."""


class PipelineRecipe(CheckpointedRecipe, frozen=True):
    """Correction, components and training of the pipeline."""

    correct: bool = True
    """Whether the user's words are corrected before they are understood."""
    names: TaggerRecipe = TaggerRecipe()
    attributes: AttributeRecipe = AttributeRecipe()
    replies: GeneratorRecipe = GeneratorRecipe()
    held_out: ProperFraction = 0.06
    """Share of the training dialogues that decides which weights are best."""
    rare: Positive = 2
    """Characters and n-grams that stand in fewer texts are unknown."""

    @classmethod
    def tiny(cls) -> PipelineRecipe:
        """Return a recipe that trains in seconds, for tests of contracts, not of quality."""
        return cls(
            correct=False,
            names=TaggerRecipe(width=8, layers=1, epochs=1, batch=8),
            attributes=AttributeRecipe(width=8, epochs=1, batch=8),
            replies=GeneratorRecipe(width=8, encoder_layers=1, decoder_layers=1, epochs=1, batch=8, longest=6),
            held_out=0.3,
            rare=1,
        )
