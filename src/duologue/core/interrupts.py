"""Ctrl-C and hang-up where several processes work on one task."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def ctrl_c_waits() -> Iterator[None]:
    """Hold Ctrl-C and a hang-up back while processes start: they inherit that, and this process stops them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def leave_stops_to_the_parent() -> None:
    """Ignore Ctrl-C and a hang-up from now on: for a worker, whose parent hears them too and ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
