"""Time and peak memory of `check` and `score` on files of very many short lines.

    python benchmarks/lines.py [--only WORD] [--millions 1 10]

Makes files of a few bytes a line in a temporary folder, checks and scores each in a process of its own, and prints
CPU seconds and peak memory. Exits with 1 when a check needs more memory for ten million lines than it may.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # one core is what the figures mean; read by numpy when it is imported

from duologue.core.plugins import load_task  # noqa: E402  # after the number of threads is set
from duologue.core.records import Scoring  # noqa: E402  # the same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MILLION = 1_000_000
MUST = 150
"""Megabytes that a check may need, however long the file."""
WORDS = ["好", "你", "我", "是", "的", "了", "在", "有", "吗", "呢", "a", "b", "c", "d", "e"]
_CHANCE = random.Random(1).random
TEXTS = [" ".join(WORDS[int(len(WORDS) * _CHANCE())] for _ in range(1 + number % 3)) for number in range(9_973)]


class Kind(NamedTuple):
    """A kind of file."""

    name: str
    task: str
    lines: Callable[[int], Iterator[str]]
    scored: bool
    """Whether the file has its references itself."""


def evaluation(lines: int) -> Iterator[str]:
    """Yield lines `prediction TAB reference` of one to three words a side."""
    return (f"{text(number)}\t{text(number + 1)}\n" for number in range(lines))


def replies(lines: int) -> Iterator[str]:
    """Yield a reply a line."""
    return (f"{text(number)}\n" for number in range(lines))


def faults(lines: int) -> Iterator[str]:
    """Yield lines that all lack a reply, behind one that makes the file an evaluation file."""
    return ("\t好\n" if number else "好\t好\n" for number in range(lines))


def output(lines: int) -> Iterator[str]:
    """Yield system output, four lines a dialogue."""
    return (f"U: {text(number)}\nS_REF: {text(number)}\nS_HYP: {text(number + 1)}\n\n" for number in range(lines // 4))


def text(number: int) -> str:
    """Return one to three words, the same ones for the same number."""
    return TEXTS[number % len(TEXTS)]


KINDS = (
    Kind("evaluation file", "proactive", evaluation, scored=True),
    Kind("replies", "proactive", replies, scored=False),
    Kind("empty replies", "proactive", faults, scored=False),
    Kind("system output", "conversation", output, scored=True),
    Kind("reply lines", "conversation", replies, scored=False),
)


def main() -> int:
    """Measure, print the table, and return 1 when a check grows with the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only rows that hold this word")
    parser.add_argument("--millions", type=float, nargs="+", default=[1, 10], help="lines of the files, in millions")
    parser.add_argument("--job", nargs=4, default=None, help=argparse.SUPPRESS)  # one measured process
    options = parser.parse_args()
    if options.job is not None:
        return run(*options.job)
    missed = False
    print("| job | lines | CPU s | peak MB | may |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            for millions in options.millions:
                missed |= measure(kind, int(millions * MILLION), Path(folder), options.only)
    return int(missed)


def measure(kind: Kind, lines: int, folder: Path, only: str) -> bool:
    """Print the rows of one file; return whether a check needed too much."""
    jobs = [(job, variant) for job in ("check", "score") for variant in ("strict", "official")]
    named = [(f"{job} {kind.task} {kind.name} ({variant})", job, variant) for job, variant in jobs]
    chosen = [one for one in named if only in one[0] and (kind.scored or one[1] == "check")]
    if not chosen:
        return False
    path = folder / "lines.txt"
    with path.open("w", encoding="utf-8", newline="") as out:
        out.writelines(kind.lines(lines))
    missed = False
    for name, job, variant in chosen:
        command = [sys.executable, __file__, "--job", job, kind.task, variant, str(path)]
        told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        limit = f"{MUST}" if job == "check" else "-"
        missed |= job == "check" and told["megabytes"] > MUST
        print(f"| {name} | {lines:,} | {told['seconds']:.1f} | {told['megabytes']:.0f} | {limit} |", flush=True)
    return missed


def run(job: str, name: str, variant: str, path: str) -> int:
    """Check or score one file and print CPU seconds and peak memory."""
    task = load_task(name)
    start = time.process_time()
    submission = task.read(Path(path))
    if job == "check":
        task.check(submission, None, variant)
    else:
        task.score([], submission, Scoring(variant=variant))
    seconds = time.process_time() - start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "megabytes": megabytes}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
