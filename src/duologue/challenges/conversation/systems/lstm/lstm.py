"""The baseline of the challenge, `lstm`: an encoder-decoder whose state goes on from turn to turn (section 9).

Text becomes numbers here, the network is in `network`. Recipes stand in `recipes/`: the published sizes and
settings, and the small size that is the default. Where the released program makes batches smaller for long texts and
cuts none, batches here have one size and texts can be cut: that changes memory, not what is learned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from duologue.challenges.conversation.formats.training_pairs import Exchange, exchanges, joined
from duologue.challenges.conversation.systems.generator import Writer
from duologue.challenges.conversation.systems.model_card import NOTHING
from duologue.challenges.conversation.systems.tokenizer import pieces_of, text_of
from duologue.core.records import Answer, Record
from duologue.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.challenges.conversation.formats.training_pairs import Talk
    from duologue.challenges.conversation.systems.lstm.network.encoder_decoder import EncDec, EncDecSize, Turned
    from duologue.challenges.conversation.systems.lstm.network.layers import State
    from duologue.core.records import Sample
    from duologue.models.decode import Reply
    from duologue.models.train import Plan, Subject
    from duologue.models.words import Words

_CHUNK = 64  # samples that are answered at once

Positive = Annotated[int, msgspec.Meta(ge=1)]
Rate = Annotated[float, msgspec.Meta(ge=0, lt=1)]


class LstmRecipe(Record, frozen=True):
    """Sizes, readings, training and search of the baseline."""

    cut: Literal["pieces", "words"] = "pieces"
    """What a word is: with the punctuation around it apart, or whatever stands between white space (published)."""
    vocabulary: Annotated[int, msgspec.Meta(ge=5)] = 6000
    """Words at most, with four special ones."""
    longest_text: Positive = 60
    """Words of a text that are read: of what was heard the last ones, of a reply the first."""
    longest_talk: Positive = 30
    """Exchanges of a talk that are learned in one go: longer talks are cut; of an open one the last are read."""
    embedding: Positive = 100
    """Numbers per word."""
    hidden: Positive = 192
    """Numbers per state."""
    layers: Positive = 2
    dropout: Rate = 0.1
    """Share of a layer's output that the next layer does not see in training."""
    spread: Annotated[float, msgspec.Meta(gt=0)] = 0.1
    """First weights are drawn evenly from -spread to spread."""
    carry_training: Literal["encoder", "decoder"] = "encoder"
    """Whose state a turn hands to the next in training; the released program: the encoder's."""
    carry_answering: Literal["encoder", "decoder"] = "encoder"
    """Whose state in validation and when answering; the released program: the decoder's."""
    epochs: Positive = 2
    batch: Positive = 16
    """Dialogues per step."""
    learning_rate: Annotated[float, msgspec.Meta(gt=0)] = 3e-3
    schedule: Literal["cosine", "constant"] = "cosine"
    clip: Annotated[float, msgspec.Meta(gt=0)] = 5.0
    """Largest norm of the gradient."""
    most_talks: Annotated[int, msgspec.Meta(ge=0)] = 6500
    """Dialogues that are learned at most, drawn by the seed, small files before large ones; 0: all of them."""
    repeats: Positive = 6
    """Times that dialogues of a small file are learned in an epoch, as far as none outgrows the largest file."""
    held_out: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.02
    """Share of the dialogues that tells the best weights where none are given for it."""
    patience: Positive = 3
    """Looks without progress before the training stops."""
    check_every: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Steps between looks at the held-out dialogues; 0: one after each epoch."""
    search: Literal["bonus", "beam", "greedy"] = "bonus"
    """`bonus`: the released program's; `beam` and `greedy`: those of the house."""
    beams: Positive = 5
    longest_reply: Annotated[int, msgspec.Meta(ge=2)] = 30
    """Steps of the search."""
    bonus: Annotated[float, msgspec.Meta(ge=0)] = 1.0
    """What a word is worth beside ln P, in the search of that name."""
    length_power: Annotated[float, msgspec.Meta(ge=0)] = 1.0
    """Of the search `beam`: replies are ordered by ln P / length ** this."""
    checkpoint_seconds: Annotated[float, msgspec.Meta(ge=0)] = 20.0
    """Time between checkpoints."""
    threads: Positive = 1
    """Processor threads in training; other numbers give other last bits."""
    devices: Positive = 1
    """Processes that share each step."""
    device: Literal["cpu", "cuda"] = "cpu"

    @classmethod
    def tiny(cls) -> LstmRecipe:
        """Return a recipe that trains in seconds, for tests of what the system must keep to, not of what it knows."""
        return cls(embedding=8, hidden=8, epochs=2, batch=4, longest_reply=8, held_out=0.2, beams=2)


class LstmBaseline(Writer[LstmRecipe, "EncDec"]):
    """Write replies by an encoder-decoder of LSTM layers, the baseline of the challenge (a `Trainable`)."""

    Recipe: type[Record] = LstmRecipe
    scope = Scope(tasks=("conversation",))
    extras = ("models",)
    name = "lstm"

    def __init__(self, recipe: LstmRecipe | None = None) -> None:
        super().__init__(recipe or LstmRecipe())

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return a reply to each sample, never an empty one. Raises `UsageError` before `fit` or `load`."""
        _, words = self._ready()
        talks = [_open(exchanges(joined(sample.history))) for sample in samples]
        asked = [self._numbers(talk[-self.recipe.longest_talk :]) for talk in talks]
        order = sorted(range(len(asked)), key=lambda place: len(asked[place]))
        answers: list[Answer] = [Answer(text=NOTHING)] * len(samples)
        for start in range(0, len(order), _CHUNK):
            places = order[start : start + _CHUNK]
            for place, reply in zip(places, self._replies([asked[place] for place in places]), strict=True):
                answers[place] = Answer(text=text_of(words.text(reply.words)) or NOTHING)
        return answers

    def _replies(self, talks: Sequence[Sequence[Turned]]) -> list[Reply]:
        from duologue.challenges.conversation.systems.lstm.network.search import using

        model, _ = self._ready()
        with using(model, talks) as state:
            return self._found(model, state, len(talks))

    def _found(self, model: EncDec, state: State, rows: int) -> list[Reply]:
        from duologue.challenges.conversation.systems.lstm.network.search import search
        from duologue.models.decode import Limits, beam, greedy  # these need torch
        from duologue.models.words import END

        recipe = self.recipe
        if recipe.search == "bonus":
            found = search(model, state, width=recipe.beams, longest=recipe.longest_reply, bonus=recipe.bonus)
            return [each[0] for each in found]
        limits = Limits(longest=recipe.longest_reply, begin=END)
        if recipe.search == "greedy":
            return greedy(model, state, rows, limits)
        many = beam(model, state, rows, limits, width=recipe.beams, length_power=recipe.length_power)
        return [each[0] for each in many]

    def _vocabulary(self, talks: Sequence[Talk]) -> Words:
        from duologue.models.words import SPECIAL, Words

        texts = (pieces_of(turn.text, self.recipe.cut) for talk in talks for turn in talk.turns)
        return Words.of(texts, most=self.recipe.vocabulary - len(SPECIAL))

    def _new(self, vocabulary: int, seed: int) -> EncDec:
        from duologue.challenges.conversation.systems.lstm.network.search import new_encdec  # needs torch

        return new_encdec(self._size(vocabulary), seed)

    def _learner(self, model: EncDec) -> Subject[Sequence[Turned], Any]:
        from duologue.challenges.conversation.systems.lstm.network.search import talk_learner  # needs torch

        return talk_learner(model)

    def _lessons(self, talk: Talk) -> Iterator[list[Turned]]:
        """Yield a talk's exchanges as numbers, in parts where there are too many."""
        whole, most = talk.exchanges(), self.recipe.longest_talk
        return (self._numbers(whole[start : start + most]) for start in range(0, len(whole), most))

    def _numbers(self, talk: Sequence[Exchange]) -> list[Turned]:
        """Return exchanges as numbers; where nothing was heard, the end of a text alone."""
        from duologue.challenges.conversation.systems.lstm.network.encoder_decoder import Turned  # these need torch
        from duologue.models.words import END

        assert self._words is not None, "words come before numbers"
        longest, cut, told = self.recipe.longest_text, self.recipe.cut, self._words.target
        return [
            Turned(
                tuple(told(pieces_of(one.heard, cut)[-longest:])) or (END,),
                tuple(told(pieces_of(one.said, cut)[:longest])),
            )
            for one in talk
        ]

    def _plan(self) -> Plan:
        from duologue.models.train import Plan  # needs torch

        recipe = self.recipe
        return Plan(
            epochs=recipe.epochs,
            batch=recipe.batch,
            learning_rate=recipe.learning_rate,
            warm_up=0.0,
            weight_decay=0.0,
            clip=recipe.clip,
            patience=recipe.patience,
            checkpoint_seconds=recipe.checkpoint_seconds,
            threads=recipe.threads,
            optimiser="adam",
            schedule=recipe.schedule,
            choose="loss",
            check_every=recipe.check_every,
            devices=recipe.devices,
            device=recipe.device,
        )

    def _size(self, vocabulary: int) -> EncDecSize:
        from duologue.challenges.conversation.systems.lstm.network.encoder_decoder import EncDecSize  # needs torch

        recipe = self.recipe
        return EncDecSize(
            vocabulary=vocabulary,
            words=recipe.embedding,
            hidden=recipe.hidden,
            layers=recipe.layers,
            dropout=recipe.dropout,
            spread=recipe.spread,
            carry_training=recipe.carry_training,
            carry_answering=recipe.carry_answering,
        )


def _open(talk: list[Exchange]) -> list[Exchange]:
    """Return exchanges that end with one to be answered: what is heard there may be nothing at all."""
    return talk if talk and not talk[-1].said else [*talk, Exchange("", "")]
