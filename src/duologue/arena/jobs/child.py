"""The child process of a job: sets its own limits, does the work, and ends when its parent does.

    python -m duologue.arena.jobs.child MODULE:FUNCTION   # with one line of JSON on standard input

The line holds `limits`, `payload` and the file that the result goes to. Standard input stays open as long as the parent
lives: its end ends the child, whatever it is doing, so that a worker that is killed leaves nothing behind.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

from duologue.arena.jobs.limited_process import NO_SPACE
from duologue.core.disk import lacks_space


def main(target: str) -> None:
    """Do one job: call the function with the payload and write what it returns, or why it failed."""
    told = json.loads(_first_line())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _limit(told["limits"])
    try:
        module, _, name = target.partition(":")
        outcome: dict[str, Any] = {"result": getattr(import_module(module), name)(told["payload"])}
    except MemoryError:
        outcome = {"failed": f"it needs more memory than the {told['limits']['memory'] >> 20} MiB that a job may have"}
    except Exception as error:  # noqa: BLE001  # whatever it is: the parent tells it, and goes on with other jobs
        _end_without_space(error)
        outcome = {"failed": f"the program failed ({type(error).__name__})", "details": traceback.format_exc()}
    out = Path(told["out"])
    part = out.with_suffix(".part")
    try:
        part.write_text(json.dumps(outcome), encoding="utf-8")
        part.replace(out)
    except OSError as error:
        _end_without_space(error)
        raise


def _end_without_space(error: Exception) -> None:
    """End so that the parent knows it where the machine's disk is full; a file above the job's limit is another."""
    if lacks_space(error):
        sys.exit(NO_SPACE)


def _first_line() -> bytes:
    """Return the line on standard input; read past Python's own buffer, whose lock a thread would keep at the end."""
    found = b""
    while not found.endswith(b"\n") and (piece := os.read(0, 1 << 16)):
        found += piece
    return found


def _end_with_parent() -> None:
    while os.read(0, 1 << 16):
        pass
    os._exit(3)


def _limit(limits: dict[str, int]) -> None:
    """Set the limits of this process, none above those that it has; without them where the system has none."""
    if sys.platform == "win32":
        return
    import resource

    def set_limit(kind: int, soft: int, hard: int) -> None:
        _, limit = resource.getrlimit(kind)
        if limit != resource.RLIM_INFINITY:
            soft, hard = min(soft, limit), min(hard, limit)
        resource.setrlimit(kind, (soft, hard))

    seconds = limits["cpu_seconds"]
    set_limit(resource.RLIMIT_CPU, seconds, seconds + 1)
    set_limit(resource.RLIMIT_AS, limits["memory"], limits["memory"])
    set_limit(resource.RLIMIT_FSIZE, limits["written"], limits["written"])
    set_limit(resource.RLIMIT_CORE, 0, 0)


if __name__ == "__main__":
    main(sys.argv[1])
