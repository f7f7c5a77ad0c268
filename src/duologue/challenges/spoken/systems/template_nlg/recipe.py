"""Recipe of the template-based generator."""

from __future__ import annotations

from typing import ClassVar

from duologue.core.bounds import NonNegative, Positive, PositiveFloat, ProperFraction
from duologue.models.training_recipe import TrainingRecipe


class TemplateNlgRecipe(TrainingRecipe, frozen=True):
    """Candidates of the template-based generator, and the training of its reranker."""

    former_names: ClassVar[dict[str, str]] = {"practised": "training_candidates"}
    """Former names of entries."""

    candidates: Positive = 100
    """Candidate replies that are reranked."""
    pool: Positive = 200
    """Templates retrieved for them."""
    vote: NonNegative = 0.7
    """Weight of a candidate's expected utility against the best ones, beside its own predicted utility."""
    training_candidates: Positive = 40
    """Candidates of a training sample that the network sees."""
    held_out: ProperFraction = 0.08
    """Share of the training dialogues that decides which weights are best."""
    learning_rate: PositiveFloat = 1.5e-3
    hidden: Positive = 192

    @classmethod
    def tiny(cls) -> TemplateNlgRecipe:
        """Return a recipe that trains in seconds, for tests of contracts, not of quality."""
        return cls(candidates=12, pool=30, training_candidates=12, epochs=1, batch=8, hidden=8, held_out=0.3)
