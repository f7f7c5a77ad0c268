"""Several processes that serve at one address, each with all that is served: Python answers on one core in each."""

from __future__ import annotations

import math
import os
import signal
import threading
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from time import monotonic
from typing import TYPE_CHECKING

from duologue.core.errors import DuologueError, UsageError
from duologue.core.processes import spawned
from duologue.web.server import FAREWELL_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from duologue.web.server import Server

    MakeServer = Callable[[], Server]

_PATIENCE_SECONDS = FAREWELL_SECONDS + 5
"""How long stopped processes may take before they are killed."""


class ServerProcesses:
    """Processes that share a port (see `shared_port`); each connection is one process's, and so are its limits.

    `make` returns the server of a process; it is called in each, so it must be picklable. All are ready when this is
    made. Raises `DuologueError` with what `make` raised, or where a process ends before it is ready.
    """

    def __init__(self, make: MakeServer, count: int) -> None:
        self._processes: list[BaseProcess] = []
        self._stopping = threading.Event()
        self._pipes: list[Connection] = []
        try:
            for process, pipe in spawned(_serve, make, count):
                self._processes.append(process)
                self._pipes.append(pipe)
            for pipe in self._pipes:
                _expect_ready(pipe)
        except BaseException:
            self._kill()
            raise

    def run(self) -> None:
        """Serve until `stop` or a signal to stop; what is under way is answered.

        Raises `DuologueError` where a process ends by itself; the others are stopped then.
        """
        lost: int | None = None
        ends = math.inf
        with self._stopped_by_signals():
            while alive := [one for one in self._processes if one.is_alive()]:
                wait([one.sentinel for one in alive], timeout=1.0)
                if not self._stopping.is_set():
                    lost = next((one.exitcode for one in self._processes if one.exitcode is not None), None)
                    if lost is not None:
                        self.stop()
                ends = min(ends, monotonic() + _PATIENCE_SECONDS) if self._stopping.is_set() else math.inf
                if monotonic() > ends:
                    break
        self._kill()
        if lost is not None:
            raise DuologueError(f"a process of the server ended by itself (exit code {lost}); the others were stopped")

    def stop(self) -> None:
        """Make `run` end; may be called by any thread."""
        self._stopping.set()
        for process in self._processes:
            process.terminate()

    @contextmanager
    def _stopped_by_signals(self) -> Iterator[None]:
        before = {}
        if threading.current_thread() is threading.main_thread():
            for name in ("SIGINT", "SIGTERM", "SIGHUP"):
                one = getattr(signal, name, None)
                if one is not None and signal.getsignal(one) != signal.SIG_IGN:  # as `nohup` has it
                    before[one] = signal.signal(one, lambda *_: self.stop())
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    def _kill(self) -> None:
        for process in self._processes:
            process.kill()
            process.join()
        for pipe in self._pipes:
            pipe.close()


def _expect_ready(pipe: Connection) -> None:
    try:
        refusal: tuple[int, str] | None = pipe.recv()
    except (EOFError, OSError) as error:
        raise DuologueError("a process of the server ended before it was ready (was memory short?)") from error
    if refusal is not None:
        code, message = refusal
        raise (UsageError if code == UsageError.exit_code else DuologueError)(message)


def _serve(told: Connection, make: MakeServer) -> None:
    """Serve in a process of its own until it is told to stop, or whoever started it is gone."""
    made: list[Server] = []
    threading.Thread(target=_end_with_parent, args=(told, made), daemon=True).start()
    try:
        made.append(make())
    except DuologueError as error:
        told.send((error.exit_code, str(error)))
        return
    told.send(None)
    made[0].run()


def _end_with_parent(told: Connection, made: list[Server]) -> None:
    with suppress(EOFError, OSError):
        told.recv()
    if made:
        made[0].shutdown()
    else:
        os._exit(1)
