"""Recipe of a tagger: size and training."""

from __future__ import annotations

from typing import Literal

import msgspec

from duologue.core.bounds import Count, Dropout, NonNegative, Positive, PositiveFloat
from duologue.core.records import Record
from duologue.models.training_recipe import epochs_for


class CharTaggerRecipe(Record, frozen=True):
    """One tagger."""

    embedding: Positive = 64
    """Numbers of a feature's embedding."""
    width: Positive = 96
    memory: Count = 0
    """Numbers that are told of each character to the same two characters elsewhere in the document; 0: none."""
    dropout: Dropout = 0.2
    feature_dropout: Dropout = 0.2
    """Share of the features of characters that are left out in training."""
    epochs: Positive = 3
    least_steps: Count = 700
    """Steps of a training on few documents, which goes through them more often; early stopping may end it before."""
    patience: Positive = 3
    """Early stopping: passes without improvement on held-out documents."""
    batch: Positive = 16
    """Documents per step."""
    learning_rate: PositiveFloat = 4e-3
    """At its highest, after the warm-up."""
    weight_decay: NonNegative = 0.0
    fused: bool = False
    """One pass of the optimiser over all weights: faster, with other last bits."""
    precision: Literal["float32", "bfloat16", "auto"] = "float32"
    """Of matrix products in training; `auto`: bfloat16 on processors that multiply it, where it is faster, and float32
    on others, where it would be slower by far."""

    def for_rows(self, rows: int) -> CharTaggerRecipe:
        """Return the recipe with as many epochs as the least steps take."""
        return msgspec.structs.replace(self, epochs=epochs_for(rows, self.batch, self.epochs, self.least_steps))
