"""Worker pool on a Ray cluster, or on a local Ray instance: the only import of Ray."""

from __future__ import annotations

import logging
import os
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from duologue.core.disk import refusal
from duologue.core.errors import DuologueError, NoSpaceError, UsageError
from duologue.core.extras import need
from duologue.core.worker_pool import Shard, ShardResult, WorkerPool, do_one

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.core.worker_pool import Work

AHEAD = 1
"""Shards beyond the number of workers that are on their way, so that no worker waits for its next one."""


class Cluster(WorkerPool):
    """Ray tasks, each on one shard. The nodes of a cluster need duologue installed, but no common disk.

    Shards are sent with their content. Content that names files (members of a folder or a zip) needs these at the
    same path on all nodes.
    """

    def __init__(self, work: Work, workers: int, address: str | None) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no calls home
        self._ray: Any = need("ray", "cluster")
        self._started = not self._ray.is_initialized()
        self._limit = workers + AHEAD
        self._open: list[Any] = []
        if self._started:
            self._join(workers, address)
        with self._told():
            self._work = self._ray.put(work)
        self._task = self._ray.remote(num_cpus=1)(do_one)

    def _join(self, workers: int, address: str | None) -> None:
        quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
        if address is None:  # "local": also where the environment names a cluster, which nobody asked for here
            try:
                self._ray.init(address="local", num_cpus=workers, include_dashboard=False, **quiet)
            except Exception as error:  # Ray says it with no class of its own
                message = (
                    f"Ray could not be started on this machine: {error}; it needs room in /tmp/ray and /dev/shm; free "
                    "some, or leave --engine ray out"
                )
                raise refusal(error, message) from error
            return
        _knock(address)
        try:
            self._ray.init(address=address, **quiet)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise _unreachable(address, error) from error

    def full(self) -> bool:
        """Return whether enough shards are on their way."""
        return len(self._open) >= self._limit

    def give(self, shard: Shard) -> None:
        """Send a shard to the cluster. Raises `DuologueError` where the cluster has no place for it."""
        with self._told():
            self._open.append(self._task.remote(self._work, shard))

    def take(self) -> ShardResult:
        """Wait for the next outcome. Raises `DuologueError` when a worker dies again and again."""
        with self._told():
            ready, self._open = self._ray.wait(self._open, num_returns=1)
            outcome: ShardResult = self._ray.get(ready[0])
        return outcome

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what Ray refuses into our errors: it keeps what it sends, in memory and then on the disk."""
        try:
            yield
        except self._ray.exceptions.RayError as error:
            full = isinstance(error, self._ray.exceptions.OutOfDiskError)
            raise (NoSpaceError if full else DuologueError)(
                f"the Ray cluster could not do the work ({error}); run the command again, it goes on with the shards "
                "that are missing"
            ) from error

    def close(self) -> None:
        """Leave the cluster; a Ray that was started here is stopped."""
        for task in self._open:
            self._ray.cancel(task, force=True)
        self._open.clear()
        if self._started:
            self._ray.shutdown()


def _knock(address: str) -> None:
    """Raise `UsageError` where nobody answers at `host:port`: Ray tries for minutes and then ends the process."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return  # `auto` and the like are for Ray to judge
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except (OSError, OverflowError) as error:
        raise _unreachable(address, error) from error


def _unreachable(address: str, error: Exception) -> UsageError:
    return UsageError(
        f"cannot reach a Ray cluster at '{address}': {error}; start one (`ray start --head`) and give its address, or "
        "leave --address out"
    )
