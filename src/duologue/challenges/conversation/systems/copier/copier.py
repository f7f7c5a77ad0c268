"""A small transformer that answers and copies names, times and numbers from what was said: the system `copy`.

All replies of a talk are learned in one pass over it. Rare words are in no vocabulary and can be said all the same,
taken from the talk so far. Text becomes numbers in `tokenizer_windows`, the network is in `network`.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec

from duologue.challenges.conversation.formats.training_pairs import joined
from duologue.challenges.conversation.systems.generator import Writer
from duologue.challenges.conversation.systems.model_card import NOTHING
from duologue.challenges.conversation.systems.tokenizer import pieces_of, text_of
from duologue.core.records import Answer, Record
from duologue.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.conversation.formats.training_pairs import Talk
    from duologue.challenges.conversation.systems.copier.network.decoder_lm import Talker, TalkerSize, Told
    from duologue.challenges.conversation.systems.copier.tokenizer_windows import Teller
    from duologue.core.records import Sample
    from duologue.models.decode import Limits
    from duologue.models.sampling import SamplingConfig
    from duologue.models.train import Plan, Subject
    from duologue.models.words import Words

_CHUNK = 2048  # samples whose talks are there at once

Positive = Annotated[int, msgspec.Meta(ge=1)]
Rate = Annotated[float, msgspec.Meta(ge=0, lt=1)]


class CopyRecipe(Record, frozen=True):
    """What the network reads, how large it is, how it is trained and how it speaks."""

    renamed: ClassVar[dict[str, str]] = {"mass": "top_p", "heat": "temperature"}
    """Former names of entries."""
    longest: Annotated[int, msgspec.Meta(ge=8)] = 320
    """Pieces of a talk that are read: its last ones. Longer talks are learned in windows."""
    longest_reply: Positive = 48
    """Pieces of a reply; of longer ones the first are read."""
    words: Positive = 6000
    """Pieces of the vocabulary at most."""
    rare: Positive = 8
    """Pieces that occur less often in training are only copied."""
    width: Positive = 192
    heads: Positive = 4
    inner: Positive = 512
    layers: Positive = 3
    dropout: Rate = 0.0
    word_dropout: Rate = 0.02
    """Share of pieces read as unknown in training; they can be copied all the same."""
    epochs: Positive = 2
    batch: Positive = 6
    """Talks per step."""
    learning_rate: Annotated[float, msgspec.Meta(gt=0)] = 2e-3
    weight_decay: Annotated[float, msgspec.Meta(ge=0)] = 0.01
    most_talks: Annotated[int, msgspec.Meta(ge=0)] = 7000
    """Dialogues that are learned at most, drawn by the seed, small files before large ones; 0: all of them."""
    repeats: Positive = 6
    """Times that dialogues of a small file are learned in an epoch, as far as none outgrows the largest file."""
    held_out: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.02
    """Share of the dialogues that tells the best weights where none are given for it."""
    patience: Positive = 3
    """Looks without progress before the training stops."""
    check_every: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Steps between looks at the held-out dialogues; 0: one after each epoch."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """Of matrix products in training; replies are made in float32."""
    search: Literal["greedy", "beam", "nucleus"] = "nucleus"
    once: Annotated[int, msgspec.Meta(ge=0)] = 3
    """A run of so many pieces that a reply does not say twice; 0: it may say anything again."""
    beams: Positive = 4
    length_power: Annotated[float, msgspec.Meta(ge=0)] = 1.0
    """Of beams: replies are ordered by ln P / length ** this."""
    draws: Positive = 8
    """Of nucleus sampling: replies drawn, of which the one is said with which the others agree most."""
    top_p: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.9
    """Of nucleus sampling: words are drawn from the most probable ones whose probabilities sum to this."""
    temperature: Annotated[float, msgspec.Meta(gt=0)] = 0.7
    """Of nucleus sampling: the sampling temperature."""
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
            longest=48,
            longest_reply=12,
            rare=1,
            width=16,
            heads=2,
            inner=16,
            layers=1,
            epochs=2,
            batch=4,
            held_out=0.2,
            beams=2,
            draws=2,
        )


class Copier(Writer[CopyRecipe, "Talker"]):
    """Write replies with a transformer that copies from the talk (a `Trainable`)."""

    Recipe: type[Record] = CopyRecipe
    scope = Scope(tasks=("conversation",))
    extras = ("models",)
    name = "copy"

    def __init__(self, recipe: CopyRecipe | None = None) -> None:
        super().__init__(recipe or CopyRecipe())

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return a reply to each sample, never an empty one. Raises `UsageError` before `fit` or `load`."""
        from duologue.challenges.conversation.systems.copier.network.generation import talk_replies  # needs torch

        model, words = self._ready()
        teller = self._teller(words)
        answers: list[Answer] = []
        for start in range(0, len(samples), _CHUNK):
            chunk = samples[start : start + _CHUNK]
            asked = [teller.question(joined(one.history)) for one in chunk]
            seeds = [_stream(self._seed, one) for one in chunk]
            said = talk_replies(model, [told for told, _ in asked], self._sampling(), self._limits(), seeds=seeds)
            for (_, unknown), found in zip(asked, said, strict=True):
                texts = [words.text(one.words, unknown) for one in found]
                answers.append(Answer(text=text_of(self._chosen(texts)) or NOTHING))
        return answers

    def _chosen(self, texts: Sequence[Sequence[str]]) -> Sequence[str]:
        """Return the first text; of several that were drawn the one with which the others agree most."""
        from duologue.challenges.conversation.systems.mbr import most_agreed  # needs numpy

        drawn = self.recipe.search == "nucleus" and len(texts) > 1
        return texts[most_agreed(texts, [1.0] * len(texts)) if drawn else 0]

    def _vocabulary(self, talks: Sequence[Talk]) -> Words:
        from duologue.models.words import Words

        texts = (pieces_of(turn.text) for talk in talks for turn in talk.turns)
        return Words.of(texts, least=self.recipe.rare, most=self.recipe.words)

    def _new(self, vocabulary: int, seed: int) -> Talker:
        from duologue.challenges.conversation.systems.copier.network.generation import new_talker  # needs torch

        return new_talker(self._size(vocabulary), seed)

    def _learner(self, model: Talker) -> Subject[Told, Any]:
        from duologue.challenges.conversation.systems.copier.network.generation import talker_learner  # needs torch

        return talker_learner(model)

    def _lessons(self, talk: Talk) -> list[Told]:
        assert self._words is not None, "words come before numbers"
        return self._teller(self._words).lessons(talk.turns)

    def _plan(self) -> Plan:
        from duologue.models.train import Plan  # needs torch

        recipe = self.recipe
        return Plan(
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

    def _teller(self, words: Words) -> Teller:
        from duologue.challenges.conversation.systems.copier.tokenizer_windows import Teller  # needs torch

        return Teller(words, longest=self.recipe.longest, longest_reply=self.recipe.longest_reply)

    def _size(self, vocabulary: int) -> TalkerSize:
        from duologue.challenges.conversation.systems.copier.network.decoder_lm import TalkerSize  # needs torch

        recipe = self.recipe
        return TalkerSize(
            vocabulary=vocabulary,
            places=2 * recipe.longest,  # marks are no pieces, and a reply follows
            width=recipe.width,
            heads=recipe.heads,
            inner=recipe.inner,
            layers=recipe.layers,
            dropout=recipe.dropout,
            word_dropout=recipe.word_dropout,
        )

    def _sampling(self) -> SamplingConfig:
        from duologue.models.sampling import SamplingConfig  # needs torch

        recipe = self.recipe
        return SamplingConfig(
            search=recipe.search,
            width=recipe.beams,
            length_power=recipe.length_power,
            patient=True,
            draws=recipe.draws,
            top_p=recipe.top_p,
            temperature=recipe.temperature,
        )

    def _limits(self) -> Limits:
        from duologue.models.decode import Limits  # needs torch

        return Limits(longest=self.recipe.longest_reply, once=self.recipe.once)


def _stream(seed: int, sample: Sample) -> int:
    """Return the seed of a sample's own chance."""
    return int.from_bytes(hashlib.sha256(f"{seed}\n{sample.id}".encode()).digest()[:8], "big")
