"""The planner system: retrieve templates, fill them, drop those that violate the plan, rank the rest by a network.

Candidates are templates of the training dialogues filled from goal and knowledge (`template_index`); the constraints of
`plan` ensure the way from A to B; a small network (`duologue.models.utility`) predicts the utility of each candidate;
clauses of the best candidates are put together anew (`recombination`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.challenges.proactive.knowledge import topics_of
from duologue.challenges.proactive.systems.holdout import split
from duologue.challenges.proactive.systems.planner.clauses import clauses_of, subject_of
from duologue.challenges.proactive.systems.planner.features import NAMES
from duologue.challenges.proactive.systems.planner.plan import PlanDeadlines, violations
from duologue.challenges.proactive.systems.planner.recipe import PlannerRecipe
from duologue.challenges.proactive.systems.planner.recombination import Recombination, RecombinationWeights
from duologue.challenges.proactive.systems.planner.reranking_task import TARGETS, TurnRerankingTask
from duologue.challenges.proactive.systems.planner.state import state_of
from duologue.challenges.proactive.systems.planner.template_index import (
    AgentTurn,
    AgentTurnIndex,
    agent_turns_of,
    pair_of,
)
from duologue.challenges.proactive.systems.planner.user_turn import ACKNOWLEDGEMENT, asked_facts, refuses
from duologue.challenges.proactive.systems.planner.variety import Variety, WordFrequencies, word_frequencies
from duologue.core.progress import tracked
from duologue.core.records import Answer, Record
from duologue.core.scope import Scope
from duologue.models.choices import ChoiceEncoder, UtilitySize, frequent_words
from duologue.models.trained_system import WEIGHTS, TrainedSystem, read_json, write_json
from duologue.retrieval.reranker import Reranker, RerankingExample

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.proactive.systems.planner.slots import Filling
    from duologue.challenges.proactive.systems.planner.state import PlannerState
    from duologue.challenges.proactive.systems.planner.template_index import TurnCandidate
    from duologue.core.protocols import Run, TaskInfo, World
    from duologue.core.records import Example, Sample

ENTRIES = "bank.json"
"""File of the index."""
_CHUNK = 32  # samples scored at once
_DIGITS = 4  # of a score: the digits below depend on the batch


class PlannerCard(Record, frozen=True, kw_only=True):
    """What a saved planner needs besides weights and index."""

    situation_words: list[str]
    template_words: list[str]
    word_frequencies: WordFrequencies
    """Word frequencies of all replies."""
    openings: WordFrequencies
    """Word frequencies of first turns."""
    seen: str


class LearnedPlanner(NamedTuple):
    """The index with its reranker, and the words of the replies."""

    reranker: Reranker[PlannerState, TurnCandidate]
    variety: Variety


class Planner(TrainedSystem[PlannerRecipe, LearnedPlanner]):
    """Lead from A to B with human replies, refilled with the sample's facts and ranked by a network (a `Trainable`)."""

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

        Without held-out samples some pairs of topics are held out; the final index has their turns too.
        """
        examples = [one for one in examples if one.references and one.references[0].text]
        own = not held_out
        training, validation = (
            split(examples, self.recipe.held_out, run.seed) if own else (list(examples), list(held_out))
        )
        task = TurnRerankingTask(
            AgentTurnIndex(agent_turns_of([self._masked(one) for one in training], run.progress)), self.recipe
        )
        states = (task.state_words(state_of(self._masked_sample(one.sample))) for one in training)
        rare = self.recipe.rare
        reranker = self._new_reranker(
            task, ChoiceEncoder(frequent_words(states, rare), frequent_words(task.template_words(), rare))
        )
        if self.recipe.rerank:
            self._train(reranker, training, validation, run)
        if own:
            every = AgentTurnIndex(agent_turns_of([self._masked(one) for one in examples]))
            reranker.use(TurnRerankingTask(every, self.recipe))
        said = [((one.references[0].text or "").split(), not one.sample.history) for one in examples]
        variety = Variety(
            word_frequencies(words for words, _ in said), word_frequencies(words for words, first in said if first)
        )
        dialogues = len({one.sample.dialogue_id for one in examples})
        seen = f"{len(examples)} agent turns of {dialogues} training dialogues of people"
        return LearnedPlanner(reranker, variety), seen

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
        task = self._trained().reranker.task
        lists = [(state, task.candidates(state)) for state in map(state_of, samples)]
        heeds = self.recipe.answers == "always" or (self.recipe.answers == "live" and self._live)
        return [
            Answer(text=self._reply(sample if heeds else None, state, found, predicted))
            for sample, (state, found), predicted in zip(samples, lists, self._predicted(lists), strict=True)
        ]

    def _reply(
        self,
        sample: Sample | None,
        state: PlannerState,
        found: Sequence[TurnCandidate],
        predicted: Sequence[float],
    ) -> str:
        """Return the best reply; with a sample, a candidate that heeds what the user's last turn asks for."""
        asked = [] if sample is None else asked_facts(sample)
        if sample is None or not (asked or refuses(sample)):
            return self._best(state, found, predicted, recombine=self.recipe.recombine) if found else _NOTHING
        texts = [" ".join(one.filling.words) for one in found]
        allowed = [place for place, text in enumerate(texts) if asked and all(one.is_told_by(text) for one in asked)]
        before = "" if allowed else " ".join(one.sentence for one in asked)
        if not asked:
            before = ACKNOWLEDGEMENT
            allowed = [place for place, one in enumerate(found) if _leads_on(one, state)]
        kept = allowed or range(len(found))
        best = (
            self._best(state, [found[place] for place in kept], [predicted[place] for place in kept]) if found else ""
        )
        return f"{before} {best}".strip() or _NOTHING

    def _predicted(self, lists: Sequence[tuple[PlannerState, Sequence[TurnCandidate]]]) -> list[list[float]]:
        """Return the predicted utility of each candidate; without a network, the agreement with the others."""
        reranker = self._trained().reranker
        if reranker.trained and self.recipe.rerank:
            return [one.tolist() for one in reranker.utilities(lists)]
        agreed = NAMES.index("characters, all")
        return [reranker.choice(state, found).features[:, agreed].tolist() if found else [] for state, found in lists]

    def _score(self, state: PlannerState, one: TurnCandidate, utility: float) -> float:
        """Return the score of a candidate: utility plus weighted novelty, rounded."""
        if not self.recipe.rerank:
            return round(utility, _DIGITS)
        fresh = self._trained().variety.new_words(one.filling.words, opening=state.turn == 0)
        return round(utility + self.recipe.variety * fresh, _DIGITS)

    def _best(
        self,
        state: PlannerState,
        found: Sequence[TurnCandidate],
        predicted: Sequence[float],
        *,
        recombine: bool = False,
    ) -> str:
        recipe = self.recipe
        deadlines = PlanDeadlines(first=recipe.first_by, second=recipe.second_by, facts=recipe.facts_by)

        def violated(filling: Filling) -> int:
            return violations(state, filling, deadlines) if recipe.goal else 0

        violation_scores = [violated(one.filling) for one in found]
        fewest = min(violation_scores)
        allowed = [place for place, violation in enumerate(violation_scores) if violation == fewest]
        allowed.sort(key=lambda place: (-self._score(state, found[place], predicted[place]), place))
        best = found[allowed[0]].filling
        if recombine and recipe.rerank:
            best = self._recombined(
                state,
                [found[place] for place in allowed],
                [predicted[place] for place in allowed],
                lambda filling: violated(filling) <= fewest,
            )
        return " ".join(best.words)

    def _recombined(
        self,
        state: PlannerState,
        found: Sequence[TurnCandidate],
        predicted: Sequence[float],
        sound: Callable[[Filling], bool],
    ) -> Filling:
        """Return the best reply made of clauses of candidates, which come with the best first."""
        recipe, learned = self.recipe, self._trained()
        subject, entries = subject_of(state), learned.reranker.task.index.entries
        made = Recombination(
            [
                clauses_of(entries[one.entry].template, one.filling, subject, state.domains)
                for one in found[: recipe.voters]
            ],
            [round(one, _DIGITS) for one in predicted],
            RecombinationWeights(voters=recipe.voters, rounds=recipe.rounds),
            lambda words: recipe.variety * learned.variety.new_words(words, opening=state.turn == 0),
        )
        return made.replies(subject, sound)[0].filling

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

    def _card(self, learned: LearnedPlanner) -> PlannerCard:
        encoder, variety = learned.reranker.encoder, learned.variety
        return PlannerCard(
            situation_words=encoder.words,
            template_words=encoder.template_words,
            word_frequencies=variety.every,
            openings=variety.openings,
            seen=self.seen,
        )

    def _restored(self, card: PlannerCard) -> LearnedPlanner:
        encoder = ChoiceEncoder(card.situation_words, card.template_words)
        reranker = self._new_reranker(TurnRerankingTask(AgentTurnIndex([]), self.recipe), encoder)
        return LearnedPlanner(reranker, Variety(card.word_frequencies, card.openings))


def _leads_on(one: TurnCandidate, state: PlannerState) -> bool:
    """Whether a candidate leaves A: it names B, or says nothing of A once B was named."""
    slots = {value.slot for value in one.filling.used}
    return not any(slot == "{A}" or slot.startswith("{a.") for slot in slots) and ("{B}" in slots or state.reached[1])


_NOTHING = "你 好 。"
"""Reply if no template fits; an index of real dialogues always has one."""
