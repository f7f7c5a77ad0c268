"""Servers on this machine that tests of chat endpoints talk to."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from duologue.core.plugins import load_system_class, load_task, make_system
from duologue.core.recipe import resolve
from duologue.web.access import AccessTokens
from duologue.web.application import application
from duologue.web.served import prepared
from duologue.web.server import Server

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = "0123456789abcdef"
MODELS = b'{"data": [{"id": "m"}]}'


@contextmanager
def solver() -> Iterator[str]:
    """Our own server with the rule bot; gives its address."""
    system = make_system("solver", resolve(load_system_class("solver").Recipe))
    served = prepared("restaurant/solver", load_task("restaurant"), system, None, seed=1)
    server = Server(application([served], tokens=AccessTokens([TOKEN])))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.address
    finally:
        server.shutdown()
        thread.join(10)


@contextmanager
def stub(
    answer: bytes, status: int = 200, *, models: bytes = MODELS, listed: int = 200, **fields: str
) -> Iterator[str]:
    """A server that lists one model, with the status `listed`, and gives one answer to everything else."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(models, listed, {})

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self._send(answer, status, fields)

        def _send(self, body: bytes, status: int, fields: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in fields.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
