"""The loggers of a training: what the training loop measures goes to each of them."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from duologue.core.errors import DuologueError
from duologue.core.plugins import make_logger
from duologue.store.database import refused_to_library

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

    `about` says whose training it is. Raises as `make_logger` does, and `StorageError` for what the disk refuses to a
    logger, whatever library writes for it.
    """
    with ExitStack() as stack:
        made: dict[str, MetricsLogger] = {}
        for name in dict.fromkeys(loggers):
            made[name] = cast("MetricsLogger", make_logger(name, out, about))
            stack.enter_context(_closed(name, made[name], out))

        def on_metrics(folder: Path, step: int, metrics: Mapping[str, float]) -> None:
            part = folder.relative_to(out).as_posix() if folder != out else ""
            for name, one in made.items():
                with _telling(name, out):
                    one.log(part, step, metrics)

        yield on_metrics if made else None


@contextmanager
def _closed(name: str, logger: MetricsLogger, out: Path) -> Iterator[None]:
    """Close a logger at the end; where the training failed, that is told, and not what the logger says to its end."""
    try:
        yield
    except BaseException:
        with suppress(Exception):
            logger.close()
        raise
    with _telling(name, out):
        logger.close()


@contextmanager
def _telling(name: str, out: Path) -> Iterator[None]:
    """Turn what the disk refuses to the library of a logger, in files or in a database, into a `StorageError`."""
    try:
        yield
    except DuologueError:
        raise
    except Exception as error:
        told = refused_to_library(error, f"--log {name}: cannot write into {out}")
        if told is not None:
            raise told from error
        raise
