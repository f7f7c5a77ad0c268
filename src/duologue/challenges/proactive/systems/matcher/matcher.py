"""The retrieval baseline: a reply of another session, with the sample's own topics and facts, chosen by a model.

Candidates are those of `candidates` (specification, section 5.1), their text is that of `formats.matcher_text` (5.2),
the model that of `network.model` (5.3). Candidates come with their slots filled, and what is returned is the candidate
itself, not what the model read of it: unlike in the released programs, no reply holds a slot, in a live dialogue
neither.
"""

from __future__ import annotations

import hashlib
import math
import random
from array import array
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import msgspec

from duologue.challenges.proactive.formats.files import sample_row
from duologue.challenges.proactive.formats.matcher_text import MatchText, dictionary_of, match_text
from duologue.challenges.proactive.schema import DOMAIN
from duologue.challenges.proactive.systems.holdout import split
from duologue.challenges.proactive.systems.matcher.candidates import Bank, Entry
from duologue.core.disk import read_bytes, write_bytes
from duologue.core.errors import StorageError, UsageError
from duologue.core.records import Answer, Example, Record
from duologue.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.proactive.systems.matcher.network.batch import Row
    from duologue.challenges.proactive.systems.matcher.network.model import Matcher as Network
    from duologue.challenges.proactive.systems.matcher.network.model import MatcherSize
    from duologue.core.protocols import Brief, Progress, Run, Task, World
    from duologue.core.records import Sample
    from duologue.models.train import Plan

WEIGHTS, CARD = "weights.safetensors", "matcher.json"
_UNKNOWN, _END = "[UNK]", "[SEP]"
_ALWAYS = 0.1
"""Share of numbers that the released paddle program drops in prediction."""

_WARM = 0.1
"""Share of all steps in which the learning rate rises."""

Positive = Annotated[int, msgspec.Meta(ge=1)]
Share = Annotated[float, msgspec.Meta(gt=0, lt=1)]


class Size(NamedTuple):
    """Sizes of the model, and for how long it is trained."""

    width: int
    layers: int
    heads: int
    inner: int
    longest: int
    """Tokens of a line in training."""
    longest_answering: int
    epochs: int
    most: int
    """Lines (a sample with one reply) that the model reads in training; there are fewer epochs of more data."""
    negatives: int = 9
    batch: int = 128
    rate: float = 0.1


SIZES = {
    "published": Size(256, 4, 8, 1024, longest=256, longest_answering=128, epochs=30, most=10**9),
    "small": Size(128, 2, 4, 512, 64, 64, epochs=12, most=400_000, negatives=4, batch=60, rate=0.2),
    "tiny": Size(16, 1, 2, 32, longest=64, longest_answering=64, epochs=1, most=10_000),
}


class MatcherRecipe(Record, frozen=True):
    """Which of the released matchers, how large, and how it is trained; the rest is as published."""

    variant: Literal["match", "match_kn", "match_kn_gene"] = "match_kn_gene"
    """`match` reads history and reply, `match_kn` goal and knowledge too, `match_kn_gene` with slots for topics."""
    form: Literal["pytorch", "paddle"] = "pytorch"
    """The released program whose network it is."""
    dropout: Literal["configured", "mended"] = "configured"
    """`configured`: as released; in `paddle` that is none in training and 0.1 in prediction, evidently swapped, which
    `mended` puts right. In `pytorch` both are 0.3 in training and none in prediction."""
    size: Literal["small", "published", "tiny"] = "small"
    """`small` trains on two cores; `published` is 256 wide with 4 layers; `tiny` is for tests."""
    epochs: Positive | None = None
    """Where not given, those of the size: 30 for `published`; for `small` up to 12, fewer where that would be more than
    400,000 lines, but one at least."""
    negatives: Positive | None = None
    """Wrong replies per sample in training; where not given 9, for `small` 4."""
    candidates: Positive = 10
    """Replies to choose from in prediction."""
    live_candidates: Positive = 50
    """The same in a talk with a person."""
    batch: Positive | None = None
    """Lines (a sample with one reply) per step; where not given 128, for `small` 60. Those of a sample stay together,
    so that its knowledge is read once: steps have as many whole samples as fit."""
    rate: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """Factor of the learning rate, rate * width^-0.5 * min(step^-0.5, step * warm^-1.5); where not given 0.1, for
    `small` 0.2."""
    held_out: Share = 0.05
    """Share of the examples that choose the best epoch where none are given for it; no pair of topics on both sides.
    They have as many replies as there are `candidates`."""
    precision: Literal["bfloat16", "float32"] = "bfloat16"
    """Of matrix products in training."""
    checkpoint_seconds: Annotated[float, msgspec.Meta(ge=0)] = 30.0
    """Time between checkpoints."""
    threads: Positive = 2
    """Processor threads in training; other numbers give other last bits."""
    devices: Positive = 1
    """Processes that share each step of training."""
    device: Literal["cpu", "cuda"] = "cpu"
    """What they work on."""

    @classmethod
    def tiny(cls) -> MatcherRecipe:
        """Return a recipe that trains in seconds, for tests of what a matcher must keep to, not of what it knows."""
        return cls(size="tiny", precision="float32", threads=1, negatives=3, held_out=0.3)


class Card(Record, frozen=True):
    """What a trained matcher needs besides its weights."""

    tokens: list[str]
    """The dictionary, special tokens first."""
    slots: list[str]
    entries: list[Entry]
    """The bank."""
    replies: int
    """Replies that it was trained on."""


class Matcher:
    """Choose among replies of other sessions by a trained matcher (a `Trainable`)."""

    Recipe: type[Record] = MatcherRecipe
    scope = Scope(tasks=("proactive",))
    extras = ("models",)

    def __init__(self, recipe: MatcherRecipe | None = None) -> None:
        self.recipe = recipe or MatcherRecipe()
        self.seen: str = "nothing yet"
        self._count = self.recipe.candidates
        self._seed = 0
        self._size = SIZES[self.recipe.size]
        self._model: Network | None = None
        self._bank = Bank((), ())
        self._ids: dict[str, int] = {}
        self._replies = 0

    def prepare(self, brief: Brief, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # one task, no knowledge base
        """Draw candidates by `seed` from now on. Raises `UsageError` for another task."""
        _only_proactive(brief.name)
        self._seed = seed

    def go_live(self) -> None:
        """Choose among as many candidates as in a talk with a person from now on."""
        self._count = self.recipe.live_candidates

    def practice(self, task: Task, seed: int, progress: Progress | None) -> tuple[list[Example], list[Example]]:  # noqa: ARG002  # there is nothing to make
        """Raise `UsageError`: there is no simulator of this data."""
        _only_proactive(task.brief.name)
        raise UsageError("the matcher learns from real sessions; give them with --train FILE.jsonl[.gz]")

    def fit(
        self,
        examples: Sequence[Example],
        held_out: Sequence[Example],
        unlabelled: Sequence[Example],  # noqa: ARG002  # without replies there is nothing to match
        run: Run,
    ) -> None:
        """Learn from examples with replies; without held-out ones a part of them is held out.

        Wrong replies are drawn once, by the seed of the run. Interrupted, it goes on from the last checkpoint in
        `run.folder` and ends in the same weights. Raises `UsageError` for an example without a reply, two topics or
        their domains, and where nothing can be held out.
        """
        from duologue.challenges.proactive.systems.matcher.network.model import learner, new_matcher  # needs torch
        from duologue.models.train import train

        recipe = self.recipe
        _demand_replies([*examples, *held_out])
        if not held_out:
            examples, held_out = split(examples, recipe.held_out, run.seed)
        self._bank = Bank.of(examples)
        texts = self._lists(examples, run, recipe.negatives or self._size.negatives)
        tokens = dictionary_of(texts, knowledge=recipe.variant != "match")
        self._learned(tokens, len(examples))
        rows = [self._row(text, known=True) for text in texts]
        judged = [self._row(text, known=True) for text in self._lists(held_out, run, recipe.candidates - 1)]
        model = new_matcher(self._network(len(tokens)), run.seed)
        train(
            learner(model),
            rows,
            judged,
            self._plan(len(rows)),
            folder=run.folder,
            seed=run.seed,
            identity=run.identity,
            progress=run.progress,
        )
        self._model = model.cpu().eval()

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return the candidate with the highest score for each sample; of equal ones the first.

        Candidates are drawn by the seed of `prepare` and the content of the sample. Raises `UsageError` before `fit`
        or `load`, and for a sample without two topics or their domains.
        """
        from duologue.challenges.proactive.systems.matcher.network.model import scores  # needs torch

        if self._model is None:
            raise UsageError("the matcher has not learned yet; train it, or load a trained one")
        swapped = self.recipe.form == "paddle" and self.recipe.dropout == "configured"
        answers = []
        for sample in samples:
            seed = _stream(self._seed, sample)
            offered = self._offered(sample, seed)
            row = self._row(_text(sample, offered, self.recipe))
            dropout = _ALWAYS if swapped else 0.0
            scored = scores(self._model, row, self._size.longest_answering, dropout=dropout, seed=seed)
            answers.append(Answer(text=offered[scored.index(max(scored))]))
        return answers

    def save(self, folder: Path) -> None:
        """Write the weights, the dictionary and the bank."""
        from duologue.models.weights import save_weights  # needs torch

        if self._model is None:
            raise UsageError("there is nothing to save: the matcher has not learned yet")
        save_weights(self._model, folder / WEIGHTS)
        bank = self._bank
        card = Card(tokens=list(self._ids), slots=list(bank.slots), entries=list(bank.entries), replies=self._replies)
        write_bytes(folder / CARD, msgspec.json.encode(card) + b"\n")

    def load(self, folder: Path) -> None:
        """Take up what `save` wrote; raises `StorageError` when a file is missing or damaged."""
        from duologue.challenges.proactive.systems.matcher.network.model import new_matcher  # needs torch
        from duologue.models.weights import load_weights

        path = folder / CARD
        try:
            card = msgspec.json.decode(read_bytes(path), type=Card)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise StorageError(f"{path} is not what a trained matcher saves ({error}); train it again") from error
        model = new_matcher(self._network(len(card.tokens)), 0)
        load_weights(model, folder / WEIGHTS)
        self._bank, self._model = Bank(card.entries, card.slots), model.eval()
        self._learned(card.tokens, card.replies)

    def _offered(self, sample: Sample, seed: int) -> list[str]:
        """Return candidates; where no other session has any, those of the sample's own, which is better than none."""
        for own in (False, True):
            found = self._bank.candidates(sample, self._count, random.Random(seed), own=own)
            if found:
                return found
        raise UsageError(f"sample '{sample.id}': no reply of the training data fits here; train it on more sessions")

    def _learned(self, tokens: Sequence[str], replies: int) -> None:
        self._ids = {token: number for number, token in enumerate(tokens)}
        self._replies = replies
        self.seen = f"{replies} agent turns of the given sessions"

    def _network(self, vocabulary: int) -> MatcherSize:
        from duologue.challenges.proactive.systems.matcher.network.model import MatcherSize  # needs torch

        recipe, size = self.recipe, self._size
        released = {"pytorch": 0.3, "paddle": 0.0 if recipe.dropout == "configured" else _ALWAYS}
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

    def _plan(self, rows: int) -> Plan:
        """Return how to train on so many samples; the schedule of the specification, section 5.3."""
        from duologue.models.train import Plan

        recipe, size = self.recipe, self._size
        lines = (recipe.negatives or size.negatives) + 1
        epochs = recipe.epochs or max(1, min(size.epochs, size.most // (rows * lines)))
        batch = max(1, (recipe.batch or size.batch) // lines)
        warm = max(1, int(epochs * math.ceil(rows / batch) * _WARM))
        return Plan(
            epochs=epochs,
            batch=batch,
            learning_rate=(recipe.rate or size.rate) * (size.width * warm) ** -0.5,  # reached at step `warm`
            warm_up=_WARM,
            weight_decay=0.0,
            clip=5.0 if recipe.form == "pytorch" else math.inf,
            patience=epochs,
            checkpoint_seconds=recipe.checkpoint_seconds,
            threads=recipe.threads,
            optimiser="adam",
            schedule="inverse-root",
            precision=recipe.precision,
            devices=recipe.devices,
            device=recipe.device,
        )

    def _lists(self, examples: Sequence[Example], run: Run, wrong: int) -> list[MatchText]:
        """Return the text of examples with so many wrong replies of the bank and, last, the right one."""
        texts = []
        for done, one in enumerate(examples):
            right = one.references[0].text or ""
            chance = random.Random(_stream(run.seed, one.sample))
            replies = self._bank.candidates(one.sample, wrong, chance, unlike=(right,))
            texts.append(_text(one.sample, [*replies, right], self.recipe))
            if run.progress is not None and done % 1000 == 0:
                run.progress(done, len(examples), "drawing wrong replies")
        return texts

    def _row(self, text: MatchText, *, known: bool = False) -> Row:
        """Return a text as numbers; `known`: its last reply is the right one."""
        from duologue.challenges.proactive.systems.matcher.network.batch import Row  # needs torch

        background = "" if self.recipe.variant == "match" else f"{text.goal} {_END} {text.knowledge}"
        return Row(
            self._numbers(text.history),
            tuple(map(self._numbers, text.replies)),
            self._numbers(background),
            len(text.replies) - 1 if known else -1,
        )

    def _numbers(self, text: str) -> array[int]:
        unknown = self._ids[_UNKNOWN]
        return array("i", [self._ids.get(token, unknown) for token in text.split()])


def _only_proactive(task: str) -> None:
    if task != "proactive":
        raise UsageError(f"the matcher answers task 'proactive' alone, found '{task}'")


def _demand_replies(examples: Sequence[Example]) -> None:
    for one in examples:
        if not one.references or not one.references[0].text:
            raise UsageError(f"sample '{one.sample.id}' has no reply; training needs one in each")


def _stream(seed: int, sample: Sample) -> int:
    """Return the seed of a sample's own chance: its name and what else is asked do not matter."""
    content = msgspec.json.encode([seed, sample.goal, sample.knowledge, [turn.text for turn in sample.history]])
    return int.from_bytes(hashlib.sha256(content).digest()[:8], "big", signed=True)  # as torch takes it


def _text(sample: Sample, replies: Sequence[str], recipe: MatcherRecipe) -> MatchText:
    generalise = recipe.variant == "match_kn_gene"
    try:
        return match_text(sample_row(Example(sample=sample)), replies, generalise=generalise)
    except KeyError as error:
        message = f"sample '{sample.id}': the knowledge does not say the {DOMAIN} of topic {error}"
        raise UsageError(f"{message}; the matcher needs it, as the official converter does") from error
