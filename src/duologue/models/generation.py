"""Generation by greedy search, beam search or nucleus sampling, as one record configures it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

import torch

from duologue.core.records import Record
from duologue.models.decode import DecodingLimits, Steps, beam, greedy, nucleus
from duologue.models.inference import Evaluable, inference

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duologue.models.decode import Reply

State = TypeVar("State")


class GenerativeModel(Steps[State], Evaluable, Protocol[State]):
    """An autoregressive model that is a module of torch."""


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


def generate_in_batches(
    model: GenerativeModel[State],
    begin: Callable[[list[int]], State],
    lengths: Sequence[int],
    sampling: SamplingConfig,
    limits: DecodingLimits,
    *,
    seeds: Sequence[int] = (),
    batch: int = 16,
) -> list[list[Reply]]:
    """Return the generated replies to each source, best first; `begin` gives the initial state of sources by number.

    Sources of like length (`lengths`) share a batch; only rounding (of about 1e-6) depends on that. `seeds`, one for
    each source, are for nucleus sampling.
    """
    found: list[list[Reply]] = [[] for _ in lengths]
    order = sorted(range(len(lengths)), key=lambda place: lengths[place])
    with inference(model):
        for start in range(0, len(order), batch):
            places = order[start : start + batch]
            drawn_by = [seeds[place] for place in places] if seeds else ()
            many = generate(model, begin(places), len(places), sampling, limits, drawn_by)
            for place, of_row in zip(places, many, strict=True):
                found[place] = of_row
    return found
