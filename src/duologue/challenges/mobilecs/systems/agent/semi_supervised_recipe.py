"""Recipe of what the agent learns from dialogues without intents."""

from __future__ import annotations

from duologue.core.bounds import NonNegative, Positive, Probability
from duologue.core.records import Record


class LatentActsRecipe(Record, frozen=True):
    """Use of unlabelled dialogues: their text, knowledge bases and replies."""

    vocabulary: bool = True
    """Whether their utterances say which pieces of text are read."""
    rounds: Positive = 1
    """Rounds of expectation and maximisation."""
    user_intents: bool = True
    """Whether turns teach the networks by what teachers say of the user's intents; if not, only wording is learned."""
    cost: NonNegative = 1.0
    """Cost of a wrong intent, for a right one that gains 1: so many turns are trusted as gain most on held-out ones."""
    balanced: bool = True
    """Whether of each intent the same share of turns is trusted, instead of the most confident of all."""
    staff_acts: bool = True
    """Whether the staff's acts and the told pieces are latent variables, inferred from the replies."""
    sure: Probability = 0.6
    """Posterior probability from which a set of staff labels is taken for the truth of a turn."""
    labelled_share: Probability = 0.3
    """Least share of the networks' training data that is labelled by people; it is repeated for it."""
