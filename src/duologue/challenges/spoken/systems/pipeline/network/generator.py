"""The generator: making, training and using a `CopyTransformer`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import torch

from duologue.challenges.spoken.systems.pipeline.network.seq2seq import CopyTransformer, collate_pairs
from duologue.models.replying import say, using
from duologue.models.train import Subject
from duologue.models.weights import first_weights
from duologue.models.words import PAD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from duologue.challenges.spoken.systems.pipeline.network.seq2seq import Pair, PairBatch, Seq2SeqSize
    from duologue.models.decode import Limits, Reply
    from duologue.models.replying import Manner


def new_replier(size: Seq2SeqSize, seed: int) -> CopyTransformer:
    """Return a model with the first weights of that seed; the chance of others is left alone."""
    with first_weights(seed):
        return CopyTransformer(size)


def reply_learner(model: CopyTransformer) -> Subject[Pair, PairBatch]:
    """Return what `train` needs: the mean of -ln P over the words of a batch, ends included (`choose="loss"`)."""
    return Subject(
        module=model,
        collate=collate_pairs,
        loss=partial(_mean, model),
        hits=None,
        length=_length,
        weight=_said,
        tokens=_length,
    )


def _mean(model: CopyTransformer, batch: PairBatch) -> Tensor:
    loss: Tensor = model(batch).sum() / (batch.target != PAD).sum()
    return loss


def _length(pair: Pair) -> int:
    return pair.length


def _said(pair: Pair) -> float:
    return float(pair.said)


def replies(
    model: CopyTransformer,
    pairs: Sequence[Pair],
    manner: Manner,
    limits: Limits,
    *,
    seeds: Sequence[int] = (),
    batch: int = 16,
) -> list[list[Reply]]:
    """Return what the model says to each source: up to `width` replies of a beam, best first, one or `draws` otherwise.

    Targets of the pairs are not read. `seeds`, one for each pair, are what a nucleus draws by. Sources of like length
    share a batch; only rounding (of about 1e-6) depends on that.
    """
    found: list[list[Reply]] = [[] for _ in pairs]
    order = sorted(range(len(pairs)), key=lambda place: len(pairs[place].source))
    with using(model):
        for start in range(0, len(order), batch):
            places = order[start : start + batch]
            sources = collate_pairs([pairs[place]._replace(target=()) for place in places])
            said = model.start(model.encode(sources.source, sources.kinds))
            many = say(model, said, len(places), manner, limits, [seeds[place] for place in places] if seeds else ())
            for place, of_row in zip(places, many, strict=True):
                found[place] = of_row
    return found


def log_likelihoods(model: CopyTransformer, source: Pair, targets: Sequence[Sequence[int]]) -> list[float]:
    """Return ln P of each target after one source, which is encoded once; its own target is not read."""
    if not targets:
        return []
    with using(model):
        batch = collate_pairs([source._replace(target=target) for target in targets])
        memory = model.encode(batch.source[:1], batch.kinds[:1])
        memory = memory.pick(torch.zeros(len(targets), dtype=torch.long))
        log_p: list[float] = (-model.nll(memory, batch.target)).tolist()
    return log_p
