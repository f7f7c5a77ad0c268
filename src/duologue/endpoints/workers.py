"""Calls at the same time: threads work on items, and what comes of each is handed on as soon as it is there."""

from __future__ import annotations

from collections import deque
from queue import SimpleQueue
from threading import Event, Semaphore, Thread
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Item = TypeVar("Item")
Made = TypeVar("Made")


def as_made(
    items: Sequence[Item], make: Callable[[Item], Made], count: int, stop: Callable[[], object]
) -> Iterator[tuple[int, Made]]:
    """Yield what `make` makes of each item, with the item's place, in the order in which it is done.

    `count` threads work at the same time. When one fails, no further item is begun, `stop` is called, what is under
    way is still handed on, and then the first error is raised. When the caller leaves, `stop` is called too. A thread
    begins its next item when the caller is done with its last one: whoever keeps each at once never lacks more than one
    item per thread.
    """
    if min(count, len(items)) <= 1:
        for place, item in enumerate(items):
            yield place, make(item)
        return
    work = _Work(items, make, stop)
    try:
        yield from work.done_by(min(count, len(items)))
    finally:
        work.end()


class _Work(Generic[Item, Made]):
    """Items that are waiting, and what came of the others."""

    def __init__(self, items: Sequence[Item], make: Callable[[Item], Made], stop: Callable[[], object]) -> None:
        self._waiting = deque(enumerate(items))
        self._done = SimpleQueue[tuple[int, Made, Semaphore] | Exception | None]()
        self._gates: list[Semaphore] = []
        self._make, self._stop = make, stop
        self._ended = Event()

    def done_by(self, count: int) -> Iterator[tuple[int, Made]]:
        """Start threads and yield what they make; raises the first error at the end."""
        for _ in range(count):
            Thread(target=self._run, daemon=True).start()
        failure: Exception | None = None
        while count:
            found = self._done.get()
            if found is None:
                count -= 1
            elif not isinstance(found, Exception):
                place, made, gate = found
                yield place, made
                gate.release()
            elif failure is None:
                failure = found
                self.end()
        if failure is not None:
            raise failure
        self._ended.set()

    def end(self) -> None:
        """Begin no further item."""
        if not self._ended.is_set():
            self._ended.set()
            self._stop()
        for gate in self._gates:
            gate.release()

    def _run(self) -> None:
        gate = Semaphore(0)
        self._gates.append(gate)
        while not self._ended.is_set():
            try:
                place, item = self._waiting.popleft()
            except IndexError:
                break
            try:
                self._done.put((place, self._make(item), gate))
            except Exception as error:  # noqa: BLE001  # whatever it is, the thread that waits raises it
                self._done.put(error)
                break
            gate.acquire()
        self._done.put(None)
