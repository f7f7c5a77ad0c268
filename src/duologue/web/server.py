"""An application served by uvicorn, with an orderly end."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import uvicorn

from duologue.core.errors import UsageError
from duologue.web.connections import ConnectionPlaces, GuardedConfig

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from duologue.web.connections import ServerRules

FAREWELL_SECONDS = 10.0
"""How long a stopping server waits for the answers under way."""
_BACKLOG = 1024
"""Clients that may wait while others are let in: a crowd that comes at once."""

_SWITCH_SECONDS = 0.0005
"""How long a system at work keeps others from the interpreter: whoever reads and writes needs it often and briefly."""


class Server:
    """Serves an application (ASGI) to many clients; a connection may carry many requests, one after another.

    Listens from its making on, at `port` (0: any free one; see `address`), which other processes may share where it is
    `shared` (see `shared_port`). `hosts` are the names that requests may be meant for beside `localhost`, `host` and
    addresses in figures; `rules` says how clients are treated otherwise. Raises `UsageError` for an address that
    cannot be had.
    """

    def __init__(
        self,
        app: Any,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        hosts: Collection[str] = (),
        rules: ServerRules | None = None,
        shared: bool = False,
    ) -> None:
        self.hosts = frozenset({"localhost", host.lower(), *(name.lower() for name in hosts)})
        self._socket = _bound(host, port, shared=shared)
        self.server_port: int = self._socket.getsockname()[1]
        self.address = address_of(self._socket)
        self._uvicorn = _OtherSignals(
            GuardedConfig(app, ConnectionPlaces(self.hosts, rules), farewell=FAREWELL_SECONDS)
        )

    def run(self) -> None:
        """Serve until `shutdown` or Ctrl-C; then answer what is under way, and let go of the port."""
        before = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_SECONDS)
        try:
            with asyncio.Runner() as runner:
                runner.run(self._serve())
        finally:
            sys.setswitchinterval(before)
            self.server_close()

    def shutdown(self) -> None:
        """Make `run` end; may be called by any thread, and before `run`."""
        self._uvicorn.should_exit = True

    def server_close(self) -> None:
        """Let go of the port."""
        self._socket.close()

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(one) == signal.SIG_IGN:  # as `nohup` has it
                continue
            with suppress(NotImplementedError, RuntimeError, ValueError):  # not the main thread, or no such signals
                loop.add_signal_handler(one, self.shutdown)
        await self._uvicorn.serve([self._socket])


@contextmanager
def shared_port(host: str, port: int) -> Iterator[socket.socket]:
    """Yield a socket that keeps a port for processes that share it; the kernel gives each connection to one of them.

    Raises `UsageError` for an address that cannot be had, and on a system that does not share so.
    """
    if sys.platform != "linux":
        raise UsageError("several processes at one port need Linux; serve with one, or put a proxy before several")
    with _bound(host, port, shared=False) as alone:  # nobody else has it, not even with others that share
        port = alone.getsockname()[1]
    with _bound(host, port, shared=True, listens=False) as kept:
        yield kept


def _bound(host: str, port: int, *, shared: bool, listens: bool = True) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With its protocol named: only then asyncio sends small pieces at once (`TCP_NODELAY`).
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared and sys.platform == "linux":
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        found.bind((host, port))
        if listens:
            found.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        found.close()
        raise UsageError(f"cannot listen at {host}, port {port}: {error}; choose other --host or --port") from error
    return found


def address_of(place: socket.socket) -> str:
    """Return where clients find a server, such as `http://127.0.0.1:8200`."""
    named, port = place.getsockname()[:2]
    return f"http://[{named}]:{port}" if ":" in named else f"http://{named}:{port}"


class _OtherSignals(uvicorn.Server):
    """Signals are `Server`'s: a stop is an orderly end, not an interrupt that is raised anew."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone."""
        yield
