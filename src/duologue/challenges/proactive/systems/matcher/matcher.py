"""The retrieval baseline: rank replies of other sessions, refilled with the sample's topics and facts, by a network.

Candidates are those of `candidates` (specification, section 5.1), their input text is that of `formats.matcher_text`
(5.2), the network that of `network.model` (5.3). The answer is the filled candidate itself, not the network's input:
unlike in the released programs, no reply contains a slot.
"""

from __future__ import annotations

import hashlib
import math
import random
from array import array
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.challenges.proactive.formats.files import sample_row
from duologue.challenges.proactive.formats.matcher_text import MatchText, dictionary_of, match_text
from duologue.challenges.proactive.schema import DOMAIN
from duologue.challenges.proactive.systems.holdout import split
from duologue.challenges.proactive.systems.matcher.candidates import CandidatePool, PooledReply
from duologue.challenges.proactive.systems.matcher.recipe import PRESETS, MatcherRecipe
from duologue.challenges.proactive.systems.references import expect_reply
from duologue.core.errors import UsageError
from duologue.core.progress import tracked
from duologue.core.records import Answer, Example, Record
from duologue.core.scope import Scope
from duologue.models.trained_system import WEIGHTS, TrainedSystem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.proactive.systems.matcher.network.batch import MatcherRow
    from duologue.challenges.proactive.systems.matcher.network.model import MatcherNetwork, MatcherSize
    from duologue.core.protocols import Run, TaskInfo, World
    from duologue.core.records import Sample
    from duologue.models.train import TrainConfig
    from duologue.models.trained_system import Networks

_UNKNOWN, _END = "[UNK]", "[SEP]"
_PREDICTION_DROPOUT = 0.1
"""Dropout rate of the released paddle program in prediction."""

_WARM_UP = 0.1
"""Fraction of all steps with rising learning rate."""


class MatcherCard(Record, frozen=True):
    """What a saved matcher needs besides its weights."""

    tokens: list[str]
    """The vocabulary, special tokens first."""
    slots: list[str]
    entries: list[PooledReply]
    """The candidate pool."""
    replies: int
    """Number of replies that it was trained on."""

    @property
    def seen(self) -> str:
        """What it saw in training."""
        return f"{self.replies} agent turns of the given sessions"


class LearnedMatcher(NamedTuple):
    """The network with its candidate pool and vocabulary."""

    model: MatcherNetwork
    pool: CandidatePool
    ids: dict[str, int]
    """Numbers of the tokens."""
    replies: int
    """Number of replies that it was trained on."""


class Matcher(TrainedSystem[MatcherRecipe, LearnedMatcher]):
    """Choose among replies of other sessions by a trained matcher."""

    Recipe: type[Record] = MatcherRecipe
    scope = Scope(tasks=("proactive",))
    extras = ("models",)
    name, training_files = "matcher", "FILE.jsonl[.gz]"
    Card, card_file = MatcherCard, "matcher.json"

    def __init__(self, recipe: MatcherRecipe | None = None) -> None:
        super().__init__(recipe)
        self._count = self.recipe.candidates
        self._size = PRESETS[self.recipe.size]

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Set the seed for drawing candidates. Raises `UsageError` for another task."""
        super().prepare(info, seed, worlds)
        if info.live:
            self._count = self.recipe.live_candidates

    def _learn(self, examples: Sequence[Example], held_out: Sequence[Example], run: Run) -> tuple[LearnedMatcher, str]:
        """Train on examples with replies; negative replies are drawn once, by the seed of the run.

        Raises `UsageError` for an example without a reply, two topics or their domains, and if nothing can be held out.
        """
        from duologue.challenges.proactive.systems.matcher.network.model import learner  # needs torch
        from duologue.models.train import train

        recipe = self.recipe
        for one in (*examples, *held_out):
            expect_reply(one)
        if not held_out:
            examples, held_out = split(examples, recipe.held_out, run.seed)
        pool = CandidatePool.of(examples)
        texts = self._candidate_texts(pool, examples, run, recipe.negatives or self._size.negatives)
        tested = self._candidate_texts(pool, held_out, run, recipe.candidates - 1)
        ids = _numbered(dictionary_of(texts, knowledge=recipe.variant != "match"))
        rows, validation = ([self._row(text, ids, known=True) for text in part] for part in (texts, tested))
        learned = LearnedMatcher(self._new_model(len(ids), run.seed), pool, ids, len(examples))
        train(learner(learned.model), rows, validation, self._plan(len(rows)), run)
        learned.model.cpu().eval()
        return learned, self._card(learned).seen

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return the candidate with the highest score for each sample, ties by order.

        Candidates are drawn by the seed of `prepare` and the content of the sample. Raises `UsageError` before `fit`
        or `load`, and for a sample without two topics or their domains.
        """
        from duologue.challenges.proactive.systems.matcher.network.model import scores  # needs torch

        learned = self._trained()
        swapped = self.recipe.form == "paddle" and self.recipe.dropout == "configured"
        answers = []
        for sample in samples:
            seed = _sample_seed(self._seed, sample)
            offered = self._candidates(learned.pool, sample, seed)
            row = self._row(_match_text(sample, offered, self.recipe), learned.ids)
            dropout = _PREDICTION_DROPOUT if swapped else 0.0
            scored = scores(learned.model, row, self._size.longest_answering, dropout=dropout, seed=seed)
            answers.append(Answer(text=offered[scored.index(max(scored))]))
        return answers

    def _networks(self, learned: LearnedMatcher) -> Networks:
        return {WEIGHTS: learned.model}

    def _card(self, learned: LearnedMatcher) -> MatcherCard:
        pool = learned.pool
        return MatcherCard(
            tokens=list(learned.ids), slots=list(pool.slots), entries=list(pool.entries), replies=learned.replies
        )

    def _restored(self, card: MatcherCard) -> LearnedMatcher:
        ids = _numbered(card.tokens)
        return LearnedMatcher(self._new_model(len(ids), 0), CandidatePool(card.entries, card.slots), ids, card.replies)

    def _candidates(self, pool: CandidatePool, sample: Sample, seed: int) -> list[str]:
        """Return candidates; if no other session has any, those of the sample's own session."""
        for own in (False, True):
            found = pool.candidates(sample, self._count, random.Random(seed), own=own)
            if found:
                return found
        raise UsageError(f"sample '{sample.id}': no reply of the training data fits here; train it on more sessions")

    def _new_model(self, vocabulary: int, seed: int) -> MatcherNetwork:
        from duologue.challenges.proactive.systems.matcher.network.model import new_matcher  # needs torch

        return new_matcher(self._network_size(vocabulary), seed)

    def _network_size(self, vocabulary: int) -> MatcherSize:
        from duologue.challenges.proactive.systems.matcher.network.model import MatcherSize  # needs torch

        recipe, size = self.recipe, self._size
        released = {"pytorch": 0.3, "paddle": 0.0 if recipe.dropout == "configured" else _PREDICTION_DROPOUT}
        return MatcherSize(
            vocabulary=vocabulary,
            form=recipe.form,
            knowledge=recipe.variant != "match",
            width=size.width,
            layers=size.layers,
            heads=size.heads,
            inner=size.inner,
            longest=size.longest,
            dropout=released[recipe.form],
        )

    def _plan(self, rows: int) -> TrainConfig:
        """Return the training plan for so many samples (specification, section 5.3)."""
        from duologue.models.train import TrainConfig

        recipe, size = self.recipe, self._size
        lines = (recipe.negatives or size.negatives) + 1
        epochs = recipe.epochs or max(1, min(size.epochs, size.line_limit // (rows * lines)))
        batch = max(1, (recipe.batch or size.batch) // lines)
        warm = max(1, int(epochs * math.ceil(rows / batch) * _WARM_UP))
        return TrainConfig.of(
            recipe,
            epochs=epochs,
            batch=batch,
            learning_rate=(recipe.rate or size.rate) * (size.width * warm) ** -0.5,  # the peak, at step `warm`
            warm_up=_WARM_UP,
            weight_decay=0.0,
            clip=5.0 if recipe.form == "pytorch" else math.inf,
            patience=epochs,
            optimiser="adam",
            schedule="inverse-root",
        )

    def _candidate_texts(
        self, pool: CandidatePool, examples: Sequence[Example], run: Run, wrong: int
    ) -> list[MatchText]:
        """Return the matcher text of examples with `wrong` negative replies of the pool and, last, the reference."""
        texts = []
        for one in tracked(examples, run.progress, "drawing wrong replies"):
            right = expect_reply(one)
            rng = random.Random(_sample_seed(run.seed, one.sample))
            replies = pool.candidates(one.sample, wrong, rng, unlike=(right,))
            texts.append(_match_text(one.sample, [*replies, right], self.recipe))
        return texts

    def _row(self, text: MatchText, ids: dict[str, int], *, known: bool = False) -> MatcherRow:
        """Return a text as token ids; `known`: its last reply is the reference."""
        from duologue.challenges.proactive.systems.matcher.network.batch import MatcherRow  # needs torch

        background = "" if self.recipe.variant == "match" else f"{text.goal} {_END} {text.knowledge}"
        return MatcherRow(
            _encoded(text.history, ids),
            tuple(_encoded(reply, ids) for reply in text.replies),
            _encoded(background, ids),
            len(text.replies) - 1 if known else -1,
        )


def _numbered(tokens: Sequence[str]) -> dict[str, int]:
    return {token: number for number, token in enumerate(tokens)}


def _encoded(text: str, ids: dict[str, int]) -> array[int]:
    return array("i", [ids.get(token, ids[_UNKNOWN]) for token in text.split()])


def _sample_seed(seed: int, sample: Sample) -> int:
    """Return a seed from the content of a sample, independent of its id and of other samples."""
    content = msgspec.json.encode([seed, sample.goal, sample.knowledge, [turn.text for turn in sample.history]])
    return int.from_bytes(hashlib.sha256(content).digest()[:8], "big", signed=True)  # as torch takes it


def _match_text(sample: Sample, replies: Sequence[str], recipe: MatcherRecipe) -> MatchText:
    generalise = recipe.variant == "match_kn_gene"
    try:
        return match_text(sample_row(Example(sample=sample)), replies, generalise=generalise)
    except KeyError as error:
        message = f"sample '{sample.id}': the knowledge does not say the {DOMAIN} of topic {error}"
        raise UsageError(f"{message}; the matcher needs it, as the official converter does") from error
