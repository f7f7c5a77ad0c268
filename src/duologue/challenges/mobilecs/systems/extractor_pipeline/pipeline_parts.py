"""The parts of the pipeline: two taggers and two scorers, and what the taggers say of a call."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.systems.candidate_scorer.network import new_scorer
from duologue.challenges.mobilecs.systems.extractor_pipeline import alignment, coreference
from duologue.challenges.mobilecs.systems.extractor_pipeline.network import (
    EncoderTagger,
    features_of_text,
    tag_turns,
    width_of,
)
from duologue.challenges.mobilecs.systems.extractor_pipeline.tagged_call import placed_turns
from duologue.challenges.mobilecs.systems.tagger.label_layer import ALL_VALUES, MENTIONS
from duologue.challenges.mobilecs.systems.tagger.network import new_tagger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.mobilecs.systems.candidate_scorer.network import CandidateScorer
    from duologue.challenges.mobilecs.systems.extractor_pipeline.network import EncoderOfCharacters, TurnTagger
    from duologue.challenges.mobilecs.systems.extractor_pipeline.recipe import ExtractorPipelineRecipe
    from duologue.challenges.mobilecs.systems.extractor_pipeline.tagged_call import PlacedTurn
    from duologue.challenges.mobilecs.systems.tagger.network import TaggedText
    from duologue.core.records import Turn


class PipelineParts(NamedTuple):
    """The networks."""

    entities: TurnTagger
    slots: TurnTagger
    coreference: CandidateScorer
    alignment: CandidateScorer


class ReadTurn(NamedTuple):
    """A turn with what both taggers say of it."""

    place: PlacedTurn
    entities: TaggedText
    slots: TaggedText


def new_parts(
    recipe: ExtractorPipelineRecipe, seed: int, encoders: Sequence[EncoderOfCharacters] = ()
) -> PipelineParts:
    """Return untrained parts; `encoders` are those of the two taggers where pre-trained ones are fine-tuned."""
    taggers: list[TurnTagger] = []
    for place, layer in enumerate((MENTIONS, ALL_VALUES)):
        if encoders:
            taggers.append(EncoderTagger(encoders[place], layer.size, recipe.tagger.dropout, seed + place))
        else:
            taggers.append(new_tagger((layer.size,), recipe.tagger, seed + place))
    width = width_of(taggers[0])
    return PipelineParts(
        taggers[0],
        taggers[1],
        new_scorer(coreference.pair_size(width), recipe.coreference, seed),
        new_scorer(alignment.pair_size(width), recipe.alignment, seed),
    )


def read_calls(calls: Sequence[Sequence[Turn]], parts: PipelineParts, longest: int) -> list[list[ReadTurn]]:
    """Return the turns of calls as the taggers read them, each turn by itself."""
    placed = [placed_turns(turns, longest) for turns in calls]
    texts = [turn.document.text for one in placed for turn in one]
    read = list(zip(*(_tagged(tagger, texts) for tagger in (parts.entities, parts.slots)), strict=True))
    ends = [0]
    for one in placed:
        ends.append(ends[-1] + len(one))
    return [
        [ReadTurn(turn, *said) for turn, said in zip(one, read[start:end], strict=True)]
        for one, (start, end) in zip(placed, pairwise(ends), strict=True)
    ]


def _tagged(tagger: TurnTagger, texts: Sequence[str]) -> list[TaggedText]:
    return tag_turns(tagger, [features_of_text(tagger, text) for text in texts])
