"""Training of the parts of the pipeline, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import USER
from duologue.challenges.mobilecs.systems.candidate_scorer.network import fit_scorer
from duologue.challenges.mobilecs.systems.extractor_pipeline.alignment import MentionedEntities, owner_lists
from duologue.challenges.mobilecs.systems.extractor_pipeline.coreference import antecedent_lists
from duologue.challenges.mobilecs.systems.extractor_pipeline.network import features_of_text, turn_tagger_task
from duologue.challenges.mobilecs.systems.extractor_pipeline.pipeline_parts import new_parts, read_calls
from duologue.challenges.mobilecs.systems.extractor_pipeline.tagged_call import found_span, placed_turns, starts_of
from duologue.challenges.mobilecs.systems.tagger.gold_spans import annotation_of, mention_spans, value_spans
from duologue.challenges.mobilecs.systems.tagger.label_layer import ALL_VALUES, MENTIONS
from duologue.challenges.mobilecs.systems.tagger.network import TaggedDocument
from duologue.core.errors import UsageError
from duologue.core.records import Annotation, Mention
from duologue.models.train import TrainConfig, train

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.mobilecs.systems.candidate_scorer.feed_forward import CandidateList
    from duologue.challenges.mobilecs.systems.extractor_pipeline.network import EncoderOfCharacters, TurnTagger
    from duologue.challenges.mobilecs.systems.extractor_pipeline.pipeline_parts import PipelineParts, ReadTurn
    from duologue.challenges.mobilecs.systems.extractor_pipeline.recipe import ExtractorPipelineRecipe
    from duologue.challenges.mobilecs.systems.extractor_pipeline.tagged_call import FoundSpan
    from duologue.challenges.mobilecs.systems.tagger.label_layer import LabelLayer
    from duologue.core.protocols import Run
    from duologue.core.records import Example, Value

_CALLS = 200  # read at once

Part = TypeVar("Part", "Mention", "Value")


def train_parts(
    recipe: ExtractorPipelineRecipe,
    examples: Sequence[Example],
    held_out: Sequence[Example],
    run: Run,
    encoders: Sequence[EncoderOfCharacters] = (),
) -> PipelineParts:
    """Return the parts trained on annotated calls; the best weights are chosen on those held out.

    `encoders` are the pre-trained ones of the two taggers, where such are fine-tuned.

    Interrupted, each part goes on from its last checkpoint. Raises `UsageError` when there is nothing to learn from.
    """
    parts = new_parts(recipe, run.seed, encoders)
    for tagger, layer, name in ((parts.entities, MENTIONS, "entities"), (parts.slots, ALL_VALUES, "slots")):
        rows, tests = (tagger_rows(some, layer, recipe, tagger) for some in (examples, held_out))
        if not rows or not tests:
            raise UsageError(f"there are too few annotated turns to learn {name} from; give more with --train")
        device = recipe.device if encoders else "cpu"
        config = TrainConfig.of(recipe, recipe.tagger.for_rows(len(rows)), choose="loss", device=device)
        train(turn_tagger_task(tagger), rows, tests, config, run.part(name))
    known, unknown = (_decisions(recipe, parts, some) for some in (examples, held_out))
    for scorer, part, name, place in (
        (parts.coreference, recipe.coreference, "coreference", 0),
        (parts.alignment, recipe.alignment, "alignment", 1),
    ):
        config = TrainConfig.of(recipe, part, choose="loss", device="cpu")
        fit_scorer(scorer, known[place], unknown[place], config, run.part(name), one_of_all=False)
    return parts


def tagger_rows(
    examples: Sequence[Example], layer: LabelLayer, recipe: ExtractorPipelineRecipe, tagger: TurnTagger
) -> list[TaggedDocument]:
    """Return the turns that a tagger learns from, labelled."""
    found = []
    for example in examples:
        annotation = annotation_of(example) or Annotation()
        for document, _ in placed_turns(example.sample.history, recipe.longest_turn):
            spans = (
                mention_spans(document, annotation.mentions, layer)
                if layer is MENTIONS
                else value_spans(document, annotation.values, layer)
            )
            if document.text and (spans or recipe.turns == "all"):
                labels = layer.labels(len(document.text), spans)
                found.append(TaggedDocument(features_of_text(tagger, document.text), np.array([labels])))
    return found


class _Decisions(NamedTuple):
    """Decisions of coreference and alignment with their outcome."""

    antecedents: list[CandidateList]
    owners: list[CandidateList]


def _decisions(recipe: ExtractorPipelineRecipe, parts: PipelineParts, examples: Sequence[Example]) -> _Decisions:
    """Return the decisions in annotated calls, with the vectors of the trained taggers."""
    found = _Decisions([], [])
    for first in range(0, len(examples), _CALLS):
        some = examples[first : first + _CALLS]
        read = read_calls([one.sample.history for one in some], parts, recipe.longest_turn)
        for example, turns in zip(some, read, strict=True):
            annotation = annotation_of(example) or Annotation()
            mentions, entities = _placed(turns, annotation.mentions)
            values, owners = _placed(turns, annotation.values)
            found.antecedents.extend(antecedent_lists(mentions, entities, recipe.piece))
            call = MentionedEntities(mentions, entities, starts_of(example.sample.history))
            found.owners.extend(owner_lists(values, owners, call, recipe.reach))
    return found


def _placed(turns: Sequence[ReadTurn], parts: Sequence[Part]) -> tuple[list[FoundSpan], list[str]]:
    """Return annotated mentions or values in their order in the call, and the entity of each."""
    pairs = []
    for part in parts:
        if part.span is None or part.span.turn // 2 >= len(turns):
            continue
        turn = turns[part.span.turn // 2]
        place = turn.place.document.stretch(part.span)
        if place is not None and place[1] <= len(turn.place.document.text):
            label, read = (part.label, turn.entities) if isinstance(part, Mention) else (part.slot, turn.slots)
            span = found_span(turn.place, read.vectors, *place, label)
            if span is not None:
                pairs.append((span, part.entity or USER))
    pairs.sort(key=lambda pair: pair[0].start)
    return [span for span, _ in pairs], [entity for _, entity in pairs]
