"""The system `grounded`: selects triples of the graph that a question asks for, and generates a reply from them.

Entity mentions are linked exactly, phonetically and within one edit (`entity_linker`); the dialogue state is tracked by
mentions and by values that were said (`dialogue_state`); small networks rank (entity, attribute) pairs by features that
name no entity (`features`, `network`); the triples with the highest expected F1 are selected (`triple_choice`) and
expressed by the template-based generator. A question of several triples (reverse look-up, hops, comparison, extremes,
counts) is read as a query to the graph (`questions`) and answered by what that finds. The graph is read at run time:
another one needs no new training.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.spoken.systems.grounded.recipe import GroundedRecipe
from duologue.challenges.spoken.systems.training_data import gold_facts
from duologue.core.errors import UsageError
from duologue.core.identity import hash_of_model
from duologue.core.records import Annotation, Answer, Record
from duologue.core.rng import Rng
from duologue.core.scope import Scope
from duologue.models.sentence_encoders.encoder import EncoderChoice, external_data
from duologue.models.trained_system import TrainedSystem

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.spoken.knowledge.inquiry import Finding, Inquiry
    from duologue.challenges.spoken.systems.grounded.components import GroundedComponents
    from duologue.challenges.spoken.systems.grounded.dialogue_state import DialogueState, StateTracker
    from duologue.challenges.spoken.systems.grounded.features import CandidatePairs
    from duologue.challenges.spoken.systems.grounded.questions.reader import QuestionReader
    from duologue.challenges.spoken.systems.grounded.similarity import SimilarityFeatures
    from duologue.challenges.spoken.systems.grounded.triple_choice import SelectedTriples
    from duologue.challenges.spoken.systems.trace import Trace
    from duologue.core.protocols import Run, TaskInfo, World
    from duologue.core.records import Example, Sample
    from duologue.models.choices import Choice
    from duologue.models.sentence_encoders.encoder import EncoderName, SentenceEncoder

_CHUNK = 32  # turns that are ranked at once
_COMMON = 2  # turns that a common n-gram must exceed
_OTHER_SEED = 1_000_003  # between the seed of a training and that of its distractor triples


class GroundedSystem(TrainedSystem[GroundedRecipe, "GroundedComponents"]):
    """Select triples by entity linking and a trained ranker, and generate a reply from templates."""

    Recipe: type[Record] = GroundedRecipe
    scope = Scope(tasks=("spoken",))
    extras: tuple[str, ...] = ("models", "zh", "embed")
    by_hand = carried = ("encoder_folder",)
    name, training_files = "grounded", "FILE.json[.gz], and the graph with --kg"

    def __init__(self, recipe: GroundedRecipe | None = None) -> None:
        super().__init__(recipe)
        name = self.recipe.encoder
        self.extras = ("models", "zh") if name == "none" else ("models", "zh", EncoderChoice(name).extra)
        self._choice: EncoderChoice | None = None
        self._worlds: dict[str, World] = {}
        self._trackers: dict[int, tuple[World, StateTracker]] = {}
        self._readers: dict[int, tuple[World, QuestionReader]] = {}
        self._encoder: SentenceEncoder | None = None
        self._similarity: SimilarityFeatures | None = None

    @property
    def external(self) -> tuple[str, ...] | None:
        """External resources: the sentence encoder, where the recipe has one."""
        name = self.recipe.encoder
        return (external_data(name, self.recipe.encoder_folder),) if name != "none" else None

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Take the graphs and index them; 38,000 entities take seconds.

        Raises `MissingExtraError` where the sentence encoder of the recipe is not installed.
        """
        super().prepare(info, seed, worlds)
        self._ready_encoder()
        self._worlds = dict(worlds)
        for world in self._worlds.values():
            self._tracker(world)
            if self._learned is not None:
                self._learned.generator.prepare_lexicon(world)

    def _learn(
        self, examples: Sequence[Example], held_out: Sequence[Example], run: Run
    ) -> tuple[GroundedComponents, str]:
        """Train on samples with replies and triples; interrupted, training resumes from its checkpoints.

        What is held out decides which weights are best, and nothing else; without it each part holds some dialogues
        out.
        Without a graph in `run.worlds` the triples of the replies make one. Raises `UsageError` for examples of which
        none has triples that can be found.
        """
        from duologue.challenges.spoken.systems.template_nlg.generator import TemplateGenerator

        examples, validation = (
            [one for one in part if one.references and one.references[0].text is not None]
            for part in (examples, held_out)
        )
        learned = self._learn_selection(examples, validation, run)
        world = next(iter(self._worlds.values()))
        generator = TemplateGenerator.learn(examples, world, run, self.recipe.replies, validation=validation)
        dialogues = len({one.sample.dialogue_id for one in examples})
        told = f"{len(examples)} replies of {dialogues} training dialogues of people"
        return learned._replace(generator=generator), told

    def fit_selection(self, examples: Sequence[Example], run: Run) -> None:
        """Train what selects triples, and nothing that words replies: `answer` then says the bare values."""
        self._learned = self._learn_selection(examples, (), run)

    def _learn_selection(
        self, examples: Sequence[Example], validation: Sequence[Example], run: Run
    ) -> GroundedComponents:
        """Return the components with a generator that has learned nothing."""
        from duologue.challenges.spoken.systems.grounded.components import GroundedComponents, untrained_generator
        from duologue.challenges.spoken.systems.grounded.encoder import PairEncoder
        from duologue.challenges.spoken.systems.grounded.similarity import SimilarityFeatures
        from duologue.challenges.spoken.systems.grounded.trainer import (
            RankerData,
            corpus_counts,
            train_members,
            training_turns,
        )
        from duologue.challenges.spoken.systems.grounded.user_turns import user_turns

        self._worlds = dict(run.worlds) or {"": _graph_of(examples)}
        self._trackers.clear()
        self._readers.clear()
        corpus = corpus_counts(examples, limit=_COMMON)
        encoder = self._ready_encoder()
        told = list(user_turns(examples)) if self.recipe.user_turns else []
        turns = training_turns(examples, told)
        self._similarity = None if encoder is None else SimilarityFeatures.learn(encoder, turns)
        judged = [(one, self._tracker(self._world(one.sample))) for one in validation]
        learned = self._tracked_for_training([*examples, *told], run.seed)
        data = RankerData.of(
            learned[: len(examples)],
            corpus,
            self.recipe.rare,
            users=learned[len(examples) :],
            similarity=self._similarity,
            progress=run.progress,
        )
        tests = data.rows_of(judged, corpus, self._similarity)
        if validation and not tests:
            raise UsageError("no triple of the held-out dialogues is in the graph; is it the graph of these dialogues?")
        if self._choice is not None and self._choice.folder is not None:
            identity = msgspec.structs.replace(run.identity, weights=hash_of_model(self._choice.folder))
            run = msgspec.structs.replace(run, identity=identity)
        models = train_members(data, tests, self.recipe, run)
        generator = untrained_generator(self.recipe)
        index = self._similarity.index if self._similarity is not None else None
        return GroundedComponents(PairEncoder(data.words), corpus, models, data.values, generator, index)

    def _tracked_for_training(self, examples: Sequence[Example], seed: int) -> list[tuple[Example, StateTracker]]:
        """Return each example with the tracker of its graph, or of a denser one for the share that the recipe says."""
        from duologue.challenges.spoken.knowledge.denser_graph import denser
        from duologue.challenges.spoken.systems.grounded.dialogue_state import tracker_of

        share, fuzzy = self.recipe.distractors, self.recipe.linking == "fuzzy"
        dense: dict[int, StateTracker] = {}
        found = []
        for one in examples:
            world = self._world(one.sample)
            if not Rng("distractors", seed, one.sample.id).happens(share):
                found.append((one, self._tracker(world)))
                continue
            if id(world) not in dense:  # drawn otherwise than the graph of the benchmark
                dense[id(world)] = tracker_of(denser(world, seed=seed + _OTHER_SEED), fuzzy=fuzzy)
            found.append((one, dense[id(world)]))
        return found

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return triples and a reply for each sample. Raises `UsageError` before `fit` or `load`, or without graph."""
        self._trained()
        answers: dict[int, Answer] = {}
        for at, sample in enumerate(samples):
            asked = self._inquiry(sample)
            if asked is not None:
                answers[at] = Answer(text=asked[1].text, annotation=Annotation(facts=asked[1].facts))
        left = [at for at in range(len(samples)) if at not in answers]
        for at, chosen in zip(left, self.select([samples[at] for at in left]), strict=True):
            text = self._trained().generator.reply(samples[at], chosen.facts, self._world(samples[at]))
            annotation = Annotation(facts=chosen.facts) if chosen.facts else None
            answers[at] = Answer(text=text, annotation=annotation)
        return [answers[at] for at in range(len(samples))]

    def select(
        self,
        samples: Sequence[Sample],
        about: Sequence[Collection[str]] | None = None,
        among: Sequence[Callable[[str, str], bool]] | None = None,
    ) -> list[SelectedTriples]:
        """Return the selected triples of each sample, and the probability that it needs none.

        `about` tells per sample which entities it is about, where somebody knows, and `among` whether an attribute of
        an entity comes into question.
        """
        from duologue.challenges.spoken.systems.grounded.features import NONE
        from duologue.challenges.spoken.systems.grounded.triple_choice import restrict_to, select_triples

        chosen = []
        for start in range(0, len(samples), _CHUNK):
            known = about[start : start + _CHUNK] if about is not None else [()] * _CHUNK
            left = among[start : start + _CHUNK] if among is not None else [None] * _CHUNK
            chunk = list(zip(samples[start : start + _CHUNK], known, left, strict=False))
            seen = [self._encoded_state(sample, names) for sample, names, _ in chunk]
            shares = self._shares([pairs for _, _, pairs in seen])
            for (tracker, state, pairs), (_, names, few), share in zip(seen, chunk, shares, strict=True):
                weighed = restrict_to(pairs, share, [pair[0] in names for pair in pairs.pairs]) if names else share
                if few is not None:
                    weighed = restrict_to(pairs, weighed, [pair != NONE and few(*pair) for pair in pairs.pairs])
                selector = self._trained().selector
                chosen.append(select_triples(pairs, weighed, state, tracker, selector, self.recipe.silence))
        return chosen

    def trace(self, sample: Sample) -> Trace:
        """Return the entity that a sample is about, the query to the graph, and the selected triples."""
        from duologue.challenges.spoken.systems.trace import Trace
        from duologue.knowledge.query import Query, Step

        asked = self._inquiry(sample)
        if asked is not None:
            inquiry, finding = asked
            return Trace(entity=finding.facts[-1].subject, query=inquiry.query, facts=finding.facts)
        facts = self.select([sample])[0].facts
        if not facts:
            return Trace()
        relations = dict.fromkeys(fact.relation for fact in facts)
        entities = tuple(dict.fromkeys(fact.subject for fact in facts))
        step = Step(next(iter(relations)) if len(relations) == 1 else "")
        return Trace(entity=entities[0], query=Query(start=entities, steps=(step,)), facts=facts)

    def _inquiry(self, sample: Sample) -> tuple[Inquiry, Finding] | None:
        """Return the query that a question of several triples is, and what the graph says; `None` for any other."""
        from duologue.challenges.spoken.knowledge.inquiry import find

        if not self.recipe.queries:
            return None
        reader = self._reader(self._world(sample))
        inquiry = reader.read(sample.history)
        finding = find(inquiry, reader.graph) if inquiry is not None else None
        return (inquiry, finding) if inquiry is not None and finding is not None else None

    def _reader(self, world: World) -> QuestionReader:
        from duologue.challenges.spoken.systems.grounded.questions.reader import QuestionReader
        from duologue.knowledge.graph import Graph

        known = self._readers.get(id(world))
        if known is None or known[0] is not world:
            graph = world if isinstance(world, Graph) else Graph(world.name, world)
            known = self._readers[id(world)] = (world, QuestionReader(graph, self._tracker(world).linker))
        return known[1]

    def _encoded_state(
        self, sample: Sample, names: Collection[str] = ()
    ) -> tuple[StateTracker, DialogueState, CandidatePairs]:
        from duologue.challenges.spoken.systems.grounded.features import candidate_pairs

        corpus = self._trained().corpus
        tracker = self._tracker(self._world(sample))
        state = tracker.track(sample.history, names)
        pairs = candidate_pairs(state, tracker, corpus)
        similarity = self._similarities()
        return tracker, state, similarity.extended(state, pairs) if similarity is not None else pairs

    def _ready_encoder(self) -> SentenceEncoder | None:
        """Return the sentence encoder of the recipe, or that of a trained system, loaded once.

        Raises `MissingExtraError` where it is missing.
        """
        if self._encoder is None and self.recipe.encoder != "none":
            self._encoder = self._chosen(self.recipe.encoder).load()
        return self._encoder

    def _chosen(self, name: EncoderName) -> EncoderChoice:
        if self._choice is None:
            self._choice = EncoderChoice.of(name, self.recipe.encoder_folder)
        return self._choice

    def _similarities(self) -> SimilarityFeatures | None:
        from duologue.challenges.spoken.systems.grounded.similarity import SimilarityFeatures

        index, encoder = self._trained().turn_index, self._ready_encoder()
        if self._similarity is None and index is not None and encoder is not None:
            self._similarity = SimilarityFeatures(encoder, index)
        return self._similarity

    def _shares(self, pairs: Sequence[CandidatePairs]) -> list[Any]:
        """Return the probability of each candidate pair, rounded: further digits depend on the batch."""
        from duologue.challenges.spoken.systems.grounded.network import shares

        trained = self._trained()
        trained.encoder.begin()
        rows: list[Choice] = [trained.encoder.row(one) for one in pairs]
        return [share.round(4) for share in shares(trained.models, rows, trained.encoder.collator())] if rows else []

    def _world(self, sample: Sample) -> World:
        found = self._worlds.get(sample.world) if sample.world is not None else None
        if found is None and self._worlds:
            found = next(iter(self._worlds.values()))
        if found is None:
            raise UsageError("'grounded' needs a knowledge graph; give a file in the format of kg.json with --kg")
        return found

    def _tracker(self, world: World) -> StateTracker:
        from duologue.challenges.spoken.systems.grounded.dialogue_state import tracker_of

        known = self._trackers.get(id(world))
        if known is None or known[0] is not world:
            known = self._trackers[id(world)] = (world, tracker_of(world, fuzzy=self.recipe.linking == "fuzzy"))
        return known[1]

    def save(self, folder: Path) -> None:
        """Write vocabulary, weights, value selector and generator, and the user's encoder."""
        from duologue.challenges.spoken.systems.grounded.components import save_components

        save_components(self._trained(), self.seen, folder)
        if self.recipe.encoder != "none":
            self._chosen(self.recipe.encoder).save(folder)

    def load(self, folder: Path) -> None:
        """Take up what `save` wrote; raises `StorageError` when a file is missing or damaged."""
        from duologue.challenges.spoken.systems.grounded.components import load_components

        choice = None if self.recipe.encoder == "none" else EncoderChoice.beside(self.recipe.encoder, folder)
        self._learned, self.seen = load_components(self.recipe, choice, folder)
        if choice is not None and choice.folder is not None:
            self._encoder = None  # another than that of the recipe's folder
        self._choice, self._similarity = choice, None
        self._trackers.clear()
        self._readers.clear()


def _graph_of(examples: Sequence[Example]) -> World:
    from duologue.knowledge.graph import Graph

    return Graph("made of replies", dict.fromkeys(fact for one in examples for fact in gold_facts(one)))
