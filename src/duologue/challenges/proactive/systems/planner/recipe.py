"""Recipe of the planner."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from duologue.core.bounds import Count, Dropout, NonNegative, Positive, PositiveFloat, ProperFraction, Stacked, Threads
from duologue.core.records import Record
from duologue.models.training_recipe import TrainingRecipe


class ReplyGeneratorRecipe(Record, frozen=True):
    """The reply generator, a copy transformer: what it adds, its sizes and its training."""

    beam: Annotated[int, Meta(ge=0, le=256)] = 8
    """Replies found by beam search, which join the candidates; 0: none. Those with knowledge that this
    sample has not are left out."""
    drawn: Annotated[int, Meta(ge=0, le=256)] = 8
    """Replies drawn by nucleus sampling, with which the second choice compares; 0: none."""
    words: Positive = 5000
    """Most words of its vocabulary; others are copied from what it reads, or unknown."""
    rare: Positive = 5
    """Words that occur less often are unknown."""
    width: Annotated[int, Meta(ge=4, multiple_of=4)] = 192
    encoder_layers: Stacked = 1
    decoder_layers: Stacked = 1
    dropout: Dropout = 0.2
    word_dropout: Dropout = 0.1
    """Share of tokens that are read as unknown, in training."""
    epochs: Positive = 5
    batch: Positive = 64
    """Samples per step."""
    least_steps: Count = 600
    """Steps at least, where there are few samples: more epochs."""
    learning_rate: PositiveFloat = 1.5e-3
    """At its highest, after the warm-up."""
    patience: Positive = 3
    """Epochs without a better loss on held-out samples before training stops."""
    precision: Literal["bfloat16", "float32", "auto"] = "auto"
    """Of matrix products in training; `auto`: bfloat16 where the processor multiplies it."""


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
    own_variety: NonNegative = 0.015
    """Utility added in the second choice per expected word that no other reply of the planner itself has, less what
    each word costs in DISTINCT."""
    word_epochs: Positive = 4
    """Epochs of the word model."""
    generator: ReplyGeneratorRecipe = ReplyGeneratorRecipe()
    """The reply generator (needs `rerank`; for drawn replies `second_choice`, in training too)."""
    voters: Positive = 25
    """Best candidates whose clauses are put together, and which vote."""
    rounds: Count = 3
    """Rounds in which the begin of one reply is joined to the end of another; 0, an ablation: the voters themselves are
    ranked anew."""
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

    @property
    def draws(self) -> bool:
        """Whether drawn replies are made and compared with."""
        return self.rerank and self.recombine and self.second_choice and self.generator.drawn > 0

    @property
    def generates(self) -> bool:
        """Whether there is a generator at all."""
        return self.draws or (self.rerank and self.generator.beam > 0)

    @classmethod
    def tiny(cls) -> PlannerRecipe:
        """Return a recipe that trains in seconds, for tests of behaviour, not of quality."""
        return cls(
            candidates=10,
            pool=20,
            held_out=0.3,
            epochs=1,
            word_epochs=1,
            generator=ReplyGeneratorRecipe(
                beam=2,
                drawn=2,
                rare=1,
                width=8,
                encoder_layers=1,
                decoder_layers=1,
                epochs=1,
                least_steps=0,
                batch=8,
            ),
            batch=8,
            sampled=5,
            members=2,
            width=8,
            hidden=8,
            rare=1,
            threads=1,
        )
