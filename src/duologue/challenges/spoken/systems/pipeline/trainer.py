"""Training of the components of the pipeline, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from duologue.challenges.spoken.systems.pipeline.asr_correction.clean_texts import clean_texts_of, has_noise_traces
from duologue.challenges.spoken.systems.pipeline.asr_correction.trainer import train_corrector
from duologue.challenges.spoken.systems.pipeline.attribute_matcher import asked_name, grams_of
from duologue.challenges.spoken.systems.pipeline.components import Components, new_components
from duologue.challenges.spoken.systems.pipeline.entity_tagger import NgramIdf, tagger_row
from duologue.challenges.spoken.systems.pipeline.generator_input import generator_pair, generator_source
from duologue.challenges.spoken.systems.pipeline.utterances import balanced, labelled_utterances
from duologue.challenges.spoken.systems.training_data import gold_facts
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.spoken.systems.pipeline.network.vectors import TextPair
    from duologue.challenges.spoken.systems.pipeline.recipe import ComponentRecipe, PipelineRecipe
    from duologue.core.protocols import Run, World
    from duologue.core.records import Example, Fact
    from duologue.models.copy_transformer import Seq2SeqPair


def train_components(
    recipe: PipelineRecipe, examples: Sequence[Example], held_out: Sequence[Example], run: Run
) -> Components:
    """Return the components trained on examples with replies; the best weights are chosen on the held-out ones.

    Interrupted, each part goes on from its last checkpoint to the same weights. Raises `UsageError` when there is
    nothing to learn from.
    """
    from duologue.challenges.spoken.systems.pipeline.network.tagger import tag_learner
    from duologue.challenges.spoken.systems.pipeline.network.vectors import vector_learner
    from duologue.models.seq2seq import generator_learner  # these need torch
    from duologue.models.vocabulary import CopyVocabulary

    lines, validation = labelled_utterances(examples), labelled_utterances(held_out)
    texts = [gram for one in examples if gold_facts(one) for gram in _grams(one)]
    components = new_components(
        recipe,
        CopyVocabulary.of((line.text for line in lines), least=recipe.rare),
        CopyVocabulary.of(texts, least=recipe.rare),
        NgramIdf.of(lines),
        run.seed,
    )
    train_component = _ComponentTrainer(recipe, run)
    names = [[tagger_row(line, components.signs) for line in balanced(part)] for part in (lines, validation)]
    train_component(tag_learner(components.tagger), names, recipe.names, "names", "loss")
    attributes = [_questions(part, components) for part in (examples, held_out)]
    train_component(vector_learner(components.vectors), attributes, recipe.attributes, "attributes", "right")
    replies = [
        [_reply(one, components, run.worlds) for one in part if _is_worth_saying(one)] for part in (examples, held_out)
    ]
    train_component(generator_learner(components.generator), replies, recipe.replies, "replies", "loss")
    if not recipe.correct:
        return components
    subjects = [fact.subject for one in examples for fact in gold_facts(one)]
    return components._replace(corrector=train_corrector(clean_texts_of(examples), subjects, seed=run.seed))


class _ComponentTrainer:
    """Trains a component with checkpoints in a folder of its own."""

    def __init__(self, recipe: PipelineRecipe, run: Run) -> None:
        self.recipe, self.run = recipe, run

    def __call__(
        self,
        subject: Any,
        rows_and_tests: Sequence[Sequence[Any]],
        part: ComponentRecipe,
        name: str,
        choose: Literal["right", "loss"],
    ) -> None:
        from duologue.models.train import TrainConfig, train  # needs torch

        rows, tests = rows_and_tests
        if not rows or not tests:
            raise UsageError(f"there are too few dialogues with facts to learn {name} from; give more with --train")
        train(subject, rows, tests, TrainConfig.of(self.recipe, part, choose=choose), self.run.part(name))


def _grams(example: Example) -> list[list[str]]:
    """Return the n-grams of an example's question and of its gold attribute."""
    question = example.sample.history[-1].text if example.sample.history else ""
    return [grams_of(question), grams_of(asked_name(gold_facts(example)[0].relation))]


def _questions(examples: Sequence[Example], components: Components) -> list[TextPair]:
    from duologue.challenges.spoken.systems.pipeline.network.vectors import TextPair  # needs torch

    return [TextPair(*map(components.grams.target, _grams(one))) for one in examples if gold_facts(one)]


def _is_worth_saying(example: Example) -> bool:
    """Return whether a reply is fit for training: those without facts are left out where they look noisy."""
    return bool(gold_facts(example)) or not has_noise_traces(example.references[0].text or "")


def _reply(example: Example, components: Components, worlds: Mapping[str, World]) -> Seq2SeqPair:
    source = generator_source(all_values(example, worlds), example.sample.history)
    return generator_pair(source, example.references[0].text or "", components.signs)[0]


def all_values(example: Example, worlds: Mapping[str, World]) -> list[Fact]:
    """Return the gold facts together with all other values of their entities and attributes.

    That is what the generator is given later; from the gold ones alone it would learn to say whatever it is given.
    """
    facts = gold_facts(example)
    world = worlds.get(example.sample.world or "")
    pairs = dict.fromkeys((fact.subject, fact.relation) for fact in facts)
    known = (
        [] if world is None else [fact for pair in pairs for fact in world.about(pair[0]) if fact.relation == pair[1]]
    )
    return list(dict.fromkeys([*known, *facts]))
