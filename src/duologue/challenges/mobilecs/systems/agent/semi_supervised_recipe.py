"""Recipe of what the agent learns from dialogues without intents."""

from __future__ import annotations

from duologue.core.bounds import Count, NonNegative, Positive, Probability
from duologue.core.records import Record


class LatentActsRecipe(Record, frozen=True):
    """Use of unlabelled dialogues: their text, knowledge bases and replies."""

    vocabulary: bool = False
    """Whether their utterances, too, say which pieces of text are read; few labels do not tell what these mean."""
    pre_training: Count = 4
    """Epochs in which the networks first learn to tell from each context what the reply tells and what words it has."""
    reply_terms: Positive = 400
    """Terms of replies that are guessed then, the most frequent ones."""
    rounds: Positive = 1
    """Rounds of expectation and maximisation."""
    epochs: Positive = 3
    """Of students, before they learn from labels."""
    batch: Positive = 32
    """Turns per step, where there are no labels."""
    user_intents: bool = True
    """Whether turns teach what teachers say of the user's intents."""
    cost: NonNegative = 1.0
    """Cost of a wrong intent, for a right one that gains 1: so many turns are trusted as gain most on held-out ones."""
    balanced: bool = True
    """Whether of each intent the same share of turns is trusted, instead of the most confident of all."""
    staff_acts: bool = True
    """Whether the staff's acts, the told and the wanted pieces are latent variables, inferred from the replies; then
    replies give wording, too."""
    sure: Probability = 0.6
    """Posterior probability from which a set of staff labels is taken for the truth of a turn by the networks."""
    cues: bool = True
    """Whether cues of slots are counted in turns without intents, too, in which the user seems to ask something."""
