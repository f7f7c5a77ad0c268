"""The system `grounded`: it finds what a question is about in the graph at hand, and replies with it.

Names are linked exactly, by sound and with one error (`entity_linker`); the dialogue is tracked by names and by values
that were said (`dialogue_state`); small networks rank (entity, attribute) pairs by features and words, none of which
names an entity (`features`, `network`); the triples of the highest expected F1 are taken (`triple_choice`) and said by
the template-based generator. The graph is read at run time: another one needs no new training.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from duologue.challenges.spoken.systems.template_nlg.recipe import ReplierRecipe
from duologue.core.errors import UsageError
from duologue.core.records import Annotation, Answer, Record
from duologue.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.spoken.systems.asr_correction.corrector import Repairer
    from duologue.challenges.spoken.systems.grounded.dialogue_state import Situation, Tracker
    from duologue.challenges.spoken.systems.grounded.encoder import Reader, Words
    from duologue.challenges.spoken.systems.grounded.features import Background, Pairs
    from duologue.challenges.spoken.systems.grounded.triple_choice import Chosen, Values
    from duologue.challenges.spoken.systems.template_nlg.generator import Replier
    from duologue.challenges.spoken.systems.trace import Trace
    from duologue.core.protocols import Brief, Progress, Run, Task, World
    from duologue.core.records import Example, Fact, Sample
    from duologue.models.utility import Choice, UtilityRanker

CARD, REPAIR = "grounded.json", "repair.json"
_CHUNK = 32  # situations that are ranked at once
_COMMON = 2  # turns that a piece must be in more than, to be kept as common

Positive = Annotated[int, msgspec.Meta(ge=1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class GroundedRecipe(Record, frozen=True):
    """How names are found, when nothing is looked up, how the ranker is trained."""

    linking: Literal["fuzzy", "exact"] = "fuzzy"
    """`exact` finds names as they are written alone, punctuation and case apart (an ablation)."""
    repair: bool = True
    """Whether questions are mended before their words are read (an ablation where not)."""
    silence: Share = 0.9
    """Share of "no knowledge needed" above which no triple is chosen. A lower one is right more often where none is
    needed and wrong more often where some is; questions of the tests nearly always need some."""
    members: Positive = 3
    """Networks whose shares are averaged; each holds out other dialogues."""
    epochs: Positive = 4
    batch: Positive = 32
    """Samples per step, each with all its candidates."""
    learning_rate: Annotated[float, msgspec.Meta(gt=0)] = 2e-3
    weight_decay: Annotated[float, msgspec.Meta(ge=0)] = 0.02
    width: Positive = 48
    """Numbers per word."""
    hidden: Positive = 48
    dropout: Share = 0.3
    word_dropout: Share = 0.3
    """Share of words not read in training."""
    rare: Positive = 2
    """Words that fewer dialogues have are not read."""
    held_out: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.1
    """Share of the training dialogues that decides which weights are best."""
    checkpoint_seconds: Annotated[float, msgspec.Meta(ge=0)] = 20.0
    """Time between checkpoints."""
    threads: Positive = 1
    """Processor threads in training; another number gives other last bits."""
    replies: ReplierRecipe = ReplierRecipe()
    """How replies are chosen, and how that is trained."""

    @classmethod
    def tiny(cls) -> GroundedRecipe:
        """Return a recipe that trains in seconds, for tests of what a system must keep to, not of what it knows."""
        replies = ReplierRecipe.tiny()
        return cls(members=1, epochs=1, batch=8, width=8, hidden=8, rare=1, held_out=0.3, repair=False, replies=replies)


class Grounded:
    """Choose triples of the graph at hand and reply with them (a `Trainable`)."""

    Recipe: type[Record] = GroundedRecipe
    scope = Scope(tasks=("spoken",))
    extras = ("models", "zh")

    def __init__(self, recipe: GroundedRecipe | None = None) -> None:
        self.recipe = recipe or GroundedRecipe()
        self.seen: str = "nothing yet: train it first"
        self._worlds: dict[str, World] = {}
        self._trackers: dict[int, tuple[World, Tracker]] = {}
        self._models: list[UtilityRanker] = []
        self._words: Words | None = None
        self._reader: Reader | None = None
        self._background: Background | None = None
        self._values: Values | None = None
        self._repairer: Repairer | None = None
        self._replier: Replier | None = None

    def prepare(self, brief: Brief, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # no chance is left in a trained system
        """Take the graphs and index them; of 38,000 entities that takes seconds."""
        self._worlds = dict(worlds)
        for world in self._worlds.values():
            self._tracker(world)
            if self._replier is not None:
                self._replier.ready(world)

    def practice(self, task: Task, seed: int, progress: Progress | None) -> tuple[list[Example], list[Example]]:  # noqa: ARG002  # there is nothing to practise on
        """Raise `UsageError`: it learns from dialogues of people."""
        raise UsageError(
            f"'grounded' learns from dialogues of people, and task '{task.brief.name}' makes none of its own; "
            "give files with --train and the graph with --kg"
        )

    def fit(
        self,
        examples: Sequence[Example],
        held_out: Sequence[Example],
        unlabelled: Sequence[Example],  # noqa: ARG002  # turns without replies teach it nothing
        run: Run,
    ) -> None:
        """Learn from samples with replies and triples; interrupted, it goes on from its checkpoints to the same model.

        What is held out decides which weights are best, and nothing else; without it each part holds some dialogues
        out.
        Without a graph in `run.worlds` the triples of the replies make one. Raises `UsageError` for examples of which
        none has triples that can be found.
        """
        from duologue.challenges.spoken.systems.grounded.trainer import Course, background_of, train_members
        from duologue.challenges.spoken.systems.template_nlg.generator import Replier

        examples, judged = (
            [one for one in part if one.references and one.references[0].text is not None]
            for part in (examples, held_out)
        )
        self._worlds = dict(run.worlds) or {"": _graph_of(examples)}
        world = next(iter(self._worlds.values()))
        if self.recipe.repair:
            self._repairer = _repairer(examples, world, run.seed)
        self._trackers.clear()
        self._background = background_of(examples, most=_COMMON)
        course = Course.of(
            [(one, self._tracker(self._world(one.sample))) for one in examples], self._background, self.recipe.rare,
            progress=run.progress,
        )  # fmt: skip
        self._words, self._values = course.words, course.values
        tests = course.rows_of([(one, self._tracker(self._world(one.sample))) for one in judged], self._background)
        if held_out and not tests:
            raise UsageError("no triple of the held-out dialogues is in the graph; is it the graph of these dialogues?")
        self._models = train_members(course, tests, self.recipe, run)
        mend = None if self._repairer is None else self._repairer.repair
        self._replier = Replier.learn(examples, world, run, self.recipe.replies, judged=judged, mend=mend)
        dialogues = len({one.sample.dialogue_id for one in examples})
        self.seen = f"{len(examples)} replies of {dialogues} training dialogues of people"

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return triples and a reply for each sample. Raises `UsageError` before `fit` or `load`, or without graph."""
        answers = []
        for sample, chosen in zip(samples, self.select(samples), strict=True):
            text = self._ready_replier().reply(sample, chosen.facts, self._world(sample))
            annotation = Annotation(facts=chosen.facts) if chosen.facts else None
            answers.append(Answer(text=text, annotation=annotation))
        return answers

    def select(self, samples: Sequence[Sample], about: Sequence[Collection[str]] | None = None) -> list[Chosen]:
        """Return the triples for each sample, and how likely it needs none.

        `about` tells per sample which entities it is about, where somebody knows.
        """
        from duologue.challenges.spoken.systems.grounded.triple_choice import choose, only_about

        chosen = []
        for start in range(0, len(samples), _CHUNK):
            known = about[start : start + _CHUNK] if about is not None else [()] * _CHUNK
            chunk = list(zip(samples[start : start + _CHUNK], known, strict=False))
            seen = [self._seen(sample, names) for sample, names in chunk]
            shares = self._shares([pairs for _, _, pairs in seen])
            for (tracker, now, pairs), (_, names), share in zip(seen, chunk, shares, strict=True):
                weighed = only_about(pairs, share, names) if names else share
                chosen.append(choose(pairs, weighed, now, tracker, self._ready_values(), self.recipe.silence))
        return chosen

    def trace(self, sample: Sample) -> Trace:
        """Return which entity a sample was found to be about, what was looked up, and the triples."""
        from duologue.challenges.spoken.systems.trace import Trace
        from duologue.knowledge.query import Query, Step

        facts = self.select([sample])[0].facts
        if not facts:
            return Trace()
        relations = dict.fromkeys(fact.relation for fact in facts)
        entities = tuple(dict.fromkeys(fact.subject for fact in facts))
        step = Step(next(iter(relations)) if len(relations) == 1 else "")
        return Trace(entity=entities[0], query=Query(start=entities, steps=(step,)), facts=facts)

    def _seen(self, sample: Sample, names: Collection[str] = ()) -> tuple[Tracker, Situation, Pairs]:
        from duologue.challenges.spoken.systems.grounded.features import pairs_of

        if self._background is None:
            raise UsageError("'grounded' has not learned yet; train it, or load a trained one")
        tracker = self._tracker(self._world(sample))
        now = tracker.situation(sample.history, names)
        return tracker, now, pairs_of(now, tracker, self._background)

    def _shares(self, pairs: Sequence[Pairs]) -> list[Any]:
        """Return the shares of each situation's pairs, rounded: below that, sums depend on the batch."""
        from duologue.challenges.spoken.systems.grounded.network import shares

        reader = self._ready_reader()
        reader.begin()
        rows: list[Choice] = [reader.row(one) for one in pairs]
        return [share.round(4) for share in shares(self._models, rows, reader.collator())] if rows else []

    def _world(self, sample: Sample) -> World:
        found = self._worlds.get(sample.world) if sample.world is not None else None
        if found is None and self._worlds:
            found = next(iter(self._worlds.values()))
        if found is None:
            raise UsageError("'grounded' needs a knowledge graph; give a file in the format of kg.json with --kg")
        return found

    def _tracker(self, world: World) -> Tracker:
        from duologue.challenges.spoken.systems.grounded.room import tracker_of

        known = self._trackers.get(id(world))
        if known is None or known[0] is not world:
            mend = None
            if self._repairer is not None:
                mend = self._repairer.knowing(dict.fromkeys(fact.subject for fact in world)).repair
            known = self._trackers[id(world)] = (
                world,
                tracker_of(world, fuzzy=self.recipe.linking == "fuzzy", mend=mend),
            )
        return known[1]

    def _ready_reader(self) -> Reader:
        from duologue.challenges.spoken.systems.grounded.encoder import Reader

        if self._words is None or not self._models:
            raise UsageError("'grounded' has not learned yet; train it, or load a trained one")
        if self._reader is None or self._reader.words is not self._words:  # its dictionaries take as long as an answer
            self._reader = Reader(self._words)
        return self._reader

    def _ready_values(self) -> Values:
        if self._values is None:
            raise UsageError("'grounded' has not learned yet; train it, or load a trained one")
        return self._values

    def _ready_replier(self) -> Replier:
        if self._replier is None:
            raise UsageError("'grounded' has not learned yet; train it, or load a trained one")
        return self._replier

    def save(self, folder: Path) -> None:
        """Write the words, the weights, what is known of values, the repairer and the replier."""
        from duologue.challenges.spoken.systems.grounded.model_card import Card  # needs numpy
        from duologue.models.weights import save_weights  # needs torch

        values, replier = self._ready_values(), self._ready_replier()
        if self._words is None or self._background is None:
            raise UsageError("there is nothing to save: 'grounded' has not learned yet")
        for number, model in enumerate(self._models):
            save_weights(model, folder / _weights(number))
        background = self._background
        card = Card(
            words=self._words,
            values=values,
            common=dict(background.common),
            attributes=dict(background.attributes),
            seen=self.seen,
        )
        card.save(folder / CARD)
        if self._repairer is not None:
            self._repairer.save(folder / REPAIR)
        replier.save(folder)

    def load(self, folder: Path) -> None:
        """Take up what `save` wrote; raises `StorageError` when a file is missing or damaged."""
        from duologue.challenges.spoken.systems.asr_correction.corrector import Repairer
        from duologue.challenges.spoken.systems.grounded.features import Background
        from duologue.challenges.spoken.systems.grounded.model_card import Card  # needs numpy
        from duologue.challenges.spoken.systems.grounded.trainer import new_model
        from duologue.challenges.spoken.systems.template_nlg.generator import Replier
        from duologue.models.weights import load_weights  # needs torch

        card = Card.load(folder / CARD)
        self._words, self._values, self.seen = card.words, card.values, card.seen
        self._background = Background(card.common, card.attributes)
        self._models = []
        for number in range(self.recipe.members):
            model = new_model(card.words, self.recipe, 0)
            load_weights(model, folder / _weights(number))
            self._models.append(model.eval())
        self._repairer = Repairer.load(folder / REPAIR) if self.recipe.repair else None
        self._replier = Replier.load(folder)
        self._trackers.clear()


def _weights(number: int) -> str:
    return f"weights-{number}.safetensors"


def _graph_of(examples: Sequence[Example]) -> World:
    from duologue.knowledge.graph import Graph

    return Graph("made of replies", dict.fromkeys(fact for one in examples for fact in facts_in(one)))


def facts_in(example: Example) -> tuple[Fact, ...]:
    """Return the triples of an example's reply."""
    annotation = example.references[0].annotation if example.references else None
    return annotation.facts if annotation is not None else ()


def _repairer(examples: Sequence[Example], world: World, seed: int) -> Repairer:
    """Learn to mend from the turns that are clean, and the names of the graph."""
    from duologue.challenges.spoken.systems.asr_correction.clean_texts import clean_texts_of
    from duologue.challenges.spoken.systems.asr_correction.corrector import Repairer

    return Repairer.learn(clean_texts_of(examples), dict.fromkeys(fact.subject for fact in world), seed=seed)


def chance_of(name: str, seed: int) -> float:
    """Return a number from 0 to 1 that a name and a seed decide."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode("utf-8", "surrogatepass")).digest()[:6], "big") / 2**48
