"""The system `extractor-pipeline`: tag entities, tag slots, resolve coreference, align (specification, section 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.mobilecs.schema.ontology import USER
from duologue.challenges.mobilecs.systems.extractor_pipeline.recipe import ExtractorPipelineRecipe
from duologue.challenges.mobilecs.systems.training_calls import generated_calls, training_calls
from duologue.core.records import Annotation, Answer, Mention, Record, Value
from duologue.core.scope import Scope
from duologue.core.typed import convert
from duologue.models.pretrained.source import find_model, shown_name
from duologue.models.trained_system import TrainedSystem

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.challenges.mobilecs.systems.extractor_pipeline.pipeline_parts import PipelineParts, ReadTurn
    from duologue.challenges.mobilecs.systems.extractor_pipeline.tagged_call import FoundSpan
    from duologue.challenges.mobilecs.systems.tagger.label_layer import LabelLayer
    from duologue.core.protocols import Progress, Run, Task, TrainingData
    from duologue.core.records import Example, Sample, Turn
    from duologue.models.trained_system import Networks

_FILES = ("entities.safetensors", "slots.safetensors", "coreference.safetensors", "alignment.safetensors")
_CALLS = 100  # answered at once


class ExtractorPipelineCard(Record, frozen=True, kw_only=True):
    """What is kept beside the weights."""

    seen: str
    encoder: dict[str, Any] | None = None
    """What the pre-trained encoder of both taggers is (`EncoderCard`), where one was fine-tuned."""


class ExtractorPipeline(TrainedSystem[ExtractorPipelineRecipe, "PipelineParts"]):
    """Tag entities, tag slots, resolve coreference, align: the published baseline in small."""

    Recipe: type[Record] = ExtractorPipelineRecipe
    scope = Scope(tasks=("mobilecs/extraction",))
    extras: tuple[str, ...] = ("models",)
    by_hand = carried = ("encoder",)
    name, training_files = "extractor-pipeline", "FILE.json"
    Card, card_file = ExtractorPipelineCard, "pipeline.json"

    def __init__(self, recipe: ExtractorPipelineRecipe | None = None) -> None:
        super().__init__(recipe)
        if self.recipe.encoder:
            self.extras = ("models", "hub")

    @property
    def external(self) -> tuple[str, ...] | None:
        """External resources: the pre-trained encoder, where the recipe asks for one."""
        return (f"{shown_name(self.recipe.encoder)} (a model trained elsewhere)",) if self.recipe.encoder else None

    def make_training_data(self, task: Task, seed: int, progress: Progress | None) -> TrainingData:  # noqa: ARG002  # Trainable's signature
        """Generate annotated calls of the `crowd` profile."""
        return generated_calls(self.recipe.generated_calls, seed, progress)

    def _learn(self, examples: Sequence[Example], held_out: Sequence[Example], run: Run) -> tuple[PipelineParts, str]:
        """Train the parts one after another; without held-out calls some are held out."""
        from duologue.challenges.mobilecs.systems.extractor_pipeline.trainer import train_parts

        calls = training_calls(examples, held_out, self.recipe.held_out, run.seed)
        if not self.recipe.encoder:
            return train_parts(self.recipe, calls.examples, calls.held_out, run), calls.seen
        from duologue.models.pretrained.character_encoder import CharacterEncoder  # these need transformers

        source = find_model(self.recipe.encoder)
        encoders = [CharacterEncoder.load(source.folder) for _ in range(2)]
        identity = msgspec.structs.replace(run.identity, weights=source.mark)
        learning = msgspec.structs.replace(run, identity=identity)
        parts = train_parts(self.recipe, calls.examples, calls.held_out, learning, encoders)
        return parts, f"{calls.seen}; before them what {source.name} learned from"

    def load(self, folder: Path) -> None:
        """Load what `save` wrote; fine-tuned taggers go to the recipe's device. Raises as `TrainedSystem.load`."""
        from duologue.challenges.mobilecs.systems.extractor_pipeline.network import place_tagger  # needs torch

        super().load(folder)
        parts = self._trained()
        for tagger in (parts.entities, parts.slots):
            place_tagger(tagger, self.recipe.device)

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return the mentions and values of each call. Raises `UsageError` before `fit` or `load`."""
        from duologue.challenges.mobilecs.systems.extractor_pipeline.pipeline_parts import read_calls

        parts = self._trained()
        answers = []
        for first in range(0, len(samples), _CALLS):
            calls = [sample.history for sample in samples[first : first + _CALLS]]
            read = read_calls(calls, parts, self.recipe.longest_turn)
            answers += [self._answer(turns, said, parts) for turns, said in zip(calls, read, strict=True)]
        return answers

    def _answer(self, turns: Sequence[Turn], read: Sequence[ReadTurn], parts: PipelineParts) -> Answer:
        from duologue.challenges.mobilecs.systems.extractor_pipeline.alignment import MentionedEntities, owners_of
        from duologue.challenges.mobilecs.systems.extractor_pipeline.coreference import clusters
        from duologue.challenges.mobilecs.systems.extractor_pipeline.tagged_call import starts_of
        from duologue.challenges.mobilecs.systems.tagger.label_layer import ALL_VALUES, MENTIONS

        mentions = [span for turn in read for span in _spans(turn, MENTIONS)]
        values = [span for turn in read for span in _spans(turn, ALL_VALUES)]
        numbers = clusters(mentions, parts.coreference.frozen(), self.recipe.piece)
        entities = [f"ent-{number + 1}" for number in numbers]
        call = MentionedEntities(mentions, entities, starts_of(turns))
        owners = owners_of(values, call, self.recipe.reach, parts.alignment.frozen())
        return Answer(
            annotation=Annotation(
                mentions=tuple(
                    Mention(label=one.label, text=_text(turns, one), entity=entity, span=one.span)
                    for one, entity in zip(mentions, entities, strict=True)
                ),
                values=tuple(
                    Value(
                        slot=one.label, text=_text(turns, one), entity=None if owner == USER else owner, span=one.span
                    )
                    for one, owner in zip(values, owners, strict=True)
                ),
            )
        )

    def _networks(self, learned: PipelineParts) -> Networks:
        return dict(zip(_FILES, learned, strict=True))

    def _card(self, learned: PipelineParts) -> ExtractorPipelineCard:
        if not self.recipe.encoder:
            return ExtractorPipelineCard(seen=self.seen)
        return ExtractorPipelineCard(seen=self.seen, encoder=msgspec.to_builtins(learned.entities.encoder.card))

    def _restored(self, card: ExtractorPipelineCard) -> PipelineParts:
        from duologue.challenges.mobilecs.systems.extractor_pipeline.pipeline_parts import new_parts

        if card.encoder is None:
            return new_parts(self.recipe, 0)
        from duologue.models.pretrained.character_encoder import CharacterEncoder, EncoderCard  # need transformers

        described = convert(card.encoder, EncoderCard)
        return new_parts(self.recipe, 0, [CharacterEncoder.untrained(described) for _ in range(2)])


def _spans(turn: ReadTurn, layer: LabelLayer) -> list[FoundSpan]:
    """Return the spans that a tagger finds in a turn, those that cross the border of its utterances left out."""
    from duologue.challenges.mobilecs.systems.extractor_pipeline.tagged_call import found_span
    from duologue.challenges.mobilecs.systems.tagger.label_layer import MENTIONS, loose_spans

    read = turn.entities if layer is MENTIONS else turn.slots
    found = [
        found_span(turn.place, read.vectors, start, end, layer.kinds[kind])
        for start, end, kind in loose_spans(read.layers[0].argmax(1).tolist())
    ]
    return [span for span in found if span is not None]


def _text(turns: Sequence[Turn], found: FoundSpan) -> str:
    return turns[found.span.turn].text[found.span.start : found.span.end]
