"""A system that many talks share, and whose answers are kept: a talk is taken up again without asking anew."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from duologue.run.system_worker import SystemWorker

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duologue.core.protocols import System, TaskInfo, World
    from duologue.core.records import Answer, Record, Sample

SEED = 1
"""Seed of a system that talks share."""


class SharedSystem:
    """A system in a thread of its own, prepared by the first talk that needs it."""

    def __init__(self, system: System) -> None:
        self.worker = SystemWorker(system)
        self._trace = getattr(system, "trace", None)
        self.ended = False
        self._ready = False
        self._lock = threading.Lock()

    def prepare(self, info: TaskInfo, worlds: Mapping[str, World]) -> None:
        """Prepare the system, once."""
        with self._lock:
            if not self._ready:
                self.worker.prepare(info, SEED, worlds)
                self._ready = True

    def end(self) -> None:
        """Let go of the system: no talk may ask it any more."""
        self.ended, self._trace = True, None
        self.worker.close()

    def for_talk(self, kept: Iterable[Answer] = ()) -> KeptAnswers:
        """Return the system as one talk sees it; `kept` are the answers that it gave there before."""
        return KeptAnswers(self, kept) if self._trace is None else _TracedAnswers(self, kept)

    def trace(self, sample: Sample) -> Any:
        """Return the system's trace of its answer, where it has such."""
        assert self._trace is not None
        trace = self._trace
        return self.worker.run(lambda: trace(sample))


class KeptAnswers:
    """A shared system in one talk: gives the answers that it gave before, then new ones, which it keeps in `made`."""

    def __init__(self, shared: SharedSystem, kept: Iterable[Answer] = ()) -> None:
        self._shared = shared
        self._kept = list(kept)
        self.made: list[Answer] = []
        self.Recipe: type[Record] = shared.worker.Recipe
        self.seen = shared.worker.seen

    @property
    def ended(self) -> bool:
        """Whether the shared system is not at hand any more."""
        return self._shared.ended

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # all talks share one
        """Have the shared system prepared."""
        self._shared.prepare(info, worlds)

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return kept answers while there are any, then those of the system."""
        found = [self._kept.pop(0) for _ in samples[: len(self._kept)]]
        rest = samples[len(found) :]
        if rest:
            new = self._shared.worker.answer(rest)
            self.made += new
            found += new
        return found


class _TracedAnswers(KeptAnswers):
    """The same of a system that traces its answers."""

    def trace(self, sample: Sample) -> Any:
        """Return the system's trace."""
        return self._shared.trace(sample)
