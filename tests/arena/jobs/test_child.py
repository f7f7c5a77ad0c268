"""A child ends when the process that started it is gone."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def test_the_end_of_standard_input_ends_the_child(tmp_path: Path) -> None:
    order = {
        "limits": {"cpu_seconds": 60, "memory": 4 << 30, "written": 1 << 30},
        "payload": {"seconds": 60},
        "out": str(tmp_path / "outcome.json"),
    }
    child = subprocess.Popen(
        [sys.executable, "-m", "duologue.arena.jobs.child", "tests.arena.jobs.work_done:sleep"], stdin=subprocess.PIPE
    )
    assert child.stdin is not None
    child.stdin.write(json.dumps(order).encode() + b"\n")
    child.stdin.close()
    assert child.wait(20) == 3
    assert not (tmp_path / "outcome.json").exists()


def test_limits_of_the_parent_that_are_lower_stay(tmp_path: Path) -> None:
    order = {
        "limits": {"cpu_seconds": 600, "memory": 4 << 30, "written": 1 << 30},
        "payload": {},
        "out": str(tmp_path / "outcome.json"),
    }
    words = [sys.executable, "-m", "duologue.arena.jobs.child", "tests.arena.jobs.work_done:cpu_limit"]
    shell = ["sh", "-c", 'ulimit -t 100; exec "$@"', "sh", *words]
    with subprocess.Popen(shell, stdin=subprocess.PIPE) as child:
        assert child.stdin is not None
        child.stdin.write(json.dumps(order).encode() + b"\n")
        child.stdin.flush()  # and stays open: its end would end the child
        assert child.wait(30) == 0
    assert json.loads((tmp_path / "outcome.json").read_bytes()) == {"result": [100, 100]}
