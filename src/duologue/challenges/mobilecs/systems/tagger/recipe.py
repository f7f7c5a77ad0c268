"""Recipe of a tagger: size and training."""

from __future__ import annotations

from duologue.core.bounds import Dropout, Positive, PositiveFloat
from duologue.core.records import Record


class CharTaggerRecipe(Record, frozen=True):
    """One tagger."""

    embedding: Positive = 64
    """Numbers of a feature's embedding."""
    width: Positive = 96
    dropout: Dropout = 0.2
    feature_dropout: Dropout = 0.2
    """Share of the features of characters that are left out in training."""
    epochs: Positive = 4
    batch: Positive = 16
    """Documents per step."""
    learning_rate: PositiveFloat = 4e-3
    """At its highest, after the warm-up."""
    weight_decay: float = 0.0
