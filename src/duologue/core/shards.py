"""Shards of a generated corpus, made in one process or several, with the same bytes in the same order."""

from __future__ import annotations

import multiprocessing
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from duologue.core.errors import DuologueError, UsageError
from duologue.core.interrupts import ctrl_c_waits, leave_stops_to_the_parent

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

Shard = TypeVar("Shard")
Maker: TypeAlias = "Callable[[Shard], Sequence[bytes]]"
"""Returns the bytes of a shard, one piece for each file that it is a part of."""


def generate_shards(
    prepare: Callable[[], Maker[Shard]], shards: Sequence[Shard], *, workers: int
) -> Generator[tuple[bytes, ...]]:
    """Yield the pieces of all shards in order, made by `workers` processes, each with a maker of its own.

    `prepare` is called in each process, so it and the shards must be picklable. Worker i makes every shard whose number
    leaves the remainder i, and waits until its pieces are taken, so that memory does not grow. Raises `UsageError` for
    what a worker cannot make, `DuologueError` when one dies.
    """
    workers = min(workers, len(shards))
    if workers <= 1:
        maker = prepare()
        yield from (tuple(maker(shard)) for shard in shards)
        return
    running = _start_workers(prepare, shards, workers)
    try:
        for number in range(len(shards)):
            pieces = _take(running[number % workers][1])
            if isinstance(pieces, str):
                raise UsageError(pieces)
            yield pieces
    finally:
        for process, pipe in running:
            pipe.close()
            process.terminate()
        for process, _ in running:
            process.join()


def _take(pipe: Connection) -> tuple[bytes, ...] | str:
    try:
        count = int(pipe.recv_bytes())
        return tuple(pipe.recv_bytes() for _ in range(count)) if count else pipe.recv_bytes().decode()
    except (EOFError, OSError) as error:  # OSError: it died in the middle of a message
        raise DuologueError(
            "a worker process ended before its work was done (was memory short?); run the command again, it "
            "continues with the files that are missing, perhaps with --workers 1"
        ) from error


def _start_workers(
    prepare: Callable[[], Maker[Shard]], shards: Sequence[Shard], workers: int
) -> list[tuple[BaseProcess, Connection]]:
    context = multiprocessing.get_context("spawn")
    if hasattr(signal, "pthread_sigmask"):
        from multiprocessing import resource_tracker  # Unix only

        resource_tracker.ensure_running()  # started later, it would let Ctrl-C through to the first worker
    running: list[tuple[BaseProcess, Connection]] = []
    with ctrl_c_waits():
        for number in range(workers):
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(theirs, prepare, shards[number::workers]), daemon=True)
            process.start()
            theirs.close()
            running.append((process, ours))
    return running


def _work(pipe: Connection, prepare: Callable[[], Maker[Shard]], shards: Sequence[Shard]) -> None:
    """Send the pieces of the shards, their number before them; a closed pipe means that the work is over."""
    leave_stops_to_the_parent()
    with suppress(BrokenPipeError, ConnectionResetError):
        try:
            maker = prepare()
            for shard in shards:
                pieces = maker(shard)
                pipe.send_bytes(b"%d" % len(pieces))
                for piece in pieces:
                    pipe.send_bytes(piece)
        except DuologueError as error:
            pipe.send_bytes(b"0")
            pipe.send_bytes(str(error).encode())
