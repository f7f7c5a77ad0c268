"""The system `pipeline`: the published baseline's logic with small trained components (specification, section 7).

Correct recognition errors in the user's turns, tag entity mentions, match the question with one attribute and take all
its values (never none where an entity was found), and generate a reply from the triples and the history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.spoken.systems.pipeline.components import Components, PipelineCard, new_components
from duologue.challenges.spoken.systems.pipeline.recipe import PipelineRecipe
from duologue.challenges.spoken.systems.training_data import split_by_dialogue
from duologue.core.errors import UsageError
from duologue.core.records import Annotation, Answer, Record
from duologue.core.scope import Scope
from duologue.core.seeds import seed_of
from duologue.models.trained_system import TrainedSystem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.spoken.systems.pipeline.entity_tagger import EntityDictionary
    from duologue.core.protocols import Run, TaskInfo, World
    from duologue.core.records import Example, Fact, Sample, Turn
    from duologue.models.trained_system import Networks

REPAIR = "repair.json"
NAMES, ATTRIBUTES, REPLIES = "names.safetensors", "attributes.safetensors", "replies.safetensors"


class Pipeline(TrainedSystem[PipelineRecipe, Components]):
    """Correct, tag entities, match one attribute, generate: the published baseline in small."""

    Recipe: type[Record] = PipelineRecipe
    scope = Scope(tasks=("spoken",))
    extras = ("models", "zh")
    name, training_files = "pipeline", "FILE.json[.gz]"
    Card, card_file = PipelineCard, "pipeline.json"

    def __init__(self, recipe: PipelineRecipe | None = None) -> None:
        super().__init__(recipe)
        self._worlds: Mapping[str, World] = {}
        self._dictionaries: dict[str, EntityDictionary] = {}

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Take the graphs and the seed by which replies are drawn."""
        from duologue.challenges.spoken.systems.pipeline.entity_tagger import EntityDictionary

        super().prepare(info, seed, worlds)
        self._worlds = worlds
        names = {name: list(dict.fromkeys(fact.subject for fact in world)) for name, world in worlds.items()}
        self._dictionaries = {name: EntityDictionary(of_world) for name, of_world in names.items()}
        if self._learned is not None and self._learned.corrector is not None:
            known = [entity for of_world in names.values() for entity in of_world]
            self._learned = self._learned._replace(corrector=self._learned.corrector.with_names(known))

    def _learn(self, examples: Sequence[Example], held_out: Sequence[Example], run: Run) -> tuple[Components, str]:
        """Train the components one after another; without held-out examples some dialogues are held out."""
        from duologue.challenges.spoken.systems.pipeline.trainer import train_components

        examples = [one for one in examples if one.references and one.references[0].text]
        dialogues = len({one.sample.dialogue_id for one in examples})
        seen = f"{len(examples)} replies of {dialogues} training dialogues of people"
        validation = [one for one in held_out if one.references and one.references[0].text]
        if held_out and not validation:
            raise UsageError("there is no reply in the held-out dialogues to judge by; give dialogues with replies")
        if not validation:
            share = self.recipe.held_out
            examples, validation = split_by_dialogue(examples, lambda one: one.sample.dialogue_id, share, run.seed)
        return train_components(self.recipe, examples, validation, run), seen

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return the facts and a reply for each sample, each on its own. Raises `UsageError` before `fit` or `load`."""
        components = self._trained()
        return [self._answer(sample, components) for sample in samples]

    def _answer(self, sample: Sample, components: Components) -> Answer:
        history = self._correct_history(sample, components)
        facts = self._facts(sample.world, history, components)
        return Answer(text=self._generated(sample.id, facts, history, components), annotation=Annotation(facts=facts))

    @staticmethod
    def _correct_history(sample: Sample, components: Components) -> list[Turn]:
        corrector = components.corrector
        if corrector is None:
            return list(sample.history)
        return [
            msgspec.structs.replace(turn, text=corrector.correct(turn.text)) if turn.speaker == "user" else turn
            for turn in sample.history
        ]

    def _facts(self, world: str | None, history: Sequence[Turn], components: Components) -> tuple[Fact, ...]:
        from duologue.challenges.spoken.systems.pipeline.attribute_matcher import AttributeMatcher
        from duologue.challenges.spoken.systems.pipeline.entity_tagger import mentioned_entities

        if world is None or not history:
            return ()
        if world not in self._worlds:
            raise UsageError(f"there is no graph '{world}'; give the graph of the samples with --kg")
        texts = [turn.text for turn in history]
        entities = mentioned_entities(
            texts, components.tagger, components.signs, self._dictionaries[world], components.idf_table
        )
        return AttributeMatcher(components.vectors, components.grams).choose(texts[-1], entities, self._worlds[world])

    def _generated(self, name: str, facts: Sequence[Fact], history: Sequence[Turn], components: Components) -> str:
        from duologue.challenges.spoken.systems.pipeline.generator_input import generator_pair, generator_source
        from duologue.models.decode import DecodingLimits  # these need torch
        from duologue.models.generation import SamplingConfig
        from duologue.models.seq2seq import replies

        recipe = self.recipe.replies
        pair, unknown = generator_pair(generator_source(facts, history), "", components.signs)
        seed = seed_of(f"{self._seed} {name}")
        sampling = SamplingConfig(search=recipe.search, top_p=recipe.top_p, temperature=recipe.temperature)
        found = replies(components.generator, [pair], sampling, DecodingLimits(longest=recipe.longest), seeds=[seed])[0]
        return "".join(components.signs.text(found[0].words, unknown))

    def save(self, folder: Path) -> None:
        """Write vocabularies, weights and corrector."""
        super().save(folder)
        corrector = self._trained().corrector
        if corrector is not None:
            corrector.save(folder / REPAIR)

    def load(self, folder: Path) -> None:
        """Load what `save` wrote; raises `StorageError` when a file is missing or damaged."""
        from duologue.challenges.spoken.systems.pipeline.asr_correction.corrector import AsrCorrector

        super().load(folder)
        if self.recipe.correct:
            self._learned = self._trained()._replace(corrector=AsrCorrector.load(folder / REPAIR))

    def _networks(self, learned: Components) -> Networks:
        return {NAMES: learned.tagger, ATTRIBUTES: learned.vectors, REPLIES: learned.generator}

    def _card(self, learned: Components) -> PipelineCard:
        return PipelineCard(
            signs=list(learned.signs.words),
            grams=list(learned.grams.words),
            idf_table=learned.idf_table,
            seen=self.seen,
        )

    def _restored(self, card: PipelineCard) -> Components:
        from duologue.models.vocabulary import CopyVocabulary  # needs torch

        return new_components(self.recipe, CopyVocabulary(card.signs), CopyVocabulary(card.grams), card.idf_table, 0)
