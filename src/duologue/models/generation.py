"""Generation by greedy search, beam search or nucleus sampling, as one record configures it; inference mode."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeVar

import torch

from duologue.core.records import Record
from duologue.models.decode import DecodingLimits, beam, greedy, nucleus

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import nn

    from duologue.models.decode import Reply, Steps


State = TypeVar("State")


class SamplingConfig(Record, frozen=True):
    """How replies are generated: the search, and the options of each."""

    search: Literal["greedy", "beam", "nucleus"] = "beam"
    width: int = 4
    """Of beam search: beams per source."""
    length_power: float = 0.6
    """Of beam search: beams are ordered by ln P / length ** this (length normalisation)."""
    patient: bool = False
    """Of beam search: stop only when no open beam can overtake the finished ones; replies get longer."""
    draws: int = 1
    """Of nucleus sampling: replies drawn per source."""
    top_p: float = 0.9
    """Of nucleus sampling: tokens are drawn from the most probable ones whose probabilities sum to this."""
    temperature: float = 1.0
    """Of nucleus sampling: below 1 the distribution is sharper, above 1 flatter."""


def generate(
    model: Steps[State], said: State, rows: int, sampling: SamplingConfig, limits: DecodingLimits, seeds: Sequence[int]
) -> list[list[Reply]]:
    """Return the generated replies of each row of an initial state; `seeds`, one per row, are for nucleus sampling."""
    if sampling.search == "beam":
        power = sampling.length_power
        return beam(model, said, rows, limits, width=sampling.width, length_power=power, patient=sampling.patient)
    if sampling.search == "greedy":
        return [[one] for one in greedy(model, said, rows, limits)]
    draws = sampling.draws
    if draws > 1:
        said = model.pick(said, torch.arange(rows).repeat_interleave(draws))
    streams = [seed + draw for seed in seeds for draw in range(draws)]
    drawn = nucleus(model, said, streams, limits, top_p=sampling.top_p, temperature=sampling.temperature)
    return [drawn[start : start + draws] for start in range(0, len(drawn), draws)]


@contextmanager
def inference(model: nn.Module) -> Iterator[None]:
    """Put a model into inference mode in one thread: on a busy machine two threads wait for each other."""
    model.eval()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.inference_mode():
            yield
    finally:
        torch.set_num_threads(threads)
