"""Recipe of the extraction pipeline: its training rule, sizes and training of its parts."""

from __future__ import annotations

from typing import ClassVar, Literal

from duologue.challenges.mobilecs.systems.candidate_scorer.recipe import ScorerRecipe
from duologue.challenges.mobilecs.systems.tagger.recipe import CharTaggerRecipe
from duologue.core.bounds import Positive, ProperFraction
from duologue.models.training_recipe import CheckpointedRecipe


class ExtractorPipelineRecipe(CheckpointedRecipe, frozen=True):
    """Training rule and parts of the pipeline."""

    former_names: ClassVar[dict[str, str]] = {"practice": "generated_calls"}
    """Former names of entries."""

    encoder: str = ""
    """Folder or name of the hub of a BERT or its like that both taggers fine-tune (extra `hub`); empty: small ones are
    trained from nothing. From `--set` alone."""
    device: Literal["cpu", "cuda"] = "cpu"
    """Device of fine-tuned taggers; small parts stay on the CPU."""
    turns: Literal["annotated", "all"] = "annotated"
    """Turns that the taggers learn from: those with something to tag, as the challenge has it, or all of them."""
    tagger: CharTaggerRecipe = CharTaggerRecipe(batch=256)
    """Of the tagger of entities, and that of slots."""
    coreference: ScorerRecipe = ScorerRecipe(hidden=150, layers=2, dropout=0.2)
    alignment: ScorerRecipe = ScorerRecipe(hidden=150, layers=2, dropout=0.2)
    longest_turn: Positive = 180
    """Characters of a turn that are read."""
    piece: Positive = 128
    """Characters of the pieces within which mentions are resolved."""
    reach: Positive = 512
    """Characters from the utterance of a mention to that of a value beyond which they are not aligned."""
    held_out: ProperFraction = 0.1
    """Share of the training dialogues that decides which weights are best, where no others are given."""
    generated_calls: Positive = 900
    """Generated calls to learn from where no data are given."""

    @classmethod
    def tiny(cls) -> ExtractorPipelineRecipe:
        """Return a recipe that trains in seconds, for tests of contracts, not of quality."""
        tagger, scorer = (
            CharTaggerRecipe(embedding=8, width=8, epochs=1, least_steps=0),
            ScorerRecipe(hidden=8, epochs=1),
        )
        return cls(tagger=tagger, coreference=scorer, alignment=scorer, held_out=0.3, generated_calls=12)
