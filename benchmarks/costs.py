"""What a command costs, summed over its attempts."""

from __future__ import annotations

import json
import os
import subprocess
import time
from typing import TYPE_CHECKING

from duologue.core.disk import write_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def timed(note: Path, command: Sequence[object], **environment: str) -> dict[str, float]:
    """Run a command and return its costs, those of earlier attempts that were stopped included.

    Wall and CPU seconds and megabytes; `note` keeps them. `environment` is set beside what is there.
    """
    costs = json.loads(note.read_text(encoding="utf-8")) if note.is_file() else {"wall": 0.0, "cpu": 0.0, "mb": 0.0}
    started = time.monotonic()
    process = subprocess.Popen(list(map(str, command)), env=os.environ | environment)
    status = 1
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except KeyboardInterrupt:
        _, status, usage = os.wait4(process.pid, 0)  # the terminal has told it as well
        raise
    finally:
        costs["wall"] += time.monotonic() - started
        costs["cpu"] += usage.ru_utime + usage.ru_stime
        costs["mb"] = max(costs["mb"], usage.ru_maxrss / 1024)
        write_text(note, json.dumps(costs) + "\n")
    if status:
        raise SystemExit(f"failed with status {os.waitstatus_to_exitcode(status)}: {' '.join(map(str, command))}")
    return dict(costs)
