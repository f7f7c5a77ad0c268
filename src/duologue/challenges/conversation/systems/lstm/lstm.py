"""System `lstm`, the baseline of the challenge: an LSTM encoder-decoder with state carried across turns (section 9).

`recipes/` holds the published sizes and settings, and the small default. The released program shrinks batches for long
texts and truncates none; here the batch size is fixed and texts can be truncated, which changes memory use only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec

from duologue.challenges.conversation.formats.training_pairs import UtterancePair, merged_turns, utterance_pairs
from duologue.challenges.conversation.systems.generator import FALLBACK_REPLY, NeuralGenerator, NeuralGeneratorRecipe
from duologue.challenges.conversation.systems.tokenizer import detokenize, tokenize
from duologue.core.bounds import Count, Dropout, NonNegative, Positive, PositiveFloat, Stacked
from duologue.core.records import Answer, Record
from duologue.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.challenges.conversation.formats.training_pairs import TrainingDialogue
    from duologue.challenges.conversation.systems.lstm.network.encoder_decoder import (
        EncodedTurn,
        EncoderDecoder,
        EncoderDecoderConfig,
    )
    from duologue.challenges.conversation.systems.lstm.network.layers import LstmState
    from duologue.core.records import Sample
    from duologue.models.decode import Reply
    from duologue.models.train import TrainingTask
    from duologue.models.vocabulary import CopyVocabulary

_CHUNK = 64  # samples per batch


class LstmRecipe(NeuralGeneratorRecipe, frozen=True):
    """Vocabulary, network sizes, training and search of the baseline."""

    cut: Literal["pieces", "words"] = "pieces"
    """Tokenization: punctuation split off, or at white space alone (published)."""
    vocabulary: Annotated[int, msgspec.Meta(ge=5)] = 6000
    """Maximum size of the vocabulary, four special tokens included."""
    longest_text: Positive = 60
    """Maximum tokens per utterance: the last ones of a user utterance, the first of a reply."""
    longest_talk: Positive = 30
    """Maximum utterance pairs per training example; longer dialogues are cut. At inference the last ones are read."""
    embedding: Positive = 100
    """Embedding size."""
    hidden: Positive = 192
    """Hidden size."""
    layers: Stacked = 2
    dropout: Dropout = 0.1
    """Dropout between layers."""
    spread: PositiveFloat = 0.1
    """Weights are initialised uniformly in [-spread, spread]."""
    carry_training: Literal["encoder", "decoder"] = "encoder"
    """Whose final state is carried to the next turn in training; released program: the encoder's."""
    carry_answering: Literal["encoder", "decoder"] = "encoder"
    """Whose final state is carried in validation and inference; released program: the decoder's."""
    learning_rate: PositiveFloat = 3e-3
    schedule: Literal["cosine", "constant"] = "cosine"
    clip: PositiveFloat = 5.0
    """Gradient clipping: maximum norm."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """Of matrix products in training; inference runs in float32."""
    max_dialogues: Count = 6500
    search: Literal["bonus", "beam", "greedy"] = "bonus"
    """`bonus`: beam search of the released program; `beam`, `greedy`: those of `duologue.models.decode`."""
    beams: Positive = 5
    longest_reply: Annotated[int, msgspec.Meta(ge=2)] = 30
    """Search steps."""
    bonus: NonNegative = 1.0
    """Length bonus per token added to ln P, in the search `bonus`."""
    length_power: NonNegative = 1.0
    """Length penalty of the search `beam`: replies are ranked by ln P / length ** this."""

    @classmethod
    def tiny(cls) -> LstmRecipe:
        """Return a recipe that trains in seconds, for contract tests."""
        return cls(embedding=8, hidden=8, epochs=2, batch=4, longest_reply=8, held_out=0.2, beams=2)


class LstmBaseline(NeuralGenerator[LstmRecipe]):
    """Generate replies with an LSTM encoder-decoder, the baseline of the challenge."""

    Recipe: type[Record] = LstmRecipe
    scope = Scope(tasks=("conversation",))
    extras = ("models",)
    name = "lstm"
    fixed_config: ClassVar[dict[str, Any]] = {"warm_up": 0.0, "weight_decay": 0.0, "optimiser": "adam", "fused": True}

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Generate a non-empty reply to each sample. Raises `UsageError` before `fit` or `load`."""
        words = self._trained().words
        dialogues = [_open(utterance_pairs(merged_turns(sample.history))) for sample in samples]
        encoded_contexts = [self._numbers(dialogue[-self.recipe.longest_talk :], words) for dialogue in dialogues]
        order = sorted(range(len(encoded_contexts)), key=lambda place: len(encoded_contexts[place]))
        answers: list[Answer] = [Answer(text=FALLBACK_REPLY)] * len(samples)
        for start in range(0, len(order), _CHUNK):
            places = order[start : start + _CHUNK]
            for place, reply in zip(places, self._replies([encoded_contexts[place] for place in places]), strict=True):
                answers[place] = Answer(text=detokenize(words.text(reply.words)) or FALLBACK_REPLY)
        return answers

    def _replies(self, dialogues: Sequence[Sequence[EncodedTurn]]) -> list[Reply]:
        from duologue.challenges.conversation.systems.lstm.network.beam_search import encoded

        model = self._trained().model
        with encoded(model, dialogues) as state:
            return self._found(model, state, len(dialogues))

    def _found(self, model: EncoderDecoder, state: LstmState, rows: int) -> list[Reply]:
        from duologue.challenges.conversation.systems.lstm.network.beam_search import beam_search
        from duologue.models.decode import DecodingLimits, beam, greedy  # these need torch
        from duologue.models.vocabulary import END

        recipe = self.recipe
        if recipe.search == "bonus":
            found = beam_search(model, state, width=recipe.beams, longest=recipe.longest_reply, bonus=recipe.bonus)
            return [each[0] for each in found]
        limits = DecodingLimits(longest=recipe.longest_reply, begin=END)
        if recipe.search == "greedy":
            return greedy(model, state, rows, limits)
        many = beam(model, state, rows, limits, width=recipe.beams, length_power=recipe.length_power)
        return [each[0] for each in many]

    def _vocabulary(self, dialogues: Sequence[TrainingDialogue]) -> CopyVocabulary:
        from duologue.models.vocabulary import SPECIAL, CopyVocabulary

        texts = (tokenize(turn.text, self.recipe.cut) for dialogue in dialogues for turn in dialogue.turns)
        return CopyVocabulary.of(texts, limit=self.recipe.vocabulary - len(SPECIAL))

    def _new_model(self, vocabulary: int, seed: int) -> EncoderDecoder:
        from duologue.challenges.conversation.systems.lstm.network.beam_search import new_encoder_decoder  # needs torch

        return new_encoder_decoder(self._config(vocabulary), seed)

    def _subject(self, model: EncoderDecoder) -> TrainingTask[Sequence[EncodedTurn], Any]:
        from duologue.challenges.conversation.systems.lstm.network.beam_search import training_subject  # needs torch

        return training_subject(model, self.recipe.precision)

    def _examples(self, dialogue: TrainingDialogue, words: CopyVocabulary) -> Iterator[list[EncodedTurn]]:
        """Encode the utterance pairs of a dialogue, in several examples where there are too many."""
        whole, limit = dialogue.utterance_pairs(), self.recipe.longest_talk
        return (self._numbers(whole[start : start + limit], words) for start in range(0, len(whole), limit))

    def _numbers(self, dialogue: Sequence[UtterancePair], words: CopyVocabulary) -> list[EncodedTurn]:
        """Encode utterance pairs; an empty context becomes END alone."""
        from duologue.challenges.conversation.systems.lstm.network.encoder_decoder import (
            EncodedTurn,  # these need torch
        )
        from duologue.models.vocabulary import END

        longest, cut, encode = self.recipe.longest_text, self.recipe.cut, words.target
        return [
            EncodedTurn(
                tuple(encode(tokenize(one.context, cut)[-longest:])) or (END,),
                tuple(encode(tokenize(one.response, cut)[:longest])),
            )
            for one in dialogue
        ]

    def _config(self, vocabulary: int) -> EncoderDecoderConfig:
        from duologue.challenges.conversation.systems.lstm.network.encoder_decoder import (
            EncoderDecoderConfig,  # needs torch
        )

        recipe = self.recipe
        return EncoderDecoderConfig(
            vocabulary=vocabulary,
            words=recipe.embedding,
            hidden=recipe.hidden,
            layers=recipe.layers,
            dropout=recipe.dropout,
            spread=recipe.spread,
            carry_training=recipe.carry_training,
            carry_answering=recipe.carry_answering,
        )


def _open(dialogue: list[UtterancePair]) -> list[UtterancePair]:
    """Return utterance pairs of which the last has no response yet."""
    return dialogue if dialogue and not dialogue[-1].response else [*dialogue, UtterancePair("", "")]
