"""Recipe of the joint extractor: tagger, linking, search, training."""

from __future__ import annotations

from typing import ClassVar, Literal

from duologue.challenges.mobilecs.systems.candidate_scorer.recipe import ScorerRecipe
from duologue.challenges.mobilecs.systems.extractor.semi_supervised_recipe import SemiSupervisedRecipe
from duologue.challenges.mobilecs.systems.masked_text.recipe import MaskedTextRecipe
from duologue.challenges.mobilecs.systems.tagger.recipe import CharTaggerRecipe
from duologue.core.bounds import NonNegative, Positive, PositiveFloat, ProperFraction
from duologue.models.training_recipe import CheckpointedRecipe, TrainingRecipe


class NamesRecipe(TrainingRecipe, frozen=True):
    """Training of what names tell of types."""

    epochs: Positive = 60
    batch: Positive = 256
    """Names per step."""
    learning_rate: PositiveFloat = 0.05
    """At the beginning; it falls to the end."""
    weight_decay: NonNegative = 6e-4


class ExtractorRecipe(CheckpointedRecipe, frozen=True):
    """Parts and training of the joint extractor."""

    former_names: ClassVar[dict[str, str]] = {"practice": "generated_calls"}
    """Former names of entries."""

    turns: Literal["annotated", "all"] = "all"
    """Turns that the tagger learns from; `annotated`: labels of turns without any annotation do not count."""
    tagger: CharTaggerRecipe = CharTaggerRecipe(
        memory=32, epochs=5, patience=5, feature_dropout=0.4, fused=True, precision="auto"
    )
    renamed: NonNegative = 3.0
    """How often each call is learned once more with other signs in the names of services, others in each epoch."""
    unseen: NonNegative = 1.0
    """How often the calls set apart decide and teach once more with other signs in the names: names of other catalogues
    are then trusted less, and slots more."""
    links: ScorerRecipe = ScorerRecipe(least_steps=300)
    """Of the scorers that link mentions and values to entities."""
    types: ScorerRecipe = ScorerRecipe(hidden=48, dropout=0.3, epochs=10, batch=32)
    """Of the classifier that gives each entity a type, by all its mentions and slots."""
    names: NamesRecipe = NamesRecipe()
    """Of what names tell of types."""
    set_apart: ProperFraction = 0.1
    """Share of the calls that the tagger does not learn from: they decide the levels, and teach the links too."""
    link_calls: Positive = 7000
    """Most of the tagger's calls that teach the links, too."""
    type_calls: Positive = 1500
    """Most of the tagger's calls that teach the types, with other signs in the names."""
    coreference: bool = True
    """Whether mentions are resolved; if not, each is an entity of its own."""
    beam: Positive = 1
    """Hypotheses of the search over a call; more take longer."""
    joint_types: bool = True
    """Whether an entity has one type, by all its mentions and slots; if not, each mention has its own."""
    semi_supervised: SemiSupervisedRecipe = SemiSupervisedRecipe()
    """Of what is learned from unlabelled calls, where some are given."""
    held_out: ProperFraction = 0.1
    """Share of the training dialogues that decides which weights are best, where no others are given."""
    generated_calls: Positive = 900
    """Generated calls to learn from where no data are given."""

    @classmethod
    def tiny(cls) -> ExtractorRecipe:
        """Return a recipe that trains in seconds, for tests of contracts, not of quality."""
        tagger, scorer = (
            CharTaggerRecipe(embedding=8, width=8, memory=4, epochs=1, least_steps=0, precision="auto"),
            ScorerRecipe(hidden=8, epochs=1),
        )
        semi = SemiSupervisedRecipe(masked_text=MaskedTextRecipe(passes=1), teachers=1, epochs=1)
        return cls(
            tagger=tagger,
            links=scorer,
            types=scorer,
            names=NamesRecipe(epochs=2),
            semi_supervised=semi,
            beam=2,
            set_apart=0.2,
            held_out=0.3,
            generated_calls=8,
            renamed=1.0,
            link_calls=4,
            type_calls=2,
        )
