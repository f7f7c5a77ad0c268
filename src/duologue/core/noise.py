"""Kinds of noise, each switched on and graded by itself."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from duologue.core.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duologue.core.optional_protocols import NoiseModel

GREATEST = 5.0
"""The greatest strength of a noise; 1 is its own."""


def noise_strengths(model: NoiseModel, kinds: Iterable[str], strength: float = 1.0) -> dict[str, float]:
    """Return the strength of each kind of noise that is on, from `kind` and `kind=strength`; none: the usual ones.

    `strength` multiplies all of them. Raises `UsageError` for a kind that the task does not have, one given twice, and
    a strength outside 0 to 5.
    """
    found: dict[str, float] = {}
    for kind in [*kinds] or model.usual_noises:
        name, equals, number = kind.partition("=")
        if name not in model.noises:
            raise UsageError(f"--kind {name}: there is no such noise{did_you_mean(name, model.noises)}")
        if name in found:
            raise UsageError(f"--kind {name} is given twice; say it once, with its strength: --kind {name}=0.5")
        try:
            found[name] = float(number) if equals else 1.0
        except ValueError:
            found[name] = math.nan
        if not 0 <= found[name] <= GREATEST:
            raise UsageError(f"--kind {kind}: expected a strength from 0 to {GREATEST:g}, such as {name}=0.5")
    return scaled(found, strength)


def scaled(kinds: dict[str, float], strength: float) -> dict[str, float]:
    """Return kinds of noise with their strengths multiplied. Raises `UsageError` where one leaves the range 0 to 5."""
    made = {name: one * strength for name, one in kinds.items()}
    for name, one in made.items():
        if not 0 <= one <= GREATEST:
            raise UsageError(f"noise '{name}' of strength {one:g} makes no sense; give a number from 0 to {GREATEST:g}")
    return made
