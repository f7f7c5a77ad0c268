"""System `copy`: a small decoder-only transformer with a copy head (pointer-generator).

All replies of a dialogue are trained in one pass. Out-of-vocabulary tokens such as names and numbers are copied from
the dialogue so far. `tokenizer_windows` encodes the text, `network` holds the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec

from duologue.challenges.conversation.formats.training_pairs import merged_turns
from duologue.challenges.conversation.systems.generator import FALLBACK_REPLY, NeuralGenerator, NeuralGeneratorRecipe
from duologue.challenges.conversation.systems.tokenizer import detokenize, tokenize
from duologue.core.bounds import Count, Dropout, NonNegative, Positive, PositiveFloat, Stacked
from duologue.core.records import Answer, Record
from duologue.core.scope import Scope
from duologue.core.seeds import seed_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.conversation.formats.training_pairs import TrainingDialogue
    from duologue.challenges.conversation.systems.copier.network.encoded_dialogue import EncodedDialogue
    from duologue.challenges.conversation.systems.copier.tokenizer_windows import TokenizerWindows
    from duologue.core.records import Sample
    from duologue.models.decode import DecodingLimits
    from duologue.models.decoder_lm import DecoderLM, DecoderLMConfig
    from duologue.models.generation import SamplingConfig
    from duologue.models.train import TrainingTask
    from duologue.models.vocabulary import CopyVocabulary

_CHUNK = 2048  # samples encoded at once


class CopyRecipe(NeuralGeneratorRecipe, frozen=True):
    """Context windows, network sizes, training and sampling."""

    former_names: ClassVar[dict[str, str]] = {
        **NeuralGeneratorRecipe.former_names,
        "mass": "top_p",
        "heat": "temperature",
    }
    """Former names of entries."""
    longest: Annotated[int, msgspec.Meta(ge=8)] = 320
    """Context window in tokens: the last ones of a dialogue; longer dialogues are trained in overlapping windows."""
    longest_reply: Positive = 48
    """Maximum number of tokens of a reply; longer ones are truncated."""
    words: Positive = 6000
    """Maximum size of the vocabulary."""
    rare: Positive = 8
    """Minimum frequency of a vocabulary entry; rarer tokens can only be copied."""
    width: Positive = 192
    heads: Positive = 4
    inner: Positive = 512
    layers: Stacked = 3
    dropout: Dropout = 0.0
    word_dropout: Dropout = 0.02
    """Word dropout: share of input tokens replaced by the unknown token in training; they can still be copied."""
    batch: Positive = 6
    """Dialogues per step."""
    weight_decay: NonNegative = 0.01
    precision: Literal["float32", "bfloat16"] = "float32"
    """Of matrix products in training; inference runs in float32."""
    search: Literal["greedy", "beam", "nucleus"] = "nucleus"
    once: Count = 3
    """No n-gram of this length is repeated within a reply; 0: no such constraint."""
    beams: Positive = 4
    length_power: NonNegative = 1.0
    """Length penalty of beam search: replies are ranked by ln P / length ** this."""
    draws: Positive = 8
    """Nucleus sampling: number of sampled replies; the minimum Bayes risk candidate among them is returned."""
    top_p: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.9
    """Nucleus sampling: top-p."""
    temperature: PositiveFloat = 0.7
    """Nucleus sampling: temperature."""

    @classmethod
    def tiny(cls) -> CopyRecipe:
        """Return a recipe that trains in seconds, for contract tests."""
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


class Copier(NeuralGenerator[CopyRecipe]):
    """Generate replies with a decoder-only transformer that copies from the dialogue."""

    Recipe: type[Record] = CopyRecipe
    scope = Scope(tasks=("conversation",))
    extras = ("models",)
    name = "copy"

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Generate a non-empty reply to each sample. Raises `UsageError` before `fit` or `load`."""
        from duologue.challenges.conversation.systems.copier.network.generation import generate_replies  # needs torch

        model, words = self._trained()
        windows = self._windows(words)
        answers: list[Answer] = []
        for start in range(0, len(samples), _CHUNK):
            chunk = samples[start : start + _CHUNK]
            contexts = [windows.inference_window(merged_turns(one.history)) for one in chunk]
            seeds = [_stream(self._seed, one) for one in chunk]
            replies = generate_replies(
                model, [dialogue for dialogue, _ in contexts], self._sampling(), self._limits(), seeds=seeds
            )
            for (_, unknown), found in zip(contexts, replies, strict=True):
                texts = [words.text(one.words, unknown) for one in found]
                answers.append(Answer(text=detokenize(self._chosen(texts)) or FALLBACK_REPLY))
        return answers

    def _chosen(self, texts: Sequence[Sequence[str]]) -> Sequence[str]:
        """Return the first text, or the minimum Bayes risk candidate of several sampled ones."""
        from duologue.challenges.conversation.systems.mbr import mbr_index  # needs numpy

        drawn = self.recipe.search == "nucleus" and len(texts) > 1
        return texts[mbr_index(texts, [1.0] * len(texts)) if drawn else 0]

    def _vocabulary(self, talks: Sequence[TrainingDialogue]) -> CopyVocabulary:
        from duologue.models.vocabulary import CopyVocabulary

        texts = (tokenize(turn.text) for talk in talks for turn in talk.turns)
        return CopyVocabulary.of(texts, least=self.recipe.rare, limit=self.recipe.words)

    def _new_model(self, vocabulary: int, seed: int) -> DecoderLM:
        from duologue.models.decoder_lm import new_decoder_lm  # needs torch

        return new_decoder_lm(self._config(vocabulary), seed)

    def _subject(self, model: DecoderLM) -> TrainingTask[EncodedDialogue, Any]:
        from duologue.challenges.conversation.systems.copier.network.generation import training_subject  # needs torch

        return training_subject(model)

    def _examples(self, talk: TrainingDialogue, words: CopyVocabulary) -> list[EncodedDialogue]:
        return self._windows(words).training_windows(talk.turns)

    def _windows(self, words: CopyVocabulary) -> TokenizerWindows:
        from duologue.challenges.conversation.systems.copier.tokenizer_windows import TokenizerWindows  # needs torch

        return TokenizerWindows(words, longest=self.recipe.longest, longest_reply=self.recipe.longest_reply)

    def _config(self, vocabulary: int) -> DecoderLMConfig:
        from duologue.challenges.conversation.systems.copier.network.encoded_dialogue import SYSTEM  # these need torch
        from duologue.models.decoder_lm import DecoderLMConfig

        places = 2 * self.recipe.longest  # turn marks and the reply come on top of the window
        return DecoderLMConfig.of(self.recipe, vocabulary=vocabulary, places=places, speakers=2, reply_speaker=SYSTEM)

    def _sampling(self) -> SamplingConfig:
        from duologue.models.generation import SamplingConfig  # needs torch

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

    def _limits(self) -> DecodingLimits:
        from duologue.models.decode import DecodingLimits  # needs torch

        return DecodingLimits(longest=self.recipe.longest_reply, once=self.recipe.once)


def _stream(seed: int, sample: Sample) -> int:
    """Return the sampling seed of a sample."""
    return seed_of(f"{seed}\n{sample.id}")
