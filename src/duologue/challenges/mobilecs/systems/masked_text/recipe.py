"""Recipe of the pre-training of a character encoder."""

from __future__ import annotations

from duologue.core.bounds import Positive, PositiveFloat, ProperFraction
from duologue.core.records import Record


class MaskedTextRecipe(Record, frozen=True):
    """How characters are masked, and the training."""

    passes: Positive = 4
    """Times that each call is read, each time with other characters masked."""
    masked: ProperFraction = 0.15
    """Share of the characters that are masked."""
    vocabulary: Positive = 1000
    """Most frequent characters, which alone are asked for."""
    batch: Positive = 16
    """Calls per step."""
    learning_rate: PositiveFloat = 4e-3
    """At its highest, after the warm-up."""
