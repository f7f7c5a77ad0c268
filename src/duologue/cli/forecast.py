"""What `--dry-run` prints: what a run would ask of systems that are paid by the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.run.forecast import forecast_lines
from duologue.terminal import console

if TYPE_CHECKING:
    from duologue.run.forecast import RunForecast


def tell_forecast(planned: RunForecast, *, as_json: bool = False) -> None:
    """Print a forecast, for people or as one JSON object."""
    if as_json:
        console.as_json({"forecast": planned._asdict()})
        return
    for line in forecast_lines(planned):
        console.line(line)
