"""What children of the tests do."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def add(payload: dict[str, Any]) -> int:
    return int(payload["a"] + payload["b"])


def raise_fault(payload: dict[str, Any]) -> None:
    raise ValueError("secret of the truth")


def sleep(payload: dict[str, Any]) -> str:
    if mark := payload.get("mark"):
        Path(mark).write_text(str(os.getpid()))
    time.sleep(payload["seconds"])
    return "slept"


def spin(payload: dict[str, Any]) -> None:
    while True:
        pass


def grow(payload: dict[str, Any]) -> int:
    return len(bytearray(payload["bytes"]))


def fill_the_disk(payload: dict[str, Any]) -> None:
    Path("large").write_bytes(bytes(payload["bytes"]))


def find_no_space(payload: dict[str, Any]) -> str:
    if Path(payload["space"]).exists():
        return "done"
    refused = OSError(errno.ENOSPC, "No space left on device")
    raise RuntimeError("unexpected pos 64 vs 0") from refused  # as a library may tell it


def die(payload: dict[str, Any]) -> None:
    os.kill(os.getpid(), payload["signal"])


def start_another(payload: dict[str, Any]) -> None:
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    Path(payload["mark"]).write_text(str(other.pid))
    time.sleep(60)


def cpu_limit(payload: dict[str, Any]) -> list[int]:
    return list(resource.getrlimit(resource.RLIMIT_CPU))


def environment(payload: dict[str, Any]) -> dict[str, str]:
    return dict(os.environ)


SEGFAULT = signal.SIGSEGV
