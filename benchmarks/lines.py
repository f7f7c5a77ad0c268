"""Time and peak memory of `check` and `score` on files of very many short lines, by themselves and against truth.

    python benchmarks/lines.py [--only WORD] [--millions 1 10]

Makes files of a few bytes a line in a temporary folder, checks and scores each in a process of its own, and prints
CPU seconds and peak memory. Exits with 1 when a check needs more memory for ten million lines than it may, or a score
against truth more time or memory for a million.
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
from duologue.run import evaluate  # noqa: E402  # the same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MILLION = 1_000_000
MUST = 150
"""Megabytes that a check may need, however long the file."""
TRUTH_SECONDS, TRUTH_MEGABYTES = 45, 900
"""What a million replies scored against a million sample rows may need."""
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
    truth: Callable[[int], Iterator[str]] | None = None
    """The lines of the truth file, where there is one."""


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


def different_goals(lines: int) -> Iterator[str]:
    """Yield sample rows, each about something else."""
    return (sample(f"电影{number}", number) for number in range(lines))


def equal_goals(lines: int) -> Iterator[str]:
    """Yield sample rows that differ in nothing but the reply."""
    return (sample("电影", number) for number in range(lines))


def sample(film: str, number: int) -> str:
    """Return a sample row of two goal rows, four facts and two utterances."""
    goal = [["START", film, "演员"], [film, "主演", "演员"]]
    knowledge = [[film, f"属性{fact}", TEXTS[fact]] for fact in range(4)]
    row = {"goal": goal, "knowledge": knowledge, "history": TEXTS[:2], "response": text(number + 1)}
    return json.dumps(row, ensure_ascii=False) + "\n"


def text(number: int) -> str:
    """Return one to three words, the same ones for the same number."""
    return TEXTS[number % len(TEXTS)]


KINDS = (
    Kind("evaluation file", "proactive", evaluation, scored=True),
    Kind("replies", "proactive", replies, scored=False),
    Kind("empty replies", "proactive", faults, scored=False),
    Kind("system output", "conversation", output, scored=True),
    Kind("replies to different goals", "proactive", replies, scored=False, truth=different_goals),
    Kind("replies to equal goals", "proactive", replies, scored=False, truth=equal_goals),
    Kind("reply lines", "conversation", replies, scored=False),
)


def main() -> int:
    """Measure, print the table, and return 1 when a check grows with the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only rows that hold this word")
    parser.add_argument("--millions", type=float, nargs="+", default=[1, 10], help="lines of the files, in millions")
    parser.add_argument("--job", nargs=5, default=None, help=argparse.SUPPRESS)  # one measured process
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
    """Print the rows of one file; return whether a job needed too much."""
    jobs = [(job, variant) for job in ("check", "score") for variant in ("strict", "official")]
    named = [(f"{job} {kind.task} {kind.name} ({variant})", job, variant) for job, variant in jobs]
    with_truth = kind.truth is not None
    chosen = [
        one
        for one in named
        if only in one[0] and (kind.scored or (one[1] == "score" if with_truth else one[1] == "check"))
    ]
    if not chosen:
        return False
    path, truth = folder / "lines.txt", folder / "truth.jsonl"
    for place, made in ((path, kind.lines), (truth, kind.truth)):
        if made is not None:
            with place.open("w", encoding="utf-8", newline="") as out:
                out.writelines(made(lines))
    missed = False
    for name, job, variant in chosen:
        command = [
            sys.executable,
            __file__,
            "--job",
            job,
            kind.task,
            variant,
            str(path),
            str(truth) if with_truth else "",
        ]
        told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        limit = f"{MUST} MB" if job == "check" else "-"
        missed |= job == "check" and told["megabytes"] > MUST
        if with_truth and lines == MILLION:
            limit = f"{TRUTH_SECONDS} s, {TRUTH_MEGABYTES} MB"
            missed |= told["seconds"] > TRUTH_SECONDS or told["megabytes"] > TRUTH_MEGABYTES
        print(f"| {name} | {lines:,} | {told['seconds']:.1f} | {told['megabytes']:.0f} | {limit} |", flush=True)
    return missed


def run(job: str, name: str, variant: str, path: str, truth: str) -> int:
    """Check or score one file and print CPU seconds and peak memory."""
    task = load_task(name)
    start = time.process_time()
    if job == "check":
        task.check(task.read(Path(path)), None, variant)
    else:
        evaluate.score(task, [Path(truth)] if truth else [], Path(path), Scoring(variant=variant))
    seconds = time.process_time() - start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "megabytes": megabytes}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
