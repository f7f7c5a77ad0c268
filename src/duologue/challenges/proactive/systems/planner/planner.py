"""The planner system: retrieve templates, fill them, drop those that violate the plan, rank the rest by a network.

Candidates are templates of the training dialogues filled from goal and knowledge (`template_index`); the constraints of
`plan` ensure the way from A to B; a small network (`duologue.models.utility`) predicts the utility of each candidate.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.proactive.knowledge import topics_of
from duologue.challenges.proactive.systems.holdout import split
from duologue.challenges.proactive.systems.planner.plan import PlanDeadlines, violations
from duologue.challenges.proactive.systems.planner.recipe import PlannerRecipe
from duologue.challenges.proactive.systems.planner.variety import Variety, WordFrequencies, word_frequencies
from duologue.core.disk import decode_text, read_bytes, write_bytes
from duologue.core.errors import StorageError, UsageError
from duologue.core.progress import tracked
from duologue.core.records import Answer, Record
from duologue.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.proactive.systems.planner.encoder import CandidateEncoder
    from duologue.challenges.proactive.systems.planner.state import PlannerState
    from duologue.challenges.proactive.systems.planner.template_index import AgentTurnIndex, TurnCandidate
    from duologue.core.protocols import Progress, Run, Task, TaskInfo, TrainingData, World
    from duologue.core.records import Example, Sample
    from duologue.models.utility import Choice, UtilityRanker, UtilitySize

WEIGHTS, CARD, ENTRIES = "weights.safetensors", "planner.json", "bank.json"
_CHUNK = 32  # samples scored at once
_DIGITS = 4  # of a score: the digits below depend on the batch


class _Card(Record, frozen=True, kw_only=True):
    """What a saved planner needs besides weights and index."""

    situation_words: list[str]
    template_words: list[str]
    word_frequencies: WordFrequencies
    """Word frequencies of all replies."""
    openings: WordFrequencies
    """Word frequencies of first turns."""
    seen: str


class Planner:
    """Lead from A to B with human replies, refilled with the sample's facts and ranked by a network (a `Trainable`)."""

    Recipe: type[Record] = PlannerRecipe
    scope = Scope(tasks=("proactive",))
    extras: tuple[str, ...] = ("models",)

    def __init__(self, recipe: PlannerRecipe | None = None) -> None:
        self.recipe = recipe or PlannerRecipe()
        if not self.recipe.rerank:
            self.extras = ()
        self.seen: str = "nothing yet: train it first"
        self._index: AgentTurnIndex | None = None
        self._encoder: CandidateEncoder | None = None
        self._model: UtilityRanker | None = None
        self._variety: Variety | None = None

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Do nothing: facts come with each sample, and a trained planner is deterministic."""

    def make_training_data(self, task: Task, seed: int, progress: Progress | None) -> TrainingData:  # noqa: ARG002  # there is no practice data
        """Raise `UsageError`: the planner learns from human dialogues."""
        raise UsageError(
            f"the planner learns from dialogues of people, and task '{task.info.name}' makes none of its own; "
            "give files with --train"
        )

    def fit(
        self,
        examples: Sequence[Example],
        held_out: Sequence[Example],
        unlabelled: Sequence[Example],  # noqa: ARG002  # turns without replies teach it nothing
        run: Run,
    ) -> None:
        """Train on samples with replies; an interrupted training resumes from its last checkpoint to the same weights.

        Without held-out samples some pairs of topics are held out; the final index has their turns too.
        """
        from duologue.challenges.proactive.systems.planner.encoder import CandidateEncoder
        from duologue.challenges.proactive.systems.planner.state import state_of
        from duologue.challenges.proactive.systems.planner.template_index import (  # needs numpy
            AgentTurnIndex,
            agent_turns_of,
        )

        examples = [one for one in examples if one.references and one.references[0].text]
        own = not held_out
        training, validation = (
            split(examples, self.recipe.held_out, run.seed) if own else (list(examples), list(held_out))
        )
        index = AgentTurnIndex(agent_turns_of([self._masked(one) for one in training], run.progress))
        states = (state_of(self._masked_sample(one.sample)) for one in training)
        self._encoder = CandidateEncoder.of(index, states, rare=self.recipe.rare)
        self._index = index
        if self.recipe.rerank:
            self._train(training, validation, run)
        if own:
            self._index = AgentTurnIndex(agent_turns_of([self._masked(one) for one in examples]))
        said = [((one.references[0].text or "").split(), not one.sample.history) for one in examples]
        self._variety = Variety(
            word_frequencies(words for words, _ in said), word_frequencies(words for words, first in said if first)
        )
        dialogues = len({one.sample.dialogue_id for one in examples})
        self.seen = f"{len(examples)} agent turns of {dialogues} training dialogues of people"

    def _train(self, training: Sequence[Example], validation: Sequence[Example], run: Run) -> None:
        from duologue.models.train import TrainConfig, train  # needs torch
        from duologue.models.utility import Collator, learner, new_utility

        index, encoder = self._ready()
        recipe = self.recipe
        rows = self._choices(training, run.progress, "weighing replies")
        tests = self._choices(validation, run.progress, "weighing held-out replies")
        if not rows or not tests:
            raise UsageError("no sample has candidates: the training files are too small to learn a choice from")
        model = new_utility(self._size(), run.seed)
        model.scale(encoder.sample_features(rows))
        train(
            learner(model, Collator(encoder.table(index)), recipe.sampled),
            rows,
            tests,
            TrainConfig.of(recipe, weight_decay=0.02, choose="loss"),
            run,
        )
        self._model = model

    def _size(self) -> UtilitySize:
        recipe = self.recipe
        return self._ready()[1].size(
            width=recipe.width,
            hidden=recipe.hidden,
            members=recipe.members,
            word_dropout=recipe.word_dropout,
            text=recipe.text,
        )

    def _choices(self, examples: Sequence[Example], progress: Progress | None, what: str) -> list[Choice]:
        """Return the candidates of each example with their utilities, without those of its own pair of topics."""
        from duologue.challenges.proactive.systems.planner.template_index import pair_of

        index, encoder = self._ready()
        rows = []
        gc.freeze()  # index and examples are large and stay: spare the garbage collector going through them
        try:
            for example in tracked(examples, progress, what, every=100):
                sample = self._masked(example).sample
                state, found = self._candidates(sample, apart=pair_of(example.sample))
                if found:
                    rows.append(encoder.choice(state, found, index, reference=example.references[0].text))
        finally:
            gc.unfreeze()
        return rows

    def _candidates(self, sample: Sample, apart: str | None = None) -> tuple[PlannerState, list[TurnCandidate]]:
        from duologue.challenges.proactive.systems.planner.state import state_of

        state = state_of(sample)
        recipe = self.recipe
        return state, self._ready()[0].search(
            state, limit=recipe.candidates, pool=recipe.pool, apart=apart, facts=recipe.copy
        )

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
        self._ready()
        answers: list[Answer] = []
        for start in range(0, len(samples), _CHUNK):
            chunk = [self._masked_sample(sample) for sample in samples[start : start + _CHUNK]]
            answers += self._answers(chunk)
        return answers

    def _answers(self, samples: Sequence[Sample]) -> list[Answer]:
        index, encoder = self._ready()
        candidates = [self._candidates(sample) for sample in samples]
        predicted = iter(self._predicted([encoder.choice(state, found, index) for state, found in candidates if found]))
        return [
            Answer(text=" ".join(self._best(state, found, next(predicted)).filling.words) if found else _NOTHING)
            for state, found in candidates
        ]

    def _predicted(self, rows: Sequence[Choice]) -> list[list[float]]:
        """Return the predicted utility of each candidate; without a network, the agreement with the others."""
        if not rows:
            return []
        if self._model is None or not self.recipe.rerank:
            from duologue.challenges.proactive.systems.planner.features import NAMES

            agreed = NAMES.index("characters, all")
            return [row.figures[:, agreed].tolist() for row in rows]
        from duologue.models.utility import Collator, scores

        index, encoder = self._ready()
        return [one.tolist() for one in scores(self._model, rows, Collator(encoder.table(index)))]

    def _score(self, state: PlannerState, one: TurnCandidate, utility: float) -> float:
        """Return the score of a candidate: utility plus weighted novelty, rounded."""
        if self._variety is None or not self.recipe.rerank:
            return round(utility, _DIGITS)
        fresh = self._variety.new_words(one.filling.words, opening=state.turn == 0)
        return round(utility + self.recipe.variety * fresh, _DIGITS)

    def _best(self, state: PlannerState, found: Sequence[TurnCandidate], predicted: Sequence[float]) -> TurnCandidate:
        recipe = self.recipe
        deadlines = PlanDeadlines(first=recipe.first_by, second=recipe.second_by, facts=recipe.facts_by)
        violation_scores = [violations(state, one.filling, deadlines) if recipe.goal else 0 for one in found]
        fewest = min(violation_scores)
        allowed = [place for place, violation in enumerate(violation_scores) if violation == fewest]
        return found[max(allowed, key=lambda place: (self._score(state, found[place], predicted[place]), -place))]

    def _ready(self) -> tuple[AgentTurnIndex, CandidateEncoder]:
        if self._index is None or self._encoder is None:
            raise UsageError("the planner has not learned yet; train it, or load a trained one")
        return self._index, self._encoder

    def save(self, folder: Path) -> None:
        """Write index, vocabularies and weights."""
        index, encoder = self._ready()
        variety = self._variety or Variety(word_frequencies([]), word_frequencies([]))
        if self._model is not None:
            from duologue.models.weights import save_weights  # needs torch

            save_weights(self._model, folder / WEIGHTS)
        write_bytes(folder / ENTRIES, msgspec.json.encode(index.entries))
        card = _Card(
            situation_words=encoder.situation_words,
            template_words=encoder.template_words,
            word_frequencies=variety.every,
            openings=variety.openings,
            seen=self.seen,
        )
        write_bytes(folder / CARD, msgspec.json.encode(card))

    def load(self, folder: Path) -> None:
        """Load what `save` wrote; raises `StorageError` when a file is missing or damaged."""
        from duologue.challenges.proactive.systems.planner.encoder import CandidateEncoder
        from duologue.challenges.proactive.systems.planner.template_index import (  # needs numpy
            AgentTurn,
            AgentTurnIndex,
        )

        card = _decoded(folder / CARD, _Card)
        self._index = AgentTurnIndex(_decoded(folder / ENTRIES, list[AgentTurn]))
        self._encoder = CandidateEncoder(card.situation_words, card.template_words)
        self._variety = Variety(card.word_frequencies, card.openings)
        self.seen = card.seen
        if self.recipe.rerank:
            from duologue.models.utility import new_utility  # needs torch
            from duologue.models.weights import load_weights

            model = new_utility(self._size(), 0)
            load_weights(model, folder / WEIGHTS)
            self._model = model.eval()


_NOTHING = "你 好 。"
"""Reply if no template fits; an index of real dialogues always has one."""


def _decoded(path: Path, kind: Any) -> Any:
    text, _ = decode_text(read_bytes(path), path)
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StorageError(f"{path} is no part of a saved planner ({error}); train it again") from error
