"""The planner: it says what people said in like situations, with this talk's facts, and has learned which to choose.

Candidates are templates of the training dialogues filled from goal and knowledge (`bank`); the rules of `plan` hold
the way from A to B; a small network (`duologue.models.utility`) predicts how well each of the others would do.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from duologue.challenges.proactive.systems.holdout import split
from duologue.challenges.proactive.systems.planner.plan import Deadlines, broken
from duologue.challenges.proactive.systems.planner.variety import Spoken, Variety, spoken
from duologue.core.disk import decode_text, read_bytes, write_bytes
from duologue.core.errors import StorageError, UsageError
from duologue.core.records import Answer, Record
from duologue.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.proactive.systems.planner.encoder import Reader
    from duologue.challenges.proactive.systems.planner.state import Situation
    from duologue.challenges.proactive.systems.planner.template_index import Bank, Found
    from duologue.core.protocols import Brief, Progress, Run, Task, World
    from duologue.core.records import Example, Sample
    from duologue.models.utility import Choice, UtilityRanker, UtilitySize

WEIGHTS, CARD, ENTRIES = "weights.safetensors", "planner.json", "bank.json"
_CHUNK = 32  # samples that are scored at once
_DIGITS = 4  # of a score: below that, sums depend on what else is in the batch

Positive = Annotated[int, msgspec.Meta(ge=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Share = Annotated[float, msgspec.Meta(ge=0, lt=1)]
Weight = Annotated[float, msgspec.Meta(ge=0)]


class PlannerRecipe(Record, frozen=True):
    """What the planner reads, how many replies it weighs, how it is trained."""

    knowledge: bool = True
    """Whether facts are read at all (an ablation where not)."""
    goal: bool = True
    """Whether it knows which topic comes first and how both belong together (an ablation where not)."""
    copy: bool = True
    """Whether replies may take facts over; without, only the topics' names (an ablation)."""
    rerank: bool = True
    """Whether the trained network chooses; without, the candidate on which the others agree most (an ablation)."""
    text: bool = True
    """Whether the network reads words besides figures."""
    candidates: Positive = 100
    """Replies that are weighed."""
    pool: Positive = 200
    """Turns of the bank that are looked at for them."""
    first_by: Count = 2
    """Agent turn, from 0, in which A is named at the latest."""
    second_by: Count = 4
    """Agent turn in which B is named at the latest, once A was."""
    facts_by: Count = 2
    """Agent turn from which a new fact is used as long as fewer than two were."""
    variety: Weight = 0.011
    """What a word is worth, in predicted utility (character F1, 0 to 1), that no other reply of a test would hold:
    utility alone favours what everybody says."""
    held_out: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.06
    """Share of the training samples, by pairs of topics, that decides which weights are best, when no others do."""
    epochs: Positive = 4
    batch: Positive = 64
    """Samples per step."""
    sampled: Count = 50
    """Candidates of a sample that are read in a step, drawn anew for each network; 0: all of them."""
    members: Positive = 2
    """Networks that differ in their chance; their mean decides."""
    learning_rate: Annotated[float, msgspec.Meta(gt=0)] = 1.5e-3
    width: Positive = 64
    """Numbers per word."""
    hidden: Positive = 192
    word_dropout: Share = 0.15
    """Share of words not read in training."""
    rare: Positive = 4
    """Words that fewer training situations, or fewer templates, have are read as unknown."""
    checkpoint_seconds: Annotated[float, msgspec.Meta(ge=0)] = 20.0
    """Time between checkpoints."""
    threads: Positive = 2
    """Processor threads in training; another number gives other last bits."""

    @classmethod
    def tiny(cls) -> PlannerRecipe:
        """Return a recipe that trains in seconds, for tests of what a planner must keep to, not of what it knows."""
        return cls(
            candidates=10,
            pool=20,
            held_out=0.3,
            epochs=1,
            batch=8,
            sampled=5,
            members=2,
            width=8,
            hidden=8,
            rare=1,
            threads=1,
        )


class _Card(Record, frozen=True, kw_only=True):
    """What a saved planner needs beside weights and bank."""

    situation_words: list[str]
    template_words: list[str]
    spoken: Spoken
    """Words of all replies."""
    openings: Spoken
    """Words of first turns."""
    seen: str


class Planner:
    """Lead from A to B with replies of people, filled anew and chosen by a trained network (a `Trainable`)."""

    Recipe: type[Record] = PlannerRecipe
    scope = Scope(tasks=("proactive",))
    extras: tuple[str, ...] = ("models",)

    def __init__(self, recipe: PlannerRecipe | None = None) -> None:
        self.recipe = recipe or PlannerRecipe()
        if not self.recipe.rerank:
            self.extras = ()
        self.seen: str = "nothing yet: train it first"
        self._bank: Bank | None = None
        self._reader: Reader | None = None
        self._model: UtilityRanker | None = None
        self._variety: Variety | None = None

    def prepare(self, brief: Brief, seed: int, worlds: Mapping[str, World]) -> None:
        """Do nothing: facts come with each sample, and no chance is left in a trained planner."""

    def practice(self, task: Task, seed: int, progress: Progress | None) -> tuple[list[Example], list[Example]]:  # noqa: ARG002  # there is nothing to practise on
        """Raise `UsageError`: the planner learns from dialogues of people."""
        raise UsageError(
            f"the planner learns from dialogues of people, and task '{task.brief.name}' makes none of its own; "
            "give files with --train"
        )

    def fit(
        self,
        examples: Sequence[Example],
        held_out: Sequence[Example],
        unlabelled: Sequence[Example],  # noqa: ARG002  # turns without replies teach it nothing
        run: Run,
    ) -> None:
        """Learn from samples with replies; interrupted, it goes on from its last checkpoint to the same weights.

        Without held-out samples some pairs of topics are held out; the bank holds their turns in the end, too.
        """
        from duologue.challenges.proactive.systems.planner.encoder import Reader
        from duologue.challenges.proactive.systems.planner.state import situation_of
        from duologue.challenges.proactive.systems.planner.template_index import Bank, entries_of  # needs numpy

        examples = [one for one in examples if one.references and one.references[0].text]
        own = not held_out
        learned, judged = split(examples, self.recipe.held_out, run.seed) if own else (list(examples), list(held_out))
        bank = Bank(entries_of([self._seen_by(one) for one in learned], _tell(run.progress, len(learned), "reading")))
        situations = (situation_of(self._visible(one.sample)) for one in learned)
        self._reader = Reader.of(bank, situations, rare=self.recipe.rare)
        self._bank = bank
        if self.recipe.rerank:
            self._learn(learned, judged, run)
        if own:
            self._bank = Bank(entries_of([self._seen_by(one) for one in examples]))
        said = [((one.references[0].text or "").split(), not one.sample.history) for one in examples]
        self._variety = Variety(spoken(words for words, _ in said), spoken(words for words, first in said if first))
        dialogues = len({one.sample.dialogue_id for one in examples})
        self.seen = f"{len(examples)} agent turns of {dialogues} training dialogues of people"

    def _learn(self, learned: Sequence[Example], judged: Sequence[Example], run: Run) -> None:
        from duologue.models.train import Plan, train  # needs torch
        from duologue.models.utility import Collator, learner, new_utility

        bank, reader = self._ready()
        recipe = self.recipe
        rows = self._choices(learned, run.progress, "weighing replies")
        tests = self._choices(judged, run.progress, "weighing held-out replies")
        if not rows or not tests:
            raise UsageError("no sample has candidates: the training files are too small to learn a choice from")
        model = new_utility(self._size(), run.seed)
        model.scale(reader.some_figures(rows))
        plan = Plan(
            epochs=recipe.epochs,
            batch=recipe.batch,
            learning_rate=recipe.learning_rate,
            weight_decay=0.02,
            checkpoint_seconds=recipe.checkpoint_seconds,
            threads=recipe.threads,
            choose="loss",
        )
        train(
            learner(model, Collator(reader.table(bank)), recipe.sampled),
            rows,
            tests,
            plan,
            folder=run.folder,
            seed=run.seed,
            identity=run.identity,
            progress=run.progress,
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
        """Return the candidates of each example with their utility; those of its own pair of topics are left out."""
        from duologue.challenges.proactive.systems.planner.template_index import pair_of

        bank, reader = self._ready()
        rows = []
        gc.freeze()  # bank and examples are many and stay: the collector need not go through them again and again
        try:
            for done, example in enumerate(examples):
                sample = self._seen_by(example).sample
                now, found = self._weighed(sample, apart=pair_of(example.sample))
                if found:
                    rows.append(reader.choice(now, found, bank, reference=example.references[0].text))
                if progress is not None and done % 100 == 0:
                    progress(done, len(examples), what)
        finally:
            gc.unfreeze()
        return rows

    def _weighed(self, sample: Sample, apart: str | None = None) -> tuple[Situation, list[Found]]:
        from duologue.challenges.proactive.systems.planner.state import situation_of

        now = situation_of(sample)
        recipe = self.recipe
        return now, self._ready()[0].search(
            now, most=recipe.candidates, pool=recipe.pool, apart=apart, facts=recipe.copy
        )

    def _seen_by(self, example: Example) -> Example:
        """Return an example as far as the recipe lets the planner see it."""
        return msgspec.structs.replace(example, sample=self._visible(example.sample))

    def _visible(self, sample: Sample) -> Sample:
        goal = sample.goal
        if goal is None or len(goal.topics) != 2:
            raise UsageError(f"sample '{sample.id}' has no goal of two topics; the planner leads from one to another")
        if not self.recipe.goal:
            goal = msgspec.structs.replace(goal, topics=tuple(sorted(goal.topics)), relations=())
        if not self.recipe.knowledge:
            goal = msgspec.structs.replace(goal, relations=())
            sample = msgspec.structs.replace(sample, knowledge=())
        return msgspec.structs.replace(sample, goal=goal)

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return a reply to each sample, words joined by spaces. Raises `UsageError` before `fit` or `load`."""
        self._ready()
        answers: list[Answer] = []
        for start in range(0, len(samples), _CHUNK):
            chunk = [self._visible(sample) for sample in samples[start : start + _CHUNK]]
            answers += self._answers(chunk)
        return answers

    def _answers(self, samples: Sequence[Sample]) -> list[Answer]:
        bank, reader = self._ready()
        weighed = [self._weighed(sample) for sample in samples]
        predicted = iter(self._predicted([reader.choice(now, found, bank) for now, found in weighed if found]))
        return [
            Answer(text=" ".join(self._chosen(now, found, next(predicted)).filling.words) if found else _NOTHING)
            for now, found in weighed
        ]

    def _predicted(self, rows: Sequence[Choice]) -> list[list[float]]:
        """Return for each candidate its utility as far as it can be foreseen; without a network, the agreement."""
        if not rows:
            return []
        if self._model is None or not self.recipe.rerank:
            from duologue.challenges.proactive.systems.planner.features import NAMES

            agreed = NAMES.index("characters, all")
            return [row.figures[:, agreed].tolist() for row in rows]
        from duologue.models.utility import Collator, scores

        bank, reader = self._ready()
        return [one.tolist() for one in scores(self._model, rows, Collator(reader.table(bank)))]

    def _worth(self, now: Situation, one: Found, utility: float) -> float:
        """Return utility and variety of a candidate together, rounded."""
        if self._variety is None or not self.recipe.rerank:
            return round(utility, _DIGITS)
        fresh = self._variety.new_words(one.filling.words, opening=now.turn == 0)
        return round(utility + self.recipe.variety * fresh, _DIGITS)

    def _chosen(self, now: Situation, found: Sequence[Found], predicted: Sequence[float]) -> Found:
        recipe = self.recipe
        deadlines = Deadlines(first=recipe.first_by, second=recipe.second_by, facts=recipe.facts_by)
        faults = [broken(now, one.filling, deadlines) if recipe.goal else 0 for one in found]
        fewest = min(faults)
        allowed = [place for place, fault in enumerate(faults) if fault == fewest]
        return found[max(allowed, key=lambda place: (self._worth(now, found[place], predicted[place]), -place))]

    def _ready(self) -> tuple[Bank, Reader]:
        if self._bank is None or self._reader is None:
            raise UsageError("the planner has not learned yet; train it, or load a trained one")
        return self._bank, self._reader

    def save(self, folder: Path) -> None:
        """Write the bank, the words and the weights."""
        bank, reader = self._ready()
        variety = self._variety or Variety(spoken([]), spoken([]))
        if self._model is not None:
            from duologue.models.weights import save_weights  # needs torch

            save_weights(self._model, folder / WEIGHTS)
        write_bytes(folder / ENTRIES, msgspec.json.encode(bank.entries))
        card = _Card(
            situation_words=reader.situation_words,
            template_words=reader.template_words,
            spoken=variety.every,
            openings=variety.openings,
            seen=self.seen,
        )
        write_bytes(folder / CARD, msgspec.json.encode(card))

    def load(self, folder: Path) -> None:
        """Take up what `save` wrote; raises `StorageError` when a file is missing or damaged."""
        from duologue.challenges.proactive.systems.planner.encoder import Reader
        from duologue.challenges.proactive.systems.planner.template_index import Bank, Entry  # needs numpy

        card = _decoded(folder / CARD, _Card)
        self._bank = Bank(_decoded(folder / ENTRIES, list[Entry]))
        self._reader = Reader(card.situation_words, card.template_words)
        self._variety = Variety(card.spoken, card.openings)
        self.seen = card.seen
        if self.recipe.rerank:
            from duologue.models.utility import new_utility  # needs torch
            from duologue.models.weights import load_weights

            model = new_utility(self._size(), 0)
            load_weights(model, folder / WEIGHTS)
            self._model = model.eval()


_NOTHING = "你 好 。"
"""What is said where no template fits; a bank of real dialogues always has one."""


def _tell(progress: Progress | None, total: int, what: str) -> Any:
    return None if progress is None else lambda done: progress(done, total, f"{what} dialogues")


def _decoded(path: Path, kind: Any) -> Any:
    text, _ = decode_text(read_bytes(path), path)
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StorageError(f"{path} is no part of a saved planner ({error}); train it again") from error
