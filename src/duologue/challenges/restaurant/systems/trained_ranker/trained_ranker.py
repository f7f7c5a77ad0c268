"""Base class of learned rankers: simulated training data, a lexicon per sample, a ranking made of scores.

A ranker says only how it learns from examples and how it scores candidates. Two regimes, declared beside every score:
`closed` is trained on knowledge base 1 and its five slots, `open` on random schemas as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeVar

from duologue.challenges.restaurant.formats.domain_file import open_domain
from duologue.challenges.restaurant.schema.domain import RESTAURANT
from duologue.challenges.restaurant.systems.trained_ranker.delex import KbLexicon
from duologue.challenges.restaurant.systems.trained_ranker.lexicons import Lexicons
from duologue.core.bounds import Positive, Probability
from duologue.core.errors import UsageError
from duologue.core.gc_pause import gc_paused
from duologue.core.held_out import draw_order, split_by_group
from duologue.core.progress import tracked
from duologue.core.protocols import TrainingData
from duologue.core.records import Answer
from duologue.core.scope import Scope
from duologue.models.trained_system import WEIGHTS, TrainedSystem
from duologue.models.training_recipe import TrainingRecipe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duologue.challenges.restaurant.systems.trained_ranker.network import Targeted, WithModel
    from duologue.core.protocols import Progress, Run, Task, TaskInfo, World
    from duologue.core.records import Example, Sample
    from duologue.models.trained_system import Networks

_CHUNK = 1024  # samples asked for at once: the more, the more alike are those of a batch
_BATCH = 128  # samples per batch of inference
_DIGITS = 3  # of a score: below that, sums depend on what else is in the batch


class SimulationRecipe(TrainingRecipe, frozen=True):
    """Simulated training data and training schedule of a ranker."""

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


R = TypeVar("R", bound=SimulationRecipe)
P = TypeVar("P", bound="WithModel")
Row = TypeVar("Row")


class TrainedRanker(TrainedSystem[R, P]):
    """Rank candidates by scores learned from simulated dialogues (a `Trainable`).

    Words are looked up in a knowledge base given to `prepare`: the one that a sample names, or the only one. A
    sample without one is read with the fact lines of its own history.
    """

    scope = Scope(tasks=("restaurant",))
    extras = ("models",)
    chunk = _CHUNK
    """Samples that are asked for at once."""

    def __init__(self, recipe: R | None = None) -> None:
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
        from duologue.challenges.restaurant.systems.trained_ranker.training_data import (  # not for listing
            closed_training_data,
            open_training_data,
        )

        if task.info.name != "restaurant":
            raise UsageError(
                f"the {self.name} makes training data for task 'restaurant' only, found '{task.info.name}'"
            )
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

    def _learn(self, examples: Sequence[Example], held_out: Sequence[Example], run: Run) -> tuple[P, str]:
        """Train on examples with answers; without held-out ones a tenth of the dialogues is held out."""
        if not held_out:
            dialogues = draw_order((one.sample.dialogue_id for one in examples), run.seed)
            apart = set(dialogues[: max(1, len(dialogues) // 10)])
            examples, held_out = split_by_group(examples, lambda one: one.sample.dialogue_id, apart)
        return self._learn_to_score(examples, held_out, Lexicons(self._worlds), run), self.seen

    def _learn_to_score(
        self, examples: Sequence[Example], held_out: Sequence[Example], lexicons: Lexicons, run: Run
    ) -> P:
        """Return the parts learned from examples whose right candidates are known (`place_of_answer`)."""
        raise NotImplementedError

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return a ranking of each sample's candidates; equal scores keep the order of the candidates.

        Raises `UsageError` before `fit` or `load`.
        """
        learned, lexicons = self._trained(), Lexicons(self._worlds)
        answers: list[Answer] = [Answer(ranking=())] * len(samples)
        spoken = [sum(turn.speaker != "api" for turn in sample.history) for sample in samples]  # facts are one turn
        order = sorted((place for place, one in enumerate(samples) if one.candidates), key=spoken.__getitem__)
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            scored = self._scores(learned, [samples[place] for place in places], lexicons)
            for place, of_sample in zip(places, scored, strict=True):
                answers[place] = Answer(ranking=_ranking(samples[place], of_sample))
        return answers

    def _scores(self, learned: P, samples: Sequence[Sample], lexicons: Lexicons) -> list[list[float]]:
        """Return the score of every candidate of every sample, the higher the better; each has candidates."""
        from duologue.challenges.restaurant.systems.trained_ranker.network import scores  # needs torch

        batch = self._batch(learned, samples, lexicons)
        return scores(learned.model, batch, [len(sample.candidates) for sample in samples])

    def _batch(self, learned: P, samples: Sequence[Sample], lexicons: Lexicons) -> Targeted:
        """Return samples, each with candidates, as the input of the network, which scores them in their order."""
        raise NotImplementedError

    def _networks(self, learned: P) -> Networks:
        return {WEIGHTS: learned.model}


@gc_paused()
def rows_of(examples: Sequence[Example], read: Callable[[Sample, int], Row], progress: Progress | None) -> list[Row]:
    """Return examples as `read` makes them of a sample and the place of its answer.

    Raises `UsageError` for an example whose answer is not among its candidates.
    """
    return [read(one.sample, place_of_answer(one)) for one in tracked(examples, progress, "reading dialogues")]


def place_of_answer(example: Example) -> int:
    """Return the place of the right candidate; raises `UsageError` where none is among the candidates."""
    ranking = example.references[0].ranking if example.references else None
    for place, candidate in enumerate(example.sample.candidates):
        if ranking and candidate.id == ranking[0]:
            return place
    raise UsageError(f"sample '{example.sample.id}' has no answer among its candidates; training needs one in each")


def _seen(recipe: SimulationRecipe) -> str:
    where = "knowledge base 1 and its five slots"
    if recipe.domain is not None:
        where = f"knowledge base 1 of domain {recipe.domain.replace(chr(92), '/').rsplit('/', 1)[-1]} and its slots"
    if recipe.regime == "open":
        where = f"{recipe.schemas} invented schemas and {where}"
    return f"{recipe.regime}: {recipe.dialogues} simulated dialogues per subtask on average, {where}"


def _ranking(sample: Sample, scored: Sequence[float]) -> tuple[str, ...]:
    """Return candidate ids, best first; candidates of equal text have the score of the first of them."""
    of_text: dict[str, float] = {}
    for candidate, score in zip(sample.candidates, scored, strict=True):
        of_text.setdefault(candidate.text, round(score, _DIGITS))
    ordered = sorted(sample.candidates, key=lambda candidate: -of_text[candidate.text])
    return tuple(candidate.id for candidate in ordered)
