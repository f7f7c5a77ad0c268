"""Recipe of a candidate scorer: size and training."""

from __future__ import annotations

import msgspec

from duologue.core.bounds import Count, Dropout, Positive, PositiveFloat, Stacked
from duologue.core.records import Record
from duologue.models.training_recipe import epochs_for


class ScorerRecipe(Record, frozen=True):
    """One scorer."""

    hidden: Positive = 64
    """Units of each hidden layer."""
    layers: Stacked = 1
    """Hidden layers."""
    dropout: Dropout = 0.1
    epochs: Positive = 6
    least_steps: Count = 0
    """Steps of a training on few decisions, which goes through them more often; early stopping may end it before."""
    batch: Positive = 64
    """Decisions per step."""
    learning_rate: PositiveFloat = 3e-3
    """At its highest, after the warm-up."""

    def for_rows(self, rows: int) -> ScorerRecipe:
        """Return the recipe with as many epochs as the least steps take."""
        return msgspec.structs.replace(self, epochs=epochs_for(rows, self.batch, self.epochs, self.least_steps))
