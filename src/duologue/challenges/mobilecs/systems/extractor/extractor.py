"""The system `extractor`: one tagger over the whole call, then mentions, owners and types decoded together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.systems.extractor.decision_levels import DecisionLevels
from duologue.challenges.mobilecs.systems.extractor.recipe import ExtractorRecipe
from duologue.challenges.mobilecs.systems.extractor.slot_evidence import SlotEvidence
from duologue.challenges.mobilecs.systems.training_calls import generated_calls, training_calls
from duologue.core.records import Annotation, Answer, Record
from duologue.core.scope import Scope
from duologue.models.trained_system import TrainedSystem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.mobilecs.systems.extractor.trainer import ExtractorParts
    from duologue.core.protocols import Progress, Run, Task, TrainingData
    from duologue.core.records import Example, Sample
    from duologue.models.trained_system import Networks

_FILES = ("tagger.safetensors", "mentions.safetensors", "values.safetensors", "types.safetensors", "names.safetensors")
_CALLS = 100  # read at once


class ExtractorCard(Record, frozen=True, kw_only=True):
    """What is kept beside the weights."""

    levels: DecisionLevels
    evidence: SlotEvidence
    seen: str


class Extractor(TrainedSystem[ExtractorRecipe, "ExtractorParts"]):
    """Find mentions, slot values and whose they are in service calls, decoded together."""

    Recipe: type[Record] = ExtractorRecipe
    scope = Scope(tasks=("mobilecs/extraction",))
    extras = ("models", "zh")
    name, training_files = "extractor", "FILE.json"
    Card, card_file = ExtractorCard, "extractor.json"

    def make_training_data(self, task: Task, seed: int, progress: Progress | None) -> TrainingData:  # noqa: ARG002  # Trainable's signature
        """Generate annotated calls of the `crowd` profile."""
        return generated_calls(self.recipe.generated_calls, seed, progress)

    def _learn(self, examples: Sequence[Example], held_out: Sequence[Example], run: Run) -> tuple[ExtractorParts, str]:
        """Train the parts one after another; without held-out calls some are held out."""
        from duologue.challenges.mobilecs.systems.extractor.trainer import train_parts

        calls = training_calls(examples, held_out, self.recipe.held_out, run.seed)
        return train_parts(self.recipe, calls.examples, calls.held_out, run), calls.seen

    def _learn_semi_supervised(
        self, examples: Sequence[Example], held_out: Sequence[Example], unlabelled: Sequence[Example], run: Run
    ) -> tuple[ExtractorParts, str]:
        """Train the tagger on the text of unlabelled calls, too."""
        from duologue.challenges.mobilecs.systems.extractor.semi_supervised_trainer import BareCalls
        from duologue.challenges.mobilecs.systems.extractor.trainer import train_parts

        calls = training_calls(examples, held_out, self.recipe.held_out, run.seed)
        seen = f"{calls.seen}, and the text of {len(unlabelled)} calls without annotation"
        taught = train_parts(self.recipe, calls.examples, calls.held_out, run, BareCalls(unlabelled).train_tagger)
        return taught, seen

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return the mentions and values of each call. Raises `UsageError` before `fit` or `load`."""
        from duologue.challenges.mobilecs.systems.tagger.char_features import features_of
        from duologue.challenges.mobilecs.systems.tagger.document import call_document
        from duologue.challenges.mobilecs.systems.tagger.network import tag

        parts = self._trained()
        decoder = parts.decoder(self.recipe)
        answers = []
        for first in range(0, len(samples), _CALLS):
            documents = [call_document(sample.history) for sample in samples[first : first + _CALLS]]
            said = tag(parts.tagger, [features_of(document) for document in documents])
            answers += [
                Answer(annotation=decoder.annotation(document, one) if document.text else Annotation())
                for document, one in zip(documents, said, strict=True)
            ]
        return answers

    def _networks(self, learned: ExtractorParts) -> Networks:
        networks = (learned.tagger, learned.of_mentions, learned.of_values, learned.of_types, learned.of_names)
        return dict(zip(_FILES, networks, strict=True))

    def _card(self, learned: ExtractorParts) -> ExtractorCard:
        return ExtractorCard(levels=learned.levels, evidence=learned.evidence, seen=self.seen)

    def _restored(self, card: ExtractorCard) -> ExtractorParts:
        from duologue.challenges.mobilecs.systems.extractor.trainer import new_parts

        return new_parts(self.recipe, card.levels, card.evidence, 0)
