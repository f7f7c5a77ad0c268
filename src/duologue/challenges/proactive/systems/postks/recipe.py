"""Recipe of the generation baseline."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from duologue.core.bounds import Count, Dropout, NonNegative, Positive, PositiveFloat, ProperFraction
from duologue.models.training_recipe import ParallelTrainingRecipe


class PostksRecipe(ParallelTrainingRecipe, frozen=True):
    """Sizes, variants and training of the generation baseline."""

    words: Positive = 128
    """Embedding size."""
    hidden: Annotated[int, msgspec.Meta(ge=2, multiple_of=2)] = 192
    """Hidden size."""
    dropout: Dropout = 0.3
    """Dropout rate of the decoder's output."""
    posterior: Literal["reply", "source-and-reply"] = "reply"
    """Input of the posterior: the reference (the released code), or source and reference (the document)."""
    loss: Literal["summed", "averaged"] = "summed"
    """Over the tokens of a reply: `summed` (the released code) or `averaged` (the document)."""
    generalise: bool = True
    """Replace topic names by slots in the input, and slots by names in replies."""
    width: Positive = 1
    """Beam width; 1 is greedy search, as in the released PyTorch program; the Paddle program has 10."""
    epochs: Positive = 14
    bow_epochs: Count = 2
    """First epochs, in which only the bag-of-words loss is trained."""
    batch: Positive = 32
    """Samples per step."""
    learning_rate: PositiveFloat = 1e-3
    clip: PositiveFloat = 5.0
    """Largest norm of the gradient."""
    held_out: ProperFraction = 0.05
    """Fraction of the samples, split by pairs of topics, that selects the best weights without held-out data."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """Precision of matrix products in training; decoding is in float32."""
    checkpoint_seconds: NonNegative = 30.0

    @classmethod
    def tiny(cls) -> PostksRecipe:
        """Return a recipe that trains in seconds, for tests of behaviour, not of quality."""
        return cls(words=8, hidden=8, dropout=0.1, epochs=3, bow_epochs=1, batch=4, learning_rate=0.01, held_out=0.3)
