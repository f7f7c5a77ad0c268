"""CPU time and modules of `duologue --help` and `duologue list`, in fresh processes; the bound is 0.25 s."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

COMMAND = Path(sys.executable).with_name("duologue")
LIMIT_SECONDS = 0.25
RUNS = 15


def measure(*words: str) -> tuple[float, float]:
    """Return the median CPU and wall seconds of one call."""
    cpu, wall = [], []
    for _ in range(RUNS):
        before, began = os.times(), time.perf_counter()
        subprocess.run([COMMAND, *words], check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        wall.append(time.perf_counter() - began)
        cpu.append(after.children_user - before.children_user + after.children_system - before.children_system)
    return sorted(cpu)[len(cpu) // 2], sorted(wall)[len(wall) // 2]


def main() -> int:
    """Print the table; return 1 when a call is over the bound."""
    bare = min(_seconds([sys.executable, "-c", "pass"]) for _ in range(RUNS))
    print("| call               | CPU s, median | wall s | bound s | share of the bound |")
    print("|--------------------|---------------|--------|---------|--------------------|")
    worst = 0.0
    for words in (("--help",), ("list",), ("--version",)):
        cpu, wall = measure(*words)
        worst = max(worst, cpu)
        share = cpu / LIMIT_SECONDS
        print(f"| duologue {words[0]:<9} | {cpu:13.3f} | {wall:6.3f} | {LIMIT_SECONDS:7.2f} | {share:18.0%} |")
    print(f"\nPython alone: {bare:.3f} s wall.")
    return int(worst > LIMIT_SECONDS)


def _seconds(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
