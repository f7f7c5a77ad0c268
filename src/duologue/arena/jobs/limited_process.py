"""Runs a function in a child process with limits on time, processor and memory, and says why it did not end well."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_CHILD = "duologue.arena.jobs.child"
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "DUOLOGUE_MAX_UNPACKED")
"""What a child sees of the environment, beside Python's own variables: no token and no address of a database."""
NO_SPACE = 28
"""The exit code of a child for which the disk was full."""
_STEP = 0.05
"""Seconds between two looks at a child."""
_MAX_TOLD = 4_000
"""Characters of what a child wrote that are kept for the organiser."""


_MAX_SECONDS, _MAX_BYTES = 30 * 24 * 3600, 1 << 50


class JobLimits(Record, frozen=True, kw_only=True):
    """What a job may use."""

    seconds: int = 300
    """Of time, from its start."""
    cpu_seconds: int = 300
    """Of the processor, all its threads together."""
    memory: int = 4 << 30
    """Bytes of addresses that it may have."""
    written: int = 1 << 30
    """Bytes of each file that it writes."""

    def __post_init__(self) -> None:
        if min(self.seconds, self.cpu_seconds) < 1 or min(self.memory, self.written) < 1 << 20:
            raise ValueError("limits of a job are at least 1 second and 1 MiB")
        if max(self.seconds, self.cpu_seconds) > _MAX_SECONDS or max(self.memory, self.written) > _MAX_BYTES:
            raise ValueError("limits of a job are at most 30 days and 1 PiB: no system keeps larger ones")


class ChildOutcome(NamedTuple):
    """What came of a child."""

    result: Any
    """What the function returned; `None` where it did not."""
    failed: str
    """Why there is no result, in words that everybody may read; empty where there is one."""
    details: str = ""
    """What the organiser may read beside it."""
    again: bool = False
    """Whether the fault may be the machine's, so that another try makes sense."""
    stopped: bool = False
    """Whether the caller stopped it."""
    no_space: bool = False
    """Whether the machine's disk was full: no fault of the job's."""


def run_limited(
    target: str,
    payload: Mapping[str, Any],
    folder: Path,
    limits: JobLimits,
    *,
    keep_on: Callable[[], bool] = lambda: True,
    every: float = 3.0,
) -> ChildOutcome:
    """Call the function `module:name` with a payload (JSON) in a child process that works in `folder`.

    `keep_on` is asked every so many seconds, and the child killed where it says no. All that the child has started
    ends with it. Never raises for what the child does.
    """
    out, said = folder / "outcome.json", folder / "said.txt"
    order = {"limits": _as_table(limits), "payload": payload, "out": str(out)}
    environment = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith("PYTHON")}
    environment |= {"TMPDIR": str(folder), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with said.open("wb") as log:
        child = subprocess.Popen(  # noqa: S603  # this very program; the function is named by our own code
            [sys.executable, "-m", _CHILD, target],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        try:
            assert child.stdin is not None
            with suppress(BrokenPipeError):
                child.stdin.write(json.dumps(order).encode() + b"\n")
                child.stdin.flush()
            ended = _watch(child, limits, keep_on, every)
        finally:
            _kill(child)
    if ended is not None:
        return ended
    return _outcome(child.returncode, out, said, limits)


def _watch(
    child: subprocess.Popen[bytes], limits: JobLimits, keep_on: Callable[[], bool], every: float
) -> ChildOutcome | None:
    """Wait for a child; return what is to be said where it did not end by itself."""
    start = asked = time.monotonic()
    while True:
        with suppress(subprocess.TimeoutExpired):
            child.wait(_STEP)
            return None
        now = time.monotonic()
        if now - start > limits.seconds:
            return ChildOutcome(None, f"it took longer than the {limits.seconds} seconds that a job may take")
        if now - asked > every:
            asked = now
            if not keep_on():
                return ChildOutcome(None, "it was stopped", stopped=True)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """End a child with all that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            child.kill()
        else:
            os.killpg(child.pid, signal.SIGKILL)
    if child.stdin is not None:
        with suppress(OSError):
            child.stdin.close()
    child.wait()


def _outcome(code: int, out: Path, said: Path, limits: JobLimits) -> ChildOutcome:
    """Return what a child that ended by itself has left."""
    details = said.read_bytes()[-_MAX_TOLD:].decode("utf-8", "replace")
    if code == 0 and out.is_file():
        told = json.loads(out.read_bytes())
        if "failed" in told:
            return ChildOutcome(None, told["failed"], told.get("details", "") or details)
        return ChildOutcome(told["result"], "")
    if code == NO_SPACE:
        return ChildOutcome(None, "the disk was full", details, no_space=True)
    if sys.platform != "win32" and code == -signal.SIGXCPU:
        return ChildOutcome(None, f"it used more than the {limits.cpu_seconds} processor seconds that a job may use")
    if sys.platform != "win32" and code == -signal.SIGKILL:
        why = "the system ended it (was memory or processor time short?)"
        return ChildOutcome(None, why, details, again=True)
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return ChildOutcome(None, f"the program broke down ({how})", details)


def _as_table(limits: JobLimits) -> dict[str, int]:
    return {
        "cpu_seconds": limits.cpu_seconds,
        "memory": limits.memory,
        "written": limits.written,
    }
