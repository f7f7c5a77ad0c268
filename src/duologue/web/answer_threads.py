"""Threads that make answers, used again: to start one for each request costs more than most of what it does."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class AnswerThreads:
    """As many threads as there was ever work at once; nobody waits for them at the end."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)

    def start(self, work: Callable[[], None]) -> None:
        """Do what raises nothing in a thread. Raises `RuntimeError` where one more is needed and cannot be had."""
        if not self._idle.acquire(blocking=False):
            threading.Thread(target=self._run, daemon=True, name="duologue-answer").start()
        self._work.put(work)

    def _run(self) -> None:
        while True:
            self._work.get()()
            self._idle.release()
