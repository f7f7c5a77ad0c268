"""A chat model on the loopback: the OpenAI-compatible server of xllamacpp (extra `llm`) in a process of its own."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from duologue.endpoints.secret import VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONTEXT = 4096
"""Tokens of prompt and answer."""


@contextmanager
def serving(weights: Path) -> Iterator[str]:
    """Serve weights with one thread, and give the address; the key that it wants stands in the environment."""
    os.environ[VARIABLE] = secrets.token_urlsafe()
    server = subprocess.Popen([sys.executable, __file__, weights], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield f"{server.stdout.readline().strip()}/v1"
    finally:
        server.kill()  # the library's server has no way to be stopped
        server.wait()


def serve(weights: str) -> None:
    """Serve, say where, and wait to be killed."""
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = weights
    settings.n_ctx, settings.n_parallel, settings.n_gpu_layers = CONTEXT, 1, 0
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.warmup, settings.verbosity, settings.api_keys = False, -1, [os.environ[VARIABLE]]
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    serve(sys.argv[1])
