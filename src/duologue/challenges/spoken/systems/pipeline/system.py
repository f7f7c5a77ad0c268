"""The pipeline: the logic of the published baseline with small trained parts (specification, section 7).

Correct what the recogniser did to the user's words; name the entities; take the one attribute whose name is nearest to
the question, with all its values, and never nothing where an entity was found; write a reply from triples and history.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.spoken.systems.pipeline.recipe import PipelineRecipe
from duologue.core.errors import UsageError
from duologue.core.records import Annotation, Answer, Record
from duologue.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.spoken.systems.pipeline.components import Parts
    from duologue.challenges.spoken.systems.pipeline.entity_tagger import Dictionary
    from duologue.core.protocols import Brief, Progress, Run, Task, World
    from duologue.core.records import Example, Fact, Sample, Turn


class Pipeline:
    """Correct, name, choose one attribute, write: the published baseline with small parts (a `Trainable`)."""

    Recipe: type[Record] = PipelineRecipe
    scope = Scope(tasks=("spoken",))
    extras = ("models", "zh")

    def __init__(self, recipe: PipelineRecipe | None = None) -> None:
        self.recipe = recipe or PipelineRecipe()
        self.seen: str = "nothing yet: train it first"
        self._parts: Parts | None = None
        self._worlds: Mapping[str, World] = {}
        self._dictionaries: dict[str, Dictionary] = {}
        self._seed = 0

    def prepare(self, brief: Brief, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # it knows its task
        """Take the graphs and the seed by which replies are drawn."""
        from duologue.challenges.spoken.systems.pipeline.entity_tagger import Dictionary

        self._worlds, self._seed = worlds, seed
        names = {name: list(dict.fromkeys(fact.subject for fact in world)) for name, world in worlds.items()}
        self._dictionaries = {name: Dictionary(of_world) for name, of_world in names.items()}
        if self._parts is not None and self._parts.repairer is not None:
            known = [entity for of_world in names.values() for entity in of_world]
            self._parts = self._parts._replace(repairer=self._parts.repairer.knowing(known))

    def practice(self, task: Task, seed: int, progress: Progress | None) -> tuple[list[Example], list[Example]]:  # noqa: ARG002  # there is nothing to practise on
        """Raise `UsageError`: there is no simulator of this data."""
        raise UsageError("the pipeline learns from dialogues of people; give them with --train FILE.json[.gz]")

    def fit(
        self,
        examples: Sequence[Example],
        held_out: Sequence[Example],
        unlabelled: Sequence[Example],  # noqa: ARG002  # turns without replies teach it nothing
        run: Run,
    ) -> None:
        """Learn the parts one after another; interrupted, each goes on from its last checkpoint to the same weights.

        Without held-out examples some dialogues are held out. Raises `UsageError` when there is nothing to learn from.
        """
        from duologue.challenges.spoken.systems.pipeline.trainer import learn, parted

        examples = [one for one in examples if one.references and one.references[0].text]
        dialogues = len({one.sample.dialogue_id for one in examples})
        self.seen = f"{len(examples)} replies of {dialogues} training dialogues of people"
        judged = [one for one in held_out if one.references and one.references[0].text]
        if held_out and not judged:
            raise UsageError("there is no reply in the held-out dialogues to judge by; give dialogues with replies")
        learned, judged = (examples, judged) if judged else parted(examples, self.recipe.held_out, run.seed)
        self._parts = learn(self.recipe, learned, judged, run)

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return the facts and a reply for each sample, each on its own. Raises `UsageError` before `fit` or `load`."""
        if self._parts is None:
            raise UsageError("the pipeline has not learned yet; train it, or load a trained one")
        return [self._answer(sample, self._parts) for sample in samples]

    def _answer(self, sample: Sample, parts: Parts) -> Answer:
        history = self._corrected(sample, parts)
        facts = self._facts(sample.world, history, parts)
        return Answer(text=self._said(sample.id, facts, history, parts), annotation=Annotation(facts=facts))

    @staticmethod
    def _corrected(sample: Sample, parts: Parts) -> list[Turn]:
        repairer = parts.repairer
        if repairer is None:
            return list(sample.history)
        return [
            msgspec.structs.replace(turn, text=repairer.repair(turn.text)) if turn.speaker == "user" else turn
            for turn in sample.history
        ]

    def _facts(self, world: str | None, history: Sequence[Turn], parts: Parts) -> tuple[Fact, ...]:
        from duologue.challenges.spoken.systems.pipeline.attributes import Chooser
        from duologue.challenges.spoken.systems.pipeline.entity_tagger import entities_named

        if world is None or not history:
            return ()
        if world not in self._worlds:
            raise UsageError(f"there is no graph '{world}'; give the graph of the samples with --kg")
        texts = [turn.text for turn in history]
        entities = entities_named(texts, parts.tagger, parts.signs, self._dictionaries[world], parts.rarity)
        return Chooser(parts.vectors, parts.grams).choose(texts[-1], entities, self._worlds[world])

    def _said(self, name: str, facts: Sequence[Fact], history: Sequence[Turn], parts: Parts) -> str:
        from duologue.challenges.spoken.systems.pipeline.generator_input import lesson_of, source_of
        from duologue.challenges.spoken.systems.pipeline.network.generator import replies
        from duologue.models.decode import Limits  # these need torch
        from duologue.models.sampling import SamplingConfig

        recipe = self.recipe.replies
        pair, unknown = lesson_of(source_of(facts, history), "", parts.signs)
        seed = int.from_bytes(hashlib.sha256(f"{self._seed} {name}".encode()).digest()[:8], "big")
        sampling = SamplingConfig(search=recipe.search, top_p=recipe.top_p, temperature=recipe.temperature)
        found = replies(parts.writer, [pair], sampling, Limits(longest=recipe.longest), seeds=[seed])[0]
        return "".join(parts.signs.text(found[0].words, unknown))

    def save(self, folder: Path) -> None:
        """Write words, weights and what corrects."""
        from duologue.challenges.spoken.systems.pipeline.components import save_parts

        if self._parts is None:
            raise UsageError("there is nothing to save: the pipeline has not learned yet")
        save_parts(self._parts, self.seen, folder)

    def load(self, folder: Path) -> None:
        """Take up what `save` wrote; raises `StorageError` when a file is missing or damaged."""
        from duologue.challenges.spoken.systems.pipeline.components import load_parts

        self._parts, self.seen = load_parts(self.recipe, folder)
