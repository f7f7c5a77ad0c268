"""Worker pool of local processes: the default engine.

Each worker has a pipe of its own and ends when the other end is gone, so that none is left behind when this process
is killed (the pools of the standard library leave theirs).
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import traceback
from contextlib import suppress
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from duologue.core.errors import DuologueError
from duologue.core.interrupts import ctrl_c_waits, leave_stops_to_the_parent
from duologue.core.worker_pool import Shard, ShardResult, WorkerPool, do_one

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from duologue.core.worker_pool import Work


def spawned(
    serve: Callable[[Connection, Any], None], given: Any, count: int
) -> Iterator[tuple[BaseProcess, Connection]]:
    """Start processes afresh that run `serve(pipe, given)`, and yield each with our end of its pipe; Ctrl-C waits."""
    context = multiprocessing.get_context("spawn")
    if hasattr(signal, "pthread_sigmask"):
        from multiprocessing import resource_tracker  # Unix only

        resource_tracker.ensure_running()  # started later, it would let Ctrl-C through to the first worker
    with ctrl_c_waits():
        for _ in range(count):
            ours, theirs = context.Pipe()
            process = context.Process(target=serve, args=(theirs, given), daemon=True)
            process.start()
            theirs.close()
            yield process, ours


class Processes(WorkerPool):
    """Processes that are started afresh (`spawn`), so that they share nothing with this one on any system."""

    def __init__(self, work: Work, workers: int) -> None:
        self._pipes: list[Connection] = []
        self._workers: list[BaseProcess] = []
        self._free: list[Connection] = []
        for process, pipe in spawned(_serve, work, workers):
            self._pipes.append(pipe)
            self._workers.append(process)
        self._free = list(self._pipes)

    def full(self) -> bool:
        """Return whether all workers are busy."""
        return not self._free

    def give(self, shard: Shard) -> None:
        """Send a shard to a worker that waits. Raises `DuologueError` when it has died."""
        try:
            self._free.pop().send(shard)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise _died() from error

    def take(self) -> ShardResult:
        """Wait for the next outcome. Raises `DuologueError` when a worker dies or has a fault."""
        pipe: Any = wait([pipe for pipe in self._pipes if pipe not in self._free])[0]
        try:
            outcome: ShardResult | str = pipe.recv()
        except (EOFError, OSError, pickle.UnpicklingError) as error:  # OSError: it died in the middle of a message
            raise _died() from error
        if isinstance(outcome, str):
            raise RuntimeError(f"a worker process failed:\n{outcome}")  # noqa: TRY004  # no type is wrong
        self._free.append(pipe)
        return outcome

    def close(self) -> None:
        """Stop all workers at once."""
        for pipe in self._pipes:
            pipe.close()
        for process in self._workers:
            process.terminate()
        for process in self._workers:
            process.join()
            process.close()


def _died() -> DuologueError:
    return DuologueError(
        "a worker process ended before its work was done (was memory short?); run the command again, it goes on "
        "with the files that are missing, perhaps with --workers 1"
    )


def _serve(pipe: Connection, work: Work) -> None:
    """Do the work on each shard that comes; nobody left at the other end means that it is over."""
    leave_stops_to_the_parent()
    with suppress(EOFError, OSError):
        while True:
            shard: Shard = pipe.recv()
            try:
                outcome: ShardResult | str = do_one(work, shard)
            except Exception:  # noqa: BLE001  # any fault is told to the process that waits for it, which raises it
                outcome = traceback.format_exc()
            pipe.send(outcome)
