"""What a process and all that it started did with their time: worked, or waited for a processor."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROC = Path("/proc")


class Used(NamedTuple):
    """Seconds of a process and of all below it, so far."""

    busy: float
    """Of processor time."""
    queued: float
    """In which they could have worked and others had the processor: no fault of theirs."""


class Watch:
    """Follows a process from outside; what ended since it was last looked at counts as it was then."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._busy: dict[int, float] = {}
        self._queued: dict[int, float] = {}

    def used(self) -> Used:
        """Return what was used until now; nothing where the system does not tell."""
        for process in _family(self._process):
            with suppress(OSError, ValueError, IndexError):  # it ended meanwhile
                fields = (_PROC / str(process) / "stat").read_text("ascii", errors="replace").rpartition(")")[2].split()
                self._busy[process] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            for thread in _threads(process):
                with suppress(OSError, ValueError):
                    _, queued, _ = (thread / "schedstat").read_text(encoding="ascii").split()
                    self._queued[int(thread.name)] = int(queued) / 1e9
        return Used(sum(self._busy.values()), sum(self._queued.values()))


def _family(process: int) -> Iterator[int]:
    """Yield a process and all that it started, at whatever depth."""
    yield process
    for thread in _threads(process):
        with suppress(OSError):
            for child in (thread / "children").read_text(encoding="ascii").split():
                yield from _family(int(child))


def _threads(process: int) -> list[Path]:
    try:
        return list((_PROC / str(process) / "task").iterdir())
    except OSError:
        return []
