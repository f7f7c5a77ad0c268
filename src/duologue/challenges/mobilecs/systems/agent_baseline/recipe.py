"""Recipe of the baseline: sizes, training, and the limits of its parts."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from duologue.core.bounds import Dropout, NonNegative, Positive, PositiveFloat, ProperFraction, Stacked
from duologue.models.training_recipe import TrainingRecipe


class AgentBaselineRecipe(TrainingRecipe, frozen=True):
    """Language model, training and decoding; the limits are those of the challenge."""

    copy: bool = True
    """Whether characters of the stream can be copied, beside being said. The challenge's pretrained model needs no
    such help; a small one, trained from nothing, cannot repeat a name without it."""
    names: Positive = 15
    """Most characters of the names of a turn."""
    user_intent: Positive = 25
    staff_intent: Positive = 10
    reply: Positive = 65
    longest: Annotated[int, Meta(ge=2)] = 320
    """Characters of a stream; what is longer loses its beginning."""
    rare: Positive = 2
    """Characters that fewer training streams have are not known."""
    width: Positive = 128
    heads: Positive = 4
    inner: Positive = 512
    layers: Stacked = 3
    dropout: Dropout = 0.1
    epochs: Positive = 10
    batch: Positive = 32
    learning_rate: PositiveFloat = 1.5e-3
    patience: Positive = 2
    """Early stopping: epochs without improvement on held-out dialogues."""
    weight_decay: NonNegative = 0.01
    held_out: ProperFraction = 0.08
    """Share of the training dialogues that decides which weights are best, where none are given."""

    @classmethod
    def tiny(cls) -> AgentBaselineRecipe:
        """Return a recipe that trains in seconds, for tests of behaviour, not of quality."""
        return cls(
            width=16, heads=2, inner=16, layers=1, epochs=1, rare=1, held_out=0.3, names=4, user_intent=8, reply=8
        )
