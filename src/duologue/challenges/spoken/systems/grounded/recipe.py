"""Recipe of the grounded system: entity linking, triple selection, training."""

from __future__ import annotations

from typing import Literal

from duologue.challenges.spoken.systems.template_nlg.recipe import TemplateNlgRecipe
from duologue.core.bounds import NonNegative, Positive, Probability, ProperFraction, Stacked
from duologue.models.sentence_encoders.encoder import EncoderName
from duologue.models.training_recipe import TrainingRecipe


class GroundedRecipe(TrainingRecipe, frozen=True):
    """Entity linking, triple selection and the training of the ranker."""

    linking: Literal["fuzzy", "exact"] = "fuzzy"
    """`exact` links names only as they are written, punctuation and case apart (an ablation)."""
    queries: bool = True
    """Whether questions of several triples (hops, comparison, counts, ...) are answered by a query to the graph
    (an ablation where not)."""
    encoder: Literal["none"] | EncoderName = "use"
    """Pre-trained sentence encoder for the similarity of turns with attributes and with training turns: `use` (extra
    `embed`), `e5` (extra `rerank`), or `folder`, an embedding model of yours (extra `hub`); `none` trains and answers
    without one."""
    encoder_folder: str = ""
    """Folder of that model in the form of sentence-transformers, from `--set` alone; what is trained has a copy."""
    silence: Probability = 0.9
    """Probability of "no knowledge needed" above which no triple is selected. A lower one is
    right more often where none is needed and wrong more often where some is; test questions nearly always need some."""
    members: Stacked = 3
    """Networks whose probabilities are averaged; each holds out other dialogues."""
    batch: Positive = 32
    weight_decay: NonNegative = 0.02
    width: Positive = 48
    """Numbers per word."""
    hidden: Positive = 48
    dropout: Probability = 0.3
    word_dropout: Probability = 0.3
    """Share of words not read in training."""
    rare: Positive = 2
    """Words that fewer dialogues have are not read."""
    held_out: ProperFraction = 0.1
    """Share of the training dialogues that decides which weights are best."""
    distractors: Probability = 0.5
    """Share of the training samples that are seen over a denser graph, with triples that belong to other entities of
    the type (`denser_graph`): a graph that was made of dialogues holds little that nobody asks for."""
    user_turns: bool = True
    """Whether the user's turns that draw on the graph train the ranker too, and are compared with (an ablation where
    not)."""
    balance: Probability = 0.0
    """Domain-balanced batches: how far rare domains are drawn more often in training. 0: as often as they come; 1:
    every domain alike; between, the inverse of a domain's share to this power."""
    replies: TemplateNlgRecipe = TemplateNlgRecipe()
    """The template-based generator."""

    @classmethod
    def tiny(cls) -> GroundedRecipe:
        """Return a recipe that trains in seconds, for tests of contracts, not of quality."""
        return cls(
            encoder="none",
            members=1,
            epochs=1,
            batch=8,
            width=8,
            hidden=8,
            rare=1,
            held_out=0.3,
            replies=TemplateNlgRecipe.tiny(),
        )
