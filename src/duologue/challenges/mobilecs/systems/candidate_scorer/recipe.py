"""Recipe of a candidate scorer: size and training."""

from __future__ import annotations

from duologue.core.bounds import Dropout, Positive, PositiveFloat
from duologue.core.records import Record


class ScorerRecipe(Record, frozen=True):
    """One scorer."""

    hidden: Positive = 64
    """Units of each hidden layer."""
    layers: Positive = 1
    """Hidden layers."""
    dropout: Dropout = 0.1
    epochs: Positive = 6
    batch: Positive = 64
    """Decisions per step."""
    learning_rate: PositiveFloat = 3e-3
    """At its highest, after the warm-up."""
