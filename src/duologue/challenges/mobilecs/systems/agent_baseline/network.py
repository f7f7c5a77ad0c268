"""Training of the baseline's language model: each character of a stream is predicted from those before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.models.decoder_lm import DecoderLM, TokenBatch
from duologue.models.tokens import padded
from duologue.models.train import TrainingTask

if TYPE_CHECKING:
    from collections.abc import Sequence


def collate(streams: Sequence[Sequence[int]]) -> TokenBatch:
    """Pad streams, each of two characters or more, to a batch: all but the last of each are read."""
    words = padded(streams)  # (b, t)
    return TokenBatch(words[:, :-1], wanted=words[:, 1:])


def learner(model: DecoderLM) -> TrainingTask[Sequence[int], TokenBatch]:
    """Return what `train` needs; the loss is the mean over all characters of a batch."""
    return TrainingTask(
        module=model, collate=collate, loss=model, hits=None, length=len, weight=lambda row: len(row) - 1.0, tokens=len
    )
