"""Replies of a model that says token after token: how they are searched for, and use without learning."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeVar

import torch

from duologue.core.records import Record
from duologue.models.decode import Limits, beam, greedy, nucleus

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import nn

    from duologue.models.decode import Reply, Steps


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


def say(
    model: Steps[State], said: State, rows: int, manner: Manner, limits: Limits, seeds: Sequence[int]
) -> list[list[Reply]]:
    """Return replies to each row of a state that has said nothing yet; `seeds`, one a row, are for the nucleus."""
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
