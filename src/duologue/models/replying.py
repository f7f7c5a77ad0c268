"""Making, training and using a `CopyTransformer`: replies to sources, and how likely given replies are."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar

import torch

from duologue.core.records import Record
from duologue.models.decode import Limits, beam, greedy, nucleus
from duologue.models.seq2seq import CopyTransformer, collate_pairs
from duologue.models.train import Subject
from duologue.models.weights import first_weights
from duologue.models.words import PAD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import Tensor, nn

    from duologue.models.decode import Reply, Steps
    from duologue.models.seq2seq import Pair, PairBatch, Seq2SeqSize


State = TypeVar("State")


class Manner(Record, frozen=True):
    """How replies are found."""

    search: Literal["greedy", "beam", "nucleus"] = "beam"
    width: int = 4
    """Beams."""
    length_power: float = 0.6
    """Of beams: they are ordered by ln P / length ** this."""
    patient: bool = False
    """Of beams: go on until no other reply can come before those that ended; they are longer then."""
    draws: int = 1
    """Of the nucleus: replies drawn to each source."""
    mass: float = 0.9
    """Of the nucleus: words are drawn from the likeliest ones that make up so much probability."""
    heat: float = 1.0
    """Of the nucleus: below 1 likely words become likelier."""


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


def say(
    model: Steps[State], said: State, rows: int, manner: Manner, limits: Limits, seeds: Sequence[int]
) -> list[list[Reply]]:
    """Return replies to each row of a state of which nothing is said yet; `seeds` are those of `replies`."""
    if manner.search == "beam":
        power = manner.length_power
        return beam(model, said, rows, limits, width=manner.width, length_power=power, patient=manner.patient)
    if manner.search == "greedy":
        return [[one] for one in greedy(model, said, rows, limits)]
    draws = manner.draws
    if draws > 1:
        said = model.pick(said, torch.arange(rows).repeat_interleave(draws))
    streams = [seed + draw for seed in seeds for draw in range(draws)]
    drawn = nucleus(model, said, streams, limits, mass=manner.mass, heat=manner.heat)
    return [drawn[start : start + draws] for start in range(0, len(drawn), draws)]


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


@contextmanager
def using(model: nn.Module) -> Iterator[None]:
    """Use a model without learning, in one thread: on a busy machine two wait for each other."""
    model.eval()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.inference_mode():
            yield
    finally:
        torch.set_num_threads(threads)
