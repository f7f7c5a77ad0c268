"""Training of the joint extractor's tagger on annotated and on bare calls: pre-training, then rounds of self-training.

In each round teachers that learned from the annotated calls label the bare ones, a student learns from them alone
what they are trusted in, and goes on as the teachers' beginning, or as the tagger itself, with annotated calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.systems.extractor.pseudo_labels import pseudo_labelled
from duologue.challenges.mobilecs.systems.extractor.trainer import fit_tagger
from duologue.challenges.mobilecs.systems.extractor.training_rows import LAYERS, CallRows, labelled_rows
from duologue.challenges.mobilecs.systems.masked_text.network import pre_train
from duologue.challenges.mobilecs.systems.soft_labels.network import certain, soft_task
from duologue.challenges.mobilecs.systems.tagger.char_features import features_of
from duologue.challenges.mobilecs.systems.tagger.document import call_document
from duologue.challenges.mobilecs.systems.tagger.network import new_tagger
from duologue.models.train import TrainConfig, train

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.mobilecs.systems.extractor.recipe import ExtractorRecipe
    from duologue.challenges.mobilecs.systems.tagger.network import CharEncoder, CharTagger
    from duologue.core.protocols import Run
    from duologue.core.records import Example


class BareCalls(NamedTuple):
    """Calls whose text teaches the tagger; what is known of them besides is not read."""

    calls: Sequence[Example]

    def train_tagger(
        self, recipe: ExtractorRecipe, examples: Sequence[Example], held_out: Sequence[Example], run: Run
    ) -> CharTagger:
        """Return a tagger trained on annotated calls and on these; held-out calls calibrate, and choose the weights.

        Interrupted, each training goes on from its last checkpoint.
        """
        semi = recipe.semi_supervised
        bare = [one for one in (call_document(call.sample.history) for call in self.calls) if one.text.strip()]
        rows = CallRows(examples, recipe, run.seed)
        tests = labelled_rows(held_out, recipe)
        first = new_tagger([layer.size for layer in LAYERS], recipe.tagger, run.seed)
        if semi.pre_training:
            pre_train(first.encoder, recipe.tagger.width, bare, semi.masked_text, run.part("masked-text"))
        student = first
        unknown = [features_of(one) for one in bare]
        for number in range(semi.rounds if unknown else 0):
            teachers = []
            for place in range(semi.teachers):
                teacher = _begun(recipe, student.encoder, run.seed * 1000 + place)
                teachers.append(teacher)
                fit_tagger(recipe, teacher, rows, tests, run.part(f"teacher-{number}-{place}", run.seed * 1000 + place))
            taught = pseudo_labelled(teachers, unknown, tests, semi)
            student = _begun(recipe, first.encoder, run.seed)
            config = TrainConfig.of(recipe, recipe.tagger, epochs=semi.epochs, batch=semi.batch, choose="loss")
            judged = [certain(one, student.sizes) for one in tests]
            train(soft_task(student), taught, judged, config, run.part(f"student-{number}"))
        fit_tagger(recipe, student, rows, tests, run.part("tagger"))
        return student


def _begun(recipe: ExtractorRecipe, encoder: CharEncoder, seed: int) -> CharTagger:
    """Return a tagger of a seed that begins with the weights of an encoder."""
    tagger = new_tagger([layer.size for layer in LAYERS], recipe.tagger, seed)
    tagger.encoder.load_state_dict(encoder.state_dict())
    return tagger
