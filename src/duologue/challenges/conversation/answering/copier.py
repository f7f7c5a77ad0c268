"""A small transformer that answers and copies names, times and numbers from what was said: the system `copy`.

The last turns of a talk are read with who said each word and how long ago; rare words are in no vocabulary and can be
said all the same, taken from there. Text becomes pieces in `pieces`, the network is `duologue.models.seq2seq`. Recipes
stand in `recipes/`.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from duologue.challenges.conversation.answering.card import (
    NOTHING,
    WEIGHTS,
    Card,
    refuse_other,
    refuse_practice,
    seen_in,
    some,
)
from duologue.challenges.conversation.answering.pieces import pieces_of, text_of
from duologue.challenges.conversation.lessons import demand_talks, joined, lessons_of, split
from duologue.core.errors import UsageError
from duologue.core.records import Answer, Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.conversation.lessons import Talk
    from duologue.core.protocols import Brief, Progress, Run, Task, World
    from duologue.core.records import Example, Sample, Turn
    from duologue.models.decode import Limits
    from duologue.models.replying import Manner
    from duologue.models.seq2seq import CopyTransformer, Pair, Seq2SeqSize
    from duologue.models.words import Words

_AGES = 4  # turns that are told apart by how long ago they were; older ones are like the last of them
_CHUNK = 2048  # samples whose pairs are there at once

Positive = Annotated[int, msgspec.Meta(ge=1)]
Share = Annotated[float, msgspec.Meta(gt=0, lt=1)]
Rate = Annotated[float, msgspec.Meta(ge=0, lt=1)]


class CopyRecipe(Record, frozen=True):
    """What the network reads, how large it is, how it is trained and how it speaks."""

    longest_source: Positive = 80
    """Pieces of the talk that are read: its last ones."""
    longest_reply: Positive = 48
    """Pieces of a reply; longer ones are cut in training."""
    words: Positive = 8000
    """Pieces of the vocabulary at most."""
    rare: Positive = 6
    """Pieces that occur less often in training are only copied."""
    copy: bool = True
    """Whether pieces can be copied (an ablation where not)."""
    width: Positive = 160
    heads: Positive = 4
    inner: Positive = 512
    encoder_layers: Positive = 3
    decoder_layers: Positive = 2
    dropout: Rate = 0.1
    word_dropout: Rate = 0.02
    """Share of pieces read as unknown in training; they can be copied all the same."""
    epochs: Positive = 3
    batch: Positive = 48
    """Replies per step."""
    learning_rate: Annotated[float, msgspec.Meta(gt=0)] = 1.5e-3
    weight_decay: Annotated[float, msgspec.Meta(ge=0)] = 0.01
    most_lessons: Annotated[int, msgspec.Meta(ge=0)] = 60000
    """Replies that are learned at most, drawn by the seed; 0: all of them."""
    held_out: Share = 0.02
    """Share of the dialogues that tells the best weights where none are given for it."""
    most_held_out: Positive = 1500
    """Replies of these that are looked at."""
    patience: Positive = 3
    """Looks without progress before the training stops."""
    check_every: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Steps between looks at the held-out replies; 0: one after each epoch."""
    precision: Literal["float32", "bfloat16"] = "bfloat16"
    """Of matrix products in training; replies are made in float32."""
    search: Literal["greedy", "beam", "nucleus"] = "beam"
    beams: Positive = 4
    length_power: Annotated[float, msgspec.Meta(ge=0)] = 1.0
    """Of beams: replies are ordered by ln P / length ** this."""
    mass: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.9
    """Of the nucleus: words are drawn from the likeliest ones that make up so much probability."""
    heat: Annotated[float, msgspec.Meta(gt=0)] = 0.7
    """Of the nucleus: below 1 likely words become likelier."""
    checkpoint_seconds: Annotated[float, msgspec.Meta(ge=0)] = 20.0
    """Time between checkpoints."""
    threads: Positive = 1
    """Processor threads in training; other numbers give other last bits."""
    devices: Positive = 1
    """Processes that share each step."""
    device: Literal["cpu", "cuda"] = "cpu"

    @classmethod
    def tiny(cls) -> CopyRecipe:
        """Return a recipe that trains in seconds, for tests of what the system must keep to, not of what it knows."""
        return cls(
            rare=1,
            width=16,
            heads=2,
            inner=16,
            encoder_layers=1,
            decoder_layers=1,
            epochs=2,
            batch=8,
            longest_reply=12,
            held_out=0.2,
            beams=2,
            precision="float32",
        )


class Copier:
    """Write replies with a transformer that copies from the talk (a `Trainable`)."""

    Recipe: type[Record] = CopyRecipe

    def __init__(self, recipe: CopyRecipe | None = None) -> None:
        self.recipe = recipe or CopyRecipe()
        self.seen: str = "nothing yet: train it first"
        self._model: CopyTransformer | None = None
        self._words: Words | None = None
        self._seed = 0

    def prepare(self, brief: Brief, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # all it knows is in its weights
        """Take the seed, which a nucleus draws by. Raises `UsageError` for any task but `conversation`."""
        refuse_other("copy", brief.name)
        self._seed = seed

    def practice(self, task: Task, seed: int, progress: Progress | None) -> tuple[list[Example], list[Example]]:  # noqa: ARG002  # there is nothing to make
        """Raise `UsageError`: there is no simulator of this data."""
        refuse_practice("copy")

    def fit(
        self,
        examples: Sequence[Example],
        held_out: Sequence[Example],
        unlabelled: Sequence[Example],  # noqa: ARG002  # talks without replies teach it nothing
        run: Run,
    ) -> None:
        """Learn from dialogues; without held-out ones a part that begins in other words is held out.

        Interrupted, it goes on from the last checkpoint in `run.folder` and ends in the same weights. Raises
        `UsageError` when nobody answers anybody.
        """
        from duologue.models.replying import new_replier, reply_learner  # these need torch
        from duologue.models.train import Plan, train
        from duologue.models.words import Words

        recipe = self.recipe
        talks = demand_talks(examples)
        sides = (talks, demand_talks(held_out)) if held_out else split(talks, recipe.held_out, run.seed)
        learned = some(lessons_of(sides[0]), recipe.most_lessons, run.seed)
        judged = some(lessons_of(sides[1]), recipe.most_held_out, run.seed)
        words = self._words = Words.of(_texts(sides[0]), least=recipe.rare, most=recipe.words)
        model = new_replier(self._size(len(words)), run.seed)
        plan = Plan(
            epochs=recipe.epochs,
            batch=recipe.batch,
            learning_rate=recipe.learning_rate,
            weight_decay=recipe.weight_decay,
            patience=recipe.patience,
            checkpoint_seconds=recipe.checkpoint_seconds,
            threads=recipe.threads,
            precision=recipe.precision,
            choose="loss",
            check_every=recipe.check_every,
            devices=recipe.devices,
            device=recipe.device,
        )
        train(
            reply_learner(model),
            [self._pair(one.history, one.reply)[0] for one in learned],
            [self._pair(one.history, one.reply)[0] for one in judged],
            plan,
            folder=run.folder,
            seed=run.seed,
            data_hash=run.data_hash,
            progress=run.progress,
        )
        self._model = model.to("cpu")
        self.seen = seen_in(talks)

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return a reply to each sample, never an empty one. Raises `UsageError` before `fit` or `load`."""
        from duologue.models.replying import replies  # needs torch

        model, words = self._ready()
        answers: list[Answer] = []
        for start in range(0, len(samples), _CHUNK):
            chunk = samples[start : start + _CHUNK]
            asked = [self._pair(joined(one.history)) for one in chunk]
            seeds = [_stream(self._seed, one) for one in chunk]
            said = replies(model, [pair for pair, _ in asked], self._manner(), self._limits(), seeds=seeds)
            for (_, unknown), found in zip(asked, said, strict=True):
                answers.append(Answer(text=text_of(words.text(found[0].words, unknown)) or NOTHING))
        return answers

    def save(self, folder: Path) -> None:
        """Write the weights and the vocabulary."""
        from duologue.models.weights import save_weights  # needs torch

        model, words = self._ready()
        save_weights(model, folder / WEIGHTS)
        Card(words=list(words.words), seen=self.seen).save(folder)

    def load(self, folder: Path) -> None:
        """Take up what `save` wrote; raises `StorageError` when a file is missing or damaged."""
        from duologue.models.replying import new_replier  # these need torch
        from duologue.models.weights import load_weights
        from duologue.models.words import Words

        card = Card.load(folder)
        words = Words(card.words)
        model = new_replier(self._size(len(words)), 0)
        load_weights(model, folder / WEIGHTS)
        self._model, self._words, self.seen = model.eval(), words, card.seen

    def _ready(self) -> tuple[CopyTransformer, Words]:
        if self._model is None or self._words is None:
            raise UsageError("copy has not learned yet; train it, or load a trained one")
        return self._model, self._words

    def _pair(self, history: Sequence[Turn], reply: str = "") -> tuple[Pair, list[str]]:
        """Return joined turns and a reply as numbers, with the unknown words of the turns that are read."""
        from duologue.models.seq2seq import Pair  # needs torch

        assert self._words is not None, "words come before pairs"
        read: list[tuple[str, int]] = []
        for age, turn in enumerate(reversed(history)):
            kind = 2 * min(age, _AGES - 1) + (turn.speaker == "system")
            read = [(piece, kind) for piece in pieces_of(turn.text)] + read
            if len(read) >= self.recipe.longest_source:
                break
        read = read[-self.recipe.longest_source :]
        source, unknown = self._words.source(piece for piece, _ in read)
        target = self._words.target(pieces_of(reply)[: self.recipe.longest_reply], unknown)
        return Pair(source, [kind for _, kind in read], target), unknown

    def _size(self, vocabulary: int) -> Seq2SeqSize:
        from duologue.models.seq2seq import Seq2SeqSize  # needs torch

        recipe = self.recipe
        return Seq2SeqSize(
            vocabulary=vocabulary,
            kinds=2 * _AGES,
            width=recipe.width,
            heads=recipe.heads,
            inner=recipe.inner,
            encoder_layers=recipe.encoder_layers,
            decoder_layers=recipe.decoder_layers,
            dropout=recipe.dropout,
            word_dropout=recipe.word_dropout,
            copy=recipe.copy,
        )

    def _manner(self) -> Manner:
        from duologue.models.replying import Manner  # needs torch

        recipe = self.recipe
        return Manner(
            search=recipe.search,
            width=recipe.beams,
            length_power=recipe.length_power,
            mass=recipe.mass,
            heat=recipe.heat,
        )

    def _limits(self) -> Limits:
        from duologue.models.decode import Limits  # needs torch

        return Limits(longest=self.recipe.longest_reply)


def _texts(talks: Sequence[Talk]) -> Iterator[list[str]]:
    return (pieces_of(turn.text) for talk in talks for turn in talk.turns)


def _stream(seed: int, sample: Sample) -> int:
    """Return the seed of a sample's own chance."""
    return int.from_bytes(hashlib.sha256(f"{seed}\n{sample.id}".encode()).digest()[:8], "big")
