"""Ctrl-C and hang-up where several processes work on one task."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@contextmanager
def ctrl_c_waits() -> Iterator[None]:
    """Hold Ctrl-C and a hang-up back while processes start: they inherit that, and this process stops them.

    What is inherited is the mask, which is this thread's alone; a stop that another thread gets is noted meanwhile.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    stops = (signal.SIGHUP, signal.SIGINT)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, stops)
    try:
        with _noted(stops):
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _noted(stops: Iterable[signal.Signals]) -> Iterator[None]:
    """Send the stops that come meanwhile to this thread at the end; the main one alone, which hears those of all."""
    noted: list[int] = []
    heard_by = {}
    if threading.current_thread() is threading.main_thread():
        heard_by = {one: hears for one in stops if (hears := signal.getsignal(one)) not in {signal.SIG_IGN, None}}
    try:
        for one in heard_by:
            signal.signal(one, lambda number, _: noted.append(number))
        yield
    finally:
        for one, hears in heard_by.items():
            signal.signal(one, hears)
        for number in noted:
            signal.raise_signal(number)


def leave_stops_to_the_parent() -> None:
    """Ignore Ctrl-C and a hang-up from now on: for a worker, whose parent hears them too and ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
