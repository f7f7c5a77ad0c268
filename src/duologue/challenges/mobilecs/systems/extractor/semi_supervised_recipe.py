"""Recipe of what the joint extractor learns from calls without annotation."""

from __future__ import annotations

from duologue.challenges.mobilecs.systems.masked_text.recipe import MaskedTextRecipe
from duologue.core.bounds import Count, NonNegative, Positive, Probability
from duologue.core.records import Record


class SemiSupervisedRecipe(Record, frozen=True):
    """Use of unlabelled calls; with neither part they change nothing."""

    pre_training: bool = True
    """Whether the character encoder first learns to tell masked characters of the unlabelled calls."""
    masked_text: MaskedTextRecipe = MaskedTextRecipe()
    rounds: Count = 1
    """Rounds of self-training; in each, teachers label the unlabelled calls for the next; 0: none."""
    teachers: Positive = 2
    """Taggers, trained alike from other seeds, whose mean labels the calls."""
    cost: NonNegative = 1.0
    """Cost of a wrong span, for a right one that gains 1: so many are trusted as gain most on held-out calls."""
    outside: Probability = 0.7
    """Calibrated probability from which a character is trusted to lie in no span."""
    balanced: bool = True
    """Whether of each type and slot the same share of spans is trusted, instead of the most confident of all."""
    batch: Positive = 16
    """Calls per step of the student."""
    epochs: Positive = 3
    """Of the student, before it learns from annotated calls."""
