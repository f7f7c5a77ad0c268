"""The learned ranker: a neural candidate ranker trained on simulated dialogues, without a hand-written policy.

Utterances are delexicalised by looking their words up in the knowledge base (`delex`), samples become
numbers (`features`), a small network scores the candidates (`network.model`). Two regimes, declared
beside every score: `closed` is trained on knowledge base 1 and its five slots, `open` on random schemas as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from duologue.challenges.restaurant.formats.domain_file import open_domain
from duologue.challenges.restaurant.knowledge.facts import parse_fact
from duologue.challenges.restaurant.schema.domain import RESTAURANT
from duologue.challenges.restaurant.systems.ranker.delex import KbLexicon
from duologue.core.bounds import Positive, Probability
from duologue.core.errors import UsageError
from duologue.core.held_out import draw_order, split_by_group
from duologue.core.progress import tracked
from duologue.core.protocols import TrainingData
from duologue.core.records import Answer, Record
from duologue.core.scope import Scope
from duologue.models.trained_system import WEIGHTS, TrainedSystem
from duologue.models.training_recipe import TrainingRecipe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.restaurant.systems.ranker.features import FeatureExtractor, Vocabulary
    from duologue.challenges.restaurant.systems.ranker.network.batches import RankerRow
    from duologue.challenges.restaurant.systems.ranker.network.model import DialogueRanker
    from duologue.core.protocols import Progress, Run, Task, TaskInfo, World
    from duologue.core.records import Example, Fact, Sample
    from duologue.models.trained_system import Networks

_CHUNK = 256  # samples per batch of inference
_DIGITS = 3  # of a score: below that, sums depend on what else is in the batch


class RankerRecipe(TrainingRecipe, frozen=True):
    """Training data, network size and training schedule of the ranker."""

    regime: Literal["closed", "open"] = "closed"
    """`closed`: knowledge base 1 and its five slots. `open`: mostly random schemas."""
    domain: str | None = None
    """A shipped domain (`cinema`, `hotel`) or the path of a domain file in the place of the challenge's own."""
    dialogues: Positive = 6000
    """Simulated training dialogues per subtask on average: of whole dialogues (subtask 5) there are twice as many."""
    held_out: Positive = 300
    """Simulated held-out dialogues per subtask, which select the best epoch."""
    schemas: Positive = 600
    """Open regime: number of random schemas."""
    standard: Probability = 0.3
    """Open regime: share of the dialogues in knowledge base 1."""
    rare: Probability = 0.02
    """Words that occur in a smaller share of the schemas become the unknown word."""
    width: Positive = 64
    """Vector size of words, utterances and turns."""
    hidden: Positive = 128
    """Hidden size of the layer that scores a candidate."""
    word_dropout: Probability = 0.03
    """Share of words replaced by the unknown word in training."""

    @classmethod
    def tiny(cls) -> RankerRecipe:
        """Return a recipe that trains in seconds, for tests of what a ranker must keep to, not of what it knows."""
        return cls(dialogues=30, held_out=10, schemas=3, epochs=1, width=16, hidden=16, batch=32)


class RankerCard(Record, frozen=True, kw_only=True):
    """What a saved ranker needs besides its weights."""

    words: list[str]
    """The vocabulary."""


class LearnedRanker(NamedTuple):
    """The network with its vocabulary."""

    model: DialogueRanker
    vocabulary: Vocabulary


class Ranker(TrainedSystem[RankerRecipe, LearnedRanker]):
    """Rank candidates by a network trained on simulated dialogues (a `Trainable`).

    Words are looked up in a knowledge base given to `prepare`: the one that a sample names, or the only one. A
    sample without one is delexicalised by the fact lines of its own history.
    """

    Recipe: type[Record] = RankerRecipe
    scope = Scope(tasks=("restaurant",))
    extras = ("models",)
    name = "ranker"
    Card, card_file = RankerCard, "ranker.json"
    chunk = _CHUNK
    """Samples that are asked for at once."""

    def __init__(self, recipe: RankerRecipe | None = None) -> None:
        super().__init__(recipe)
        self.seen = _seen(self.recipe)
        self._worlds: dict[str, KbLexicon] = {}

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Use the given knowledge bases for delexicalisation from now on."""
        super().prepare(info, seed, worlds)
        self._worlds = {name: KbLexicon(world) for name, world in worlds.items()}

    def make_training_data(self, task: Task, seed: int, progress: Progress | None) -> TrainingData:
        """Return simulated training and held-out examples, and keep the knowledge bases they are set in.

        Raises `UsageError` for any task but `restaurant`.
        """
        from duologue.challenges.restaurant.systems.ranker.training_data import (  # a simulator is not for listing
            closed_training_data,
            open_training_data,
        )

        if task.info.name != "restaurant":
            raise UsageError(f"the ranker makes training data for task 'restaurant' only, found '{task.info.name}'")
        recipe = self.recipe
        domain = RESTAURANT if recipe.domain is None else open_domain(recipe.domain)
        if recipe.regime == "closed":
            data = closed_training_data(recipe.dialogues, recipe.held_out, seed, progress, domain)
        else:
            data = open_training_data(
                recipe.dialogues, recipe.held_out, recipe.schemas, recipe.standard, seed, progress, domain
            )
        self._worlds = {name: KbLexicon(facts) for name, facts in data.worlds.items()}
        return TrainingData(data.examples, data.held_out)

    def _learn(self, examples: Sequence[Example], held_out: Sequence[Example], run: Run) -> tuple[LearnedRanker, str]:
        """Train on examples with answers; without held-out ones a tenth of the dialogues is held out."""
        from duologue.challenges.restaurant.systems.ranker.features import FeatureExtractor, Vocabulary  # needs numpy
        from duologue.challenges.restaurant.systems.ranker.network.learner import learner  # needs torch
        from duologue.models.train import TrainConfig, train

        if not held_out:
            dialogues = draw_order((one.sample.dialogue_id for one in examples), run.seed)
            apart = set(dialogues[: max(1, len(dialogues) // 10)])
            examples, held_out = split_by_group(examples, lambda one: one.sample.dialogue_id, apart)
        extractor, lexicons = FeatureExtractor(), _Lexicons(self._worlds)
        rows = _rows(examples, extractor, lexicons, run.progress)
        vocabulary = Vocabulary.of(lexicons.used, rare=self.recipe.rare)
        judged = _rows(held_out, extractor, lexicons, run.progress)
        model = self._new_model(vocabulary, run.seed)
        task = learner(model, *extractor.numbers(vocabulary))
        train(task, rows, judged, TrainConfig.of(self.recipe, fused=True), run)
        return LearnedRanker(model, vocabulary), self.seen

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return a ranking of each sample's candidates; equal scores keep the order of the candidates.

        Raises `UsageError` before `fit` or `load`.
        """
        from duologue.challenges.restaurant.systems.ranker.features import FeatureExtractor  # needs numpy
        from duologue.challenges.restaurant.systems.ranker.network.learner import scores  # needs torch

        model, vocabulary = self._trained()
        lexicons = _Lexicons(self._worlds)
        answers: list[Answer] = [Answer(ranking=())] * len(samples)
        order = sorted(range(len(samples)), key=lambda place: len(samples[place].history))
        for start in range(0, len(order), _CHUNK):
            places = [place for place in order[start : start + _CHUNK] if samples[place].candidates]
            extractor = FeatureExtractor()
            rows = [extractor.row(samples[place], lexicons.of(samples[place])) for place in places]
            utterances, names = extractor.numbers(vocabulary)
            for place, scored in zip(places, scores(model, rows, utterances, names), strict=True):
                answers[place] = Answer(ranking=_ranking(samples[place], scored))
        return answers

    def _networks(self, learned: LearnedRanker) -> Networks:
        return {WEIGHTS: learned.model}

    def _card(self, learned: LearnedRanker) -> RankerCard:
        return RankerCard(words=list(learned.vocabulary.words))

    def _restored(self, card: RankerCard) -> LearnedRanker:
        from duologue.challenges.restaurant.systems.ranker.features import Vocabulary  # needs numpy

        vocabulary = Vocabulary(card.words)
        return LearnedRanker(self._new_model(vocabulary, 0), vocabulary)

    def _new_model(self, vocabulary: Vocabulary, seed: int) -> DialogueRanker:
        from duologue.challenges.restaurant.systems.ranker.features import CATEGORIES, MARKERS, RANKINGS  # needs numpy
        from duologue.challenges.restaurant.systems.ranker.network.learner import new_ranker  # needs torch
        from duologue.challenges.restaurant.systems.ranker.network.model import RankerSize

        size = RankerSize(
            vocabulary=len(vocabulary),
            categories=tuple(CATEGORIES.values()),
            rankings=tuple(RANKINGS.values()),
            width=self.recipe.width,
            hidden=self.recipe.hidden,
            word_dropout=self.recipe.word_dropout,
            markers=len(MARKERS),
        )
        return new_ranker(size, seed)


def _seen(recipe: RankerRecipe) -> str:
    where = "knowledge base 1 and its five slots"
    if recipe.domain is not None:
        where = f"knowledge base 1 of domain {recipe.domain.replace(chr(92), '/').rsplit('/', 1)[-1]} and its slots"
    if recipe.regime == "open":
        where = f"{recipe.schemas} invented schemas and {where}"
    return f"{recipe.regime}: {recipe.dialogues} simulated dialogues per subtask on average, {where}"


class _Lexicons:
    """Chooses the lexicon of each sample."""

    def __init__(self, worlds: Mapping[str, KbLexicon]) -> None:
        self._worlds = worlds
        self._only = next(iter(worlds.values())) if len(worlds) == 1 else None
        self._used: dict[int, KbLexicon] = {}

    def of(self, sample: Sample) -> KbLexicon:
        """Return the lexicon of the world that the sample names, the only one there is, or one of its own facts."""
        lexicon = self._worlds.get(sample.world) if sample.world is not None else None
        lexicon = lexicon or self._only or KbLexicon((*sample.knowledge, *_told(sample)))
        self._used[id(lexicon)] = lexicon
        return lexicon

    @property
    def used(self) -> list[KbLexicon]:
        """The lexicons that samples were read with, in the order of their first use."""
        return list(self._used.values())


def _told(sample: Sample) -> list[Fact]:
    """Return the facts in the lines of the history."""
    facts = (parse_fact(turn.text) for turn in sample.history if turn.speaker == "api")
    return [fact for fact in facts if fact is not None]


def _rows(
    examples: Sequence[Example], extractor: FeatureExtractor, lexicons: _Lexicons, progress: Progress | None
) -> list[RankerRow]:
    """Return examples as rows with their answers; raises `UsageError` for one whose answer is not among them."""
    rows = []
    for example in tracked(examples, progress, "reading dialogues"):
        sample = example.sample
        ranking = example.references[0].ranking if example.references else None
        row = extractor.row(sample, lexicons.of(sample), target=ranking[0] if ranking else None)
        if row.target < 0:
            raise UsageError(f"sample '{sample.id}' has no answer among its candidates; training needs one in each")
        rows.append(row)
    return rows


def _ranking(sample: Sample, scored: Sequence[float]) -> tuple[str, ...]:
    """Return candidate ids, best first; candidates of equal text have the score of the first of them."""
    of_text: dict[str, float] = {}
    for candidate, score in zip(sample.candidates, scored, strict=True):
        of_text.setdefault(candidate.text, round(score, _DIGITS))
    ordered = sorted(sample.candidates, key=lambda candidate: -of_text[candidate.text])
    return tuple(candidate.id for candidate in ordered)
