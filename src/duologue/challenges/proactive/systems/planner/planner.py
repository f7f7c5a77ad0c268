"""The planner system: retrieve templates, fill them, drop those that violate the plan, rank the rest by a network.

Candidates are templates of the training dialogues filled from goal and knowledge (`template_index`); the constraints of
`plan` ensure the way from A to B; a small network (`duologue.models.utility`) predicts the utility of each candidate;
clauses of the best candidates are put together anew (`recombination`), and of such replies the best is said
(`second_choice`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.proactive.knowledge import topics_of
from duologue.challenges.proactive.systems.holdout import split
from duologue.challenges.proactive.systems.planner.features import NAMES
from duologue.challenges.proactive.systems.planner.recipe import PlannerRecipe
from duologue.challenges.proactive.systems.planner.reply_choice import LearnedPlanner, ReplyChoice
from duologue.challenges.proactive.systems.planner.reply_generator import ReplyGenerator
from duologue.challenges.proactive.systems.planner.reranking_task import TARGETS, TurnRerankingTask
from duologue.challenges.proactive.systems.planner.second_choice import SecondChoice
from duologue.challenges.proactive.systems.planner.second_choice_trainer import with_second_choice
from duologue.challenges.proactive.systems.planner.state import state_of
from duologue.challenges.proactive.systems.planner.template_index import (
    AgentTurn,
    AgentTurnIndex,
    agent_turns_of,
    pair_of,
)
from duologue.challenges.proactive.systems.planner.user_turn import ACKNOWLEDGEMENT, asked_of, refuses
from duologue.challenges.proactive.systems.planner.variety import OwnWords, Variety, WordFrequencies, word_frequencies
from duologue.challenges.proactive.systems.planner.word_model import WordModel
from duologue.core.progress import tracked
from duologue.core.records import Answer, Record
from duologue.core.scope import Scope
from duologue.models.choices import ChoiceEncoder, UtilitySize, frequent_words
from duologue.models.trained_system import WEIGHTS, TrainedSystem, read_json, write_json
from duologue.retrieval.reranker import Reranker, RerankingExample

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.proactive.systems.planner.reply_choice import ReplyCandidates
    from duologue.challenges.proactive.systems.planner.slots import Filling
    from duologue.challenges.proactive.systems.planner.state import PlannerState
    from duologue.challenges.proactive.systems.planner.template_index import TurnCandidate
    from duologue.core.protocols import Run, TaskInfo, World
    from duologue.core.records import Example, Sample
    from duologue.models.trained_system import Networks

ENTRIES = "bank.json"
"""File of the index."""
WORD_WEIGHTS = "words.safetensors"
"""File of the word model."""
GENERATOR_WEIGHTS = "generator.safetensors"
"""File of the reply generator."""
GENERATOR = "generator"
"""Folder of its checkpoints."""
_CHUNK = 32  # samples scored at once


class PlannerCard(Record, frozen=True, kw_only=True):
    """What a saved planner needs besides weights and index."""

    situation_words: list[str]
    template_words: list[str]
    word_frequencies: WordFrequencies
    """Word frequencies of all replies."""
    openings: WordFrequencies
    """Word frequencies of first turns."""
    own_words: OwnWords | None = None
    """What the planner itself says; older planners do not know them, nor the next two."""
    reply_words: list[str] = []
    """What the word model predicts."""
    second_choice: list[float] = []
    """Weights of the second choice; empty without one."""
    generator_words: list[str] | None = None
    """Vocabulary of the reply generator; `None` without one, as in older planners."""
    seen: str


class Planner(TrainedSystem[PlannerRecipe, LearnedPlanner]):
    """Lead from A to B with human replies, refilled with the sample's facts and ranked by a network."""

    Recipe: type[Record] = PlannerRecipe
    scope = Scope(tasks=("proactive",))
    extras: tuple[str, ...] = ("models",)
    name, training_files = "planner", "FILE.jsonl[.gz]"
    Card, card_file = PlannerCard, "planner.json"

    def __init__(self, recipe: PlannerRecipe | None = None) -> None:
        super().__init__(recipe)
        self._live = False
        if not self.recipe.rerank:
            self.extras = ()

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Note whether a person or a simulated user is on the other side."""
        super().prepare(info, seed, worlds)
        self._live = info.live

    def _learn(self, examples: Sequence[Example], held_out: Sequence[Example], run: Run) -> tuple[LearnedPlanner, str]:
        """Train on samples with replies.

        Some pairs of topics are put aside: the second choice is fitted to them, and without held-out samples they
        choose the weights too. The final index has their turns as well.
        """
        recipe = self.recipe
        examples = [one for one in examples if one.references and one.references[0].text]
        own, second = not held_out, recipe.rerank and recipe.recombine and recipe.second_choice
        training, aside = split(examples, recipe.held_out, run.seed) if own or second else (list(examples), [])
        validation = aside if own else list(held_out)
        task = TurnRerankingTask(
            AgentTurnIndex(agent_turns_of([self._masked(one) for one in training], run.progress)), recipe
        )
        states = (task.state_words(state_of(self._masked_sample(one.sample))) for one in training)
        rare = recipe.rare
        reranker = self._new_reranker(
            task, ChoiceEncoder(frequent_words(states, rare), frequent_words(task.template_words(), rare))
        )
        if recipe.rerank:
            self._train(reranker, training, validation, run)
        said = [((one.references[0].text or "").split(), not one.sample.history) for one in examples]
        variety = Variety(
            word_frequencies(words for words, _ in said), word_frequencies(words for words, first in said if first)
        )
        learned = LearnedPlanner(reranker, variety)
        if second or recipe.generates:
            parts = [[self._training_example(one) for one in part] for part in (training, validation, aside)]
            if recipe.generates:
                generator = ReplyGenerator.trained(recipe, parts[0], parts[1], run.part(GENERATOR))
                learned = learned._replace(generator=generator)
            if second:
                learned = with_second_choice(recipe, learned, *parts, run=run)
        if own or second:
            every = AgentTurnIndex(agent_turns_of([self._masked(one) for one in examples]))
            reranker.use(TurnRerankingTask(every, recipe))
        dialogues = len({one.sample.dialogue_id for one in examples})
        seen = f"{len(examples)} agent turns of {dialogues} training dialogues of people"
        return learned, seen

    def _new_reranker(self, task: TurnRerankingTask, encoder: ChoiceEncoder) -> Reranker[PlannerState, TurnCandidate]:
        return Reranker(task, encoder, UtilitySize.of(self.recipe, features=len(NAMES), targets=TARGETS))

    def _train(
        self,
        reranker: Reranker[PlannerState, TurnCandidate],
        training: Sequence[Example],
        validation: Sequence[Example],
        run: Run,
    ) -> None:
        from duologue.models.train import TrainConfig  # needs torch

        recipe = self.recipe
        rows, tests = (
            reranker.training_rows(map(self._training_example, tracked(part, run.progress, what, every=100)))
            for part, what in ((training, "weighing replies"), (validation, "weighing held-out replies"))
        )
        config = TrainConfig.of(recipe, weight_decay=0.02, choose="loss")
        reranker.train(rows, tests, config, run, sampled=recipe.sampled)

    def _training_example(self, example: Example) -> RerankingExample[PlannerState]:
        """Return an example for the reranker; it gets no candidates of its own pair of topics."""
        sample = example.sample
        reference = example.references[0].text or ""
        return RerankingExample(sample.id, state_of(self._masked_sample(sample)), reference, pair_of(sample))

    def _masked(self, example: Example) -> Example:
        """Return an example without the fields that the recipe ablates."""
        return msgspec.structs.replace(example, sample=self._masked_sample(example.sample))

    def _masked_sample(self, sample: Sample) -> Sample:
        topics_of(sample)  # raises without two topics
        goal = sample.goal
        assert goal is not None
        if not self.recipe.goal:
            goal = msgspec.structs.replace(goal, topics=tuple(sorted(goal.topics)), relations=())
        if not self.recipe.knowledge:
            goal = msgspec.structs.replace(goal, relations=())
            sample = msgspec.structs.replace(sample, knowledge=())
        return msgspec.structs.replace(sample, goal=goal)

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return a reply to each sample, segmented. Raises `UsageError` before `fit` or `load`."""
        self._trained()
        answers: list[Answer] = []
        for start in range(0, len(samples), _CHUNK):
            chunk = [self._masked_sample(sample) for sample in samples[start : start + _CHUNK]]
            answers += self._answers(chunk)
        return answers

    def _answers(self, samples: Sequence[Sample]) -> list[Answer]:
        learned = self._trained()
        choice = ReplyChoice(self.recipe, learned)
        lists = [choice.candidates(state) for state in map(state_of, samples)]
        heeds = self.recipe.answers == "always" or (self.recipe.answers == "live" and self._live)
        return [
            Answer(text=self._reply(choice, sample if heeds else None, candidates, predicted))
            for sample, candidates, predicted in zip(samples, lists, choice.predicted(lists), strict=True)
        ]

    def _reply(
        self,
        choice: ReplyChoice,
        sample: Sample | None,
        candidates: ReplyCandidates,
        predicted: Sequence[float],
    ) -> str:
        """Return the best reply; with a sample, one that heeds what the user's last turn asks for."""
        state, found = candidates.state, candidates.found
        asked = [] if sample is None else asked_of(sample)
        if not asked and (sample is None or not refuses(sample)):
            return choice.best(candidates, predicted) if found else _NOTHING

        def heeds(filling: Filling) -> bool:
            if asked:
                text = " ".join(filling.words)
                return all(one.is_told_by(text) for one in asked)
            return _leads_on(filling, state)

        allowed = [place for place, one in enumerate(found) if heeds(one.filling)]
        kept = allowed or range(len(found))
        before = ACKNOWLEDGEMENT if not asked else "" if allowed else " ".join(one.sentence for one in asked)
        best = ""
        if found:
            chosen, utilities = candidates._replace(found=[found[at] for at in kept]), [predicted[at] for at in kept]
            best = choice.best(chosen, utilities, kept=heeds if allowed else None)
        return f"{before} {best}".strip() or _NOTHING

    def save(self, folder: Path) -> None:
        """Write index, vocabularies and weights."""
        super().save(folder)
        reranker = self._trained().reranker
        if reranker.trained:
            reranker.save(folder / WEIGHTS)
        write_json(reranker.task.index.entries, folder / ENTRIES)

    def load(self, folder: Path) -> None:
        """Load what `save` wrote; raises `StorageError` when a file is missing or damaged."""
        super().load(folder)
        reranker = self._trained().reranker
        reranker.use(TurnRerankingTask(AgentTurnIndex(read_json(folder / ENTRIES, list[AgentTurn])), self.recipe))
        if self.recipe.rerank:
            reranker.load(folder / WEIGHTS)

    def _networks(self, learned: LearnedPlanner) -> Networks:
        second, generator = learned.second, learned.generator
        return {
            **({} if second is None else {WORD_WEIGHTS: second.words.network}),
            **({} if generator is None else {GENERATOR_WEIGHTS: generator.network}),
        }

    def _card(self, learned: LearnedPlanner) -> PlannerCard:
        encoder, variety = learned.reranker.encoder, learned.variety
        second, generator = learned.second, learned.generator
        return PlannerCard(
            situation_words=encoder.words,
            template_words=encoder.template_words,
            word_frequencies=variety.every,
            openings=variety.openings,
            own_words=variety.own,
            reply_words=[] if second is None else second.words.words,
            second_choice=[] if second is None else second.weights,
            generator_words=None if generator is None else list(generator.vocabulary.words),
            seen=self.seen,
        )

    def _restored(self, card: PlannerCard) -> LearnedPlanner:
        encoder = ChoiceEncoder(card.situation_words, card.template_words)
        reranker = self._new_reranker(TurnRerankingTask(AgentTurnIndex([]), self.recipe), encoder)
        variety = Variety(card.word_frequencies, card.openings, card.own_words)
        second = generator = None
        if card.second_choice:
            second = SecondChoice(WordModel(card.situation_words, card.reply_words), card.second_choice)
        if card.generator_words is not None:
            generator = ReplyGenerator(self.recipe.generator, card.generator_words)
        return LearnedPlanner(reranker, variety, second, generator)


def _leads_on(filling: Filling, state: PlannerState) -> bool:
    """Whether a reply leaves A: it names B, or says nothing of A once B was named."""
    slots = {value.slot for value in filling.used}
    return not any(slot == "{A}" or slot.startswith("{a.") for slot in slots) and ("{B}" in slots or state.reached[1])


_NOTHING = "你 好 。"
"""Reply if no template fits; an index of real dialogues always has one."""
