"""Making, training and using a `Talker`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.conversation.systems.copier.network.decoder_lm import TalkBatch, Talker, Told, collate_talks
from duologue.models.sampling import generate, inference
from duologue.models.train import Subject
from duologue.models.weights import first_weights
from duologue.models.words import PAD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.conversation.systems.copier.network.decoder_lm import TalkerSize
    from duologue.models.decode import Limits, Reply
    from duologue.models.sampling import SamplingConfig


def new_talker(size: TalkerSize, seed: int) -> Talker:
    """Return a model with the first weights of that seed; the chance of others is left alone."""
    with first_weights(seed):
        return Talker(size)


def talker_learner(model: Talker) -> Subject[Told, TalkBatch]:
    """Return what `train` needs: the mean of -ln P over the words of replies, ends included (`choose="loss"`)."""
    return Subject(
        module=model, collate=collate_talks, loss=model, hits=None, length=_length, weight=_said, tokens=_length
    )


def _length(talk: Told) -> int:
    return len(talk.words)


def _said(talk: Told) -> float:
    return float(sum(word != PAD for word in talk.wanted))


def talk_replies(
    model: Talker,
    talks: Sequence[Told],
    sampling: SamplingConfig,
    limits: Limits,
    *,
    seeds: Sequence[int] = (),
    batch: int = 16,
) -> list[list[Reply]]:
    """Return what the model says next in each talk, best first, one of a greedy search or of `draws`."""
    found: list[list[Reply]] = [[] for _ in talks]
    order = sorted(range(len(talks)), key=lambda place: len(talks[place].words))
    with inference(model):
        for start in range(0, len(order), batch):
            places = order[start : start + batch]
            heard = model.hear(collate_talks([talks[place] for place in places]))
            many = generate(
                model, heard, len(places), sampling, limits, [seeds[place] for place in places] if seeds else ()
            )
            for place, of_row in zip(places, many, strict=True):
                found[place] = of_row
    return found
