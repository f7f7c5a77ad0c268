"""Parallel map over shards: one result file per shard, in order, resumable.

`map_shards` calls a function on each shard, in this process, in several, or on a Ray cluster, and keeps each result
as a file that appears whole or not at all. These files are the checkpoints: after a kill at any moment the same call
goes on with the shards that have none, and as a result depends on nothing but its shard, the bytes are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core import disk
from duologue.core.errors import DuologueError, UsageError, did_you_mean
from duologue.core.processes import Processes
from duologue.core.worker_pool import AHEAD, WorkerPool, do_one, in_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from duologue.core.worker_pool import Shard, ShardResult, Work

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

    def write(outcome: ShardResult) -> Path:
        if outcome.problem:
            raise DuologueError(f"{outcome.name}: {outcome.problem}")
        path = folder / outcome.name
        disk.write_bytes(path, outcome.data)
        return path

    def there(shard: Shard) -> Path | None:
        path = folder / shard.name
        return path if path.is_file() else None

    pool = _start(work, workers, engine, address)
    yield from in_order(pool, shards, write, there, ahead=AHEAD * workers)


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
    return Processes(work, workers)


class _Alone(WorkerPool):
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
