"""The loggers of a training: what the training loop measures goes to each of them."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from duologue.core.plugins import make_logger

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import OnMetrics


@runtime_checkable
class MetricsLogger(Protocol):
    """Where metrics of a training go (entry point `duologue.loggers`); made with the model's folder and what it is.

    What it writes lies in that folder, under names that begin with `training.`, and not before the first metrics.
    """

    def __init__(self, folder: Path, about: Mapping[str, str]) -> None: ...

    def log(self, part: str, step: int, metrics: Mapping[str, float]) -> None:
        """Take what was measured after `step` steps of a part of the system (empty: the whole).

        A training that was stopped may come to the same step twice.
        """
        ...

    def close(self) -> None:
        """Write what is left; called once, however the training ends."""
        ...


@contextmanager
def logging_to(loggers: Sequence[str], out: Path, about: Mapping[str, str]) -> Iterator[OnMetrics | None]:
    """Yield what the training loop calls with its metrics; `None` where there are no loggers. Closes them at the end.

    `about` says whose training it is. Raises as `make_logger` does.
    """
    with ExitStack() as stack:
        made = [cast("MetricsLogger", make_logger(name, out, about)) for name in dict.fromkeys(loggers)]
        for one in made:
            stack.callback(one.close)

        def on_metrics(folder: Path, step: int, metrics: Mapping[str, float]) -> None:
            part = folder.relative_to(out).as_posix() if folder != out else ""
            for one in made:
                one.log(part, step, metrics)

        yield on_metrics if made else None
