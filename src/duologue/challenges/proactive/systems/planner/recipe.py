"""Recipe of the planner."""

from __future__ import annotations

from typing import Literal

from duologue.core.bounds import Count, Dropout, NonNegative, Positive, PositiveFloat, ProperFraction, Stacked, Threads
from duologue.models.training_recipe import TrainingRecipe


class PlannerRecipe(TrainingRecipe, frozen=True):
    """Inputs, candidates, constraints and training of the planner."""

    knowledge: bool = True
    """Whether facts are used at all (`false` is an ablation)."""
    goal: bool = True
    """Whether the order of the topics and their relations are used (`false` is an ablation)."""
    copy: bool = True
    """Whether replies may contain facts; `false`, an ablation, allows topic names only."""
    rerank: bool = True
    """Whether the network ranks; `false`, an ablation, takes the candidate with the highest agreement of the others."""
    text: bool = True
    """Whether the network has words as input besides features."""
    candidates: Positive = 100
    """Candidate replies per sample."""
    pool: Positive = 200
    """Turns retrieved from the index to make them from."""
    first_by: Count = 2
    """Latest agent turn, from 0, for naming A."""
    second_by: Count = 4
    """Latest agent turn for naming B, once A was named."""
    facts_by: Count = 2
    """Agent turn from which a new fact is used while fewer than two were."""
    pronouns: bool = True
    """Whether 他 and 她 of a template become those of the star who is spoken of; `false`, an ablation, leaves them."""
    roles: bool = True
    """Whether replies that call a director of the film its lead, or a lead its director, come last; `false`, an
    ablation, lets them."""
    answers: Literal["always", "live", "never"] = "always"
    """Where questions for given facts and for names are answered and refusals acknowledged: always, in talks with a
    person alone (not in samples of files, nor with simulated users), or never."""
    variety: NonNegative = 0.011
    """Utility (character F1, 0 to 1) added per expected novel word, one that no other reply of a test set has:
    predicted utility alone favours generic replies."""
    recombine: bool = True
    """Whether clauses of the best candidates are put together anew, chosen by minimum Bayes risk (needs `rerank`)."""
    second_choice: bool = True
    """Whether recombined replies are ranked anew, with a word model, by weights learned on samples put aside (needs
    `recombine`, in training too)."""
    own_variety: NonNegative = 0.012
    """Utility added in the second choice per expected word that no other reply of the planner itself has, less what
    each word costs in DISTINCT."""
    word_epochs: Positive = 4
    """Epochs of the word model."""
    voters: Positive = 25
    """Best candidates whose clauses are put together, and which vote."""
    rounds: Positive = 3
    """Rounds in which the begin of one reply is joined to the end of another."""
    held_out: ProperFraction = 0.06
    """Fraction of the training samples, by pairs of topics, that is put aside: the second choice is fitted to it, and
    without held-out data it selects the best weights."""
    sampled: Count = 50
    """Candidates of a sample used in a step, sampled separately for each network; 0: all of them."""
    members: Stacked = 2
    """Networks of the ensemble, with different seeds; their predictions are averaged."""
    learning_rate: PositiveFloat = 1.5e-3
    width: Positive = 64
    """Embedding size."""
    hidden: Positive = 192
    word_dropout: Dropout = 0.15
    """Fraction of words dropped in training."""
    rare: Positive = 4
    """Words of fewer training states, or fewer templates, are unknown words."""
    threads: Threads = 2

    @classmethod
    def tiny(cls) -> PlannerRecipe:
        """Return a recipe that trains in seconds, for tests of behaviour, not of quality."""
        return cls(
            candidates=10,
            pool=20,
            held_out=0.3,
            epochs=1,
            word_epochs=1,
            batch=8,
            sampled=5,
            members=2,
            width=8,
            hidden=8,
            rare=1,
            threads=1,
        )
