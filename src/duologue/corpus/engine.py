"""Parallel map over shards: one result file per shard, in order, resumable.

`map_shards` calls a function on each shard, in this process, in several, or on a Ray cluster, and keeps each result
as a file that appears whole or not at all. These files are the checkpoints: after a kill at any moment the same call
goes on with the shards that have none, and as a result depends on nothing but its shard, the bytes are the same.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from duologue.core import disk
from duologue.core.errors import DuologueError, UsageError, did_you_mean
from duologue.corpus.shards import do_one

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from duologue.corpus.shards import Shard, ShardResult, Work, WorkerPool

ENGINES = ("processes", "ray")


def map_shards(
    work: Work,
    shards: Iterable[Shard],
    folder: Path,
    *,
    workers: int = 1,
    engine: str = "processes",
    address: str | None = None,
) -> Iterator[Path]:
    """Yield the files of the shards, in the order of the shards, as soon as they and all before them are there.

    `shards` is read lazily: at most `workers` of them are being worked on and one more is held. `engine` is one of
    `ENGINES`; `address` is that of a Ray cluster, without one Ray is started here. Raises `UsageError` for an unknown
    engine, `MissingExtraError` where Ray is not installed, `DuologueError` when a worker dies or its work fails.
    """
    ordered: deque[Path] = deque()
    unfinished: set[str] = set()
    pool = _start(work, workers, engine, address)
    try:
        for shard in shards:
            path = folder / shard.name
            ordered.append(path)
            if not path.is_file():
                while pool.full():
                    _settle(pool.take(), folder, unfinished)
                pool.give(shard)
                unfinished.add(shard.name)
            while ordered and ordered[0].name not in unfinished:
                yield ordered.popleft()
        while ordered:
            while ordered[0].name in unfinished:
                _settle(pool.take(), folder, unfinished)
            yield ordered.popleft()
    finally:
        pool.close()


def _settle(outcome: ShardResult, folder: Path, unfinished: set[str]) -> None:
    if outcome.problem:
        raise DuologueError(f"{outcome.name}: {outcome.problem}")
    disk.write_bytes(folder / outcome.name, outcome.data)
    unfinished.discard(outcome.name)


def finished(folder: Path) -> frozenset[str]:
    """Return the names of the shards that need not be read again."""
    if not folder.is_dir():
        return frozenset()
    return frozenset(path.name for path in folder.iterdir() if not path.name.startswith("."))


def _start(work: Work, workers: int, engine: str, address: str | None) -> WorkerPool:
    if engine not in ENGINES:
        raise UsageError(f"no engine '{engine}'{did_you_mean(engine, ENGINES)}")
    if engine == "ray":
        from duologue.corpus.cluster import Cluster

        return Cluster(work, workers, address)
    if address is not None:
        raise UsageError(f"an address belongs to the engine 'ray', found '{address}' with '{engine}'")
    if workers == 1:
        return _Alone(work)
    from duologue.corpus.processes import Processes

    return Processes(work, workers)


class _Alone:
    """This process; a shard is worked on when its outcome is asked for."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._held: list[Shard] = []

    def full(self) -> bool:
        return bool(self._held)

    def give(self, shard: Shard) -> None:
        self._held.append(shard)

    def take(self) -> ShardResult:
        return do_one(self._work, self._held.pop())

    def close(self) -> None:
        self._held.clear()
