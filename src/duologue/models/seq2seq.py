"""Construction, training subject and generation of a `CopyTransformer`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from duologue.models.copy_transformer import CopyTransformer, collate_seq2seq
from duologue.models.generation import generate_in_batches
from duologue.models.train import TrainingTask
from duologue.models.vocabulary import PAD
from duologue.models.weights import first_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from duologue.models.copy_transformer import (
        Seq2SeqBatch,
        Seq2SeqPair,
        Seq2SeqSize,
        Seq2SeqState,
    )
    from duologue.models.decode import DecodingLimits, Reply
    from duologue.models.generation import SamplingConfig


def new_generator(size: Seq2SeqSize, seed: int) -> CopyTransformer:
    """Return a model with the initial weights of a seed; other random states are left alone."""
    with first_weights(seed):
        return CopyTransformer(size)


def generator_learner(model: CopyTransformer) -> TrainingTask[Seq2SeqPair, Seq2SeqBatch]:
    """Return what `train` needs: the mean of -ln P over the tokens of a batch, ends included (`choose="loss"`)."""
    return TrainingTask(
        module=model,
        collate=collate_seq2seq,
        loss=partial(_mean, model),
        hits=None,
        length=_length,
        weight=_target_tokens,
        tokens=_length,
    )


def _mean(model: CopyTransformer, batch: Seq2SeqBatch) -> Tensor:
    loss: Tensor = model(batch).sum() / (batch.target != PAD).sum()
    return loss


def _length(pair: Seq2SeqPair) -> int:
    return pair.length


def _target_tokens(pair: Seq2SeqPair) -> float:
    return float(pair.said)


def replies(
    model: CopyTransformer,
    pairs: Sequence[Seq2SeqPair],
    sampling: SamplingConfig,
    limits: DecodingLimits,
    *,
    seeds: Sequence[int] = (),
    batch: int = 16,
) -> list[list[Reply]]:
    """Return the generated replies to each source: up to `width` of a beam, best first; one or `draws` otherwise.

    Targets of the pairs are not read. `seeds`, one for each pair, are what a nucleus draws by.
    """

    def begin(places: list[int]) -> Seq2SeqState:
        sources = collate_seq2seq([pairs[place]._replace(target=()) for place in places])
        return model.start(model.encode(sources.source, sources.kinds))

    lengths = [len(pair.source) for pair in pairs]
    return generate_in_batches(model, begin, lengths, sampling, limits, seeds=seeds, batch=batch)
