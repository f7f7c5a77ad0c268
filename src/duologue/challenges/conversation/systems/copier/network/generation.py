"""Training loss and batched generation of a `DecoderLM` over dialogues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.conversation.systems.copier.network.encoded_dialogue import EncodedDialogue, collate_dialogues
from duologue.models.generation import generate_in_batches
from duologue.models.train import TrainingTask
from duologue.models.vocabulary import PAD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.models.decode import DecodingLimits, Reply
    from duologue.models.decoder_lm import DecoderLM, DecoderLMState, TokenBatch
    from duologue.models.generation import SamplingConfig


def training_subject(model: DecoderLM) -> TrainingTask[EncodedDialogue, TokenBatch]:
    """Return the training subject: mean negative log-likelihood over reply tokens, END included (`choose="loss"`)."""
    return TrainingTask(
        module=model, collate=collate_dialogues, loss=model, hits=None, length=_length, weight=_targets, tokens=_length
    )


def _length(dialogue: EncodedDialogue) -> int:
    return len(dialogue.words)


def _targets(dialogue: EncodedDialogue) -> float:
    return float(sum(word != PAD for word in dialogue.wanted))


def generate_replies(
    model: DecoderLM,
    dialogues: Sequence[EncodedDialogue],
    sampling: SamplingConfig,
    limits: DecodingLimits,
    *,
    seeds: Sequence[int] = (),
    batch: int = 16,
) -> list[list[Reply]]:
    """Generate replies to each dialogue, best first; one by greedy search, several by beam search or sampling."""

    def begin(places: list[int]) -> DecoderLMState:
        return model.encode(collate_dialogues([dialogues[place] for place in places]))

    return generate_in_batches(model, begin, list(map(_length, dialogues)), sampling, limits, seeds=seeds, batch=batch)
