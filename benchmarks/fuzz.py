"""Give the command line what nobody should: every verb in this process, with mutated files, options and standard input.

`python benchmarks/fuzz.py --minutes 2` or `--inputs 5000`; `--seed S` draws other inputs, `--jobs J` uses J processes,
`--only WORD` takes the commands with that word. An input is told by its seed and number: `--seed 1 --replay 4711` runs
one again and prints what it says; `--replay FOLDER` does so with one that was kept. Kept are three of each kind of
finding, below `--keep` (workspace/fuzz), as they were before they ran.

A finding is: an exception that no message was made of ("this should not have happened"), more than 10 s of processor
time, a hang, more than 2,000 MB, an exit code other than 0, 1, 2 and 130, `--json` that is none, control characters on
the terminal, a warning of Python, a temporary file left behind, a program started, a network asked, a file opened that
a file named, a write outside of the input's folder. Exit code 1 where there is one.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import json
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from fuzzing import commands, material, sandbox
from fuzzing.sandbox import Finding, Outcome
from fuzzing.watch import Used, Watch

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.connection import Connection

_RECYCLED = 3000
"""Inputs after which a process is replaced: what it has gathered must not count for later ones."""
_KEPT = 3
_TOLD = 10_000
"""Inputs after which it is told how far it has come."""
_IDLE_SECONDS = 20.0
"""Of waiting without working, after which an input hangs."""


class Told(NamedTuple):
    """What a process says of one input."""

    number: int
    verb: str
    outcome: Outcome


def build(seed: int, number: int, stock: Path, folder: Path, only: str) -> commands.Input:
    """Lay input `number` of a seed into an empty folder: first every command as it stands, then mutated ones."""
    templates = [one for one in commands.known(stock) if only in one.line]
    if number < len(templates):
        return commands.lay(templates[number], stock, folder)
    rng = Random(f"{seed}/{number}")
    template = rng.choices(templates, [one.weight for one in templates])[0]
    return commands.mutated(template, stock, folder, rng)


def work(pipe: Connection, stock: Path, base: Path, seed: int, only: str) -> None:
    """Run the inputs that come through a pipe, until none comes."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    trace = (base / "stack.txt").open("w", encoding="utf-8")
    faulthandler.register(signal.SIGUSR1, trace)
    sandbox.enter()
    while (number := pipe.recv()) is not None:
        folder = sandbox.emptied(base / "input")
        gc.disable()  # many small objects beside what earlier inputs have left: it would count for this one
        given = build(seed, number, stock, folder, only)
        gc.enable()
        outcome = sandbox.run(given, folder)
        pipe.send(Told(number, given.verb, outcome._replace(out="", err="")))


class Worker:
    """A process with the input that it is at."""

    def __init__(self, stock: Path, base: Path, seed: int, only: str) -> None:
        base.mkdir(parents=True, exist_ok=True)
        context = multiprocessing.get_context("spawn")
        self.base = base
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs, stock, base, seed, only), daemon=False)
        self.process.start()
        theirs.close()
        self.done = 0
        self.number = -1
        self._watch = Watch(self.process.pid or 0)
        self._began = 0.0
        self._before = Used(0.0, 0.0)

    def give(self, number: int) -> None:
        """Hand over the next input."""
        self.number, self._began, self._before = number, time.monotonic(), self._watch.used()
        self.pipe.send(number)

    def overdue(self) -> str:
        """Return why the input is to be ended: too much processor time where Python has no say, or none at all."""
        used = self._watch.used()
        busy = used.busy - self._before.busy
        if busy > sandbox.SECONDS + 5:
            return "time"
        waited = time.monotonic() - self._began - (used.queued - self._before.queued)
        return "hang" if waited > _IDLE_SECONDS + 10 * busy + 60 * (self.done == 0) else ""

    def end(self) -> tuple[str, str]:
        """End the process with all that it started; return where it was, and its whole stack."""
        with suppress(ProcessLookupError):
            os.kill(self.process.pid or 0, signal.SIGUSR1)
            time.sleep(0.5)
            os.killpg(self.process.pid or 0, signal.SIGKILL)
        self.process.join()
        stack = (self.base / "stack.txt").read_text("utf-8", errors="replace")
        told = stack.rpartition("Current thread")[2].splitlines()  # others may lie idle since an earlier input
        ours = [line.strip() for line in told if "duologue" in line and "fuzz" not in line]
        return ours[0][-160:] if ours else "?", stack

    def leave(self) -> None:
        """Let the process end in its own way."""
        with suppress(OSError):
            self.pipe.send(None)
        self.process.join(10)
        if self.process.is_alive():
            self.end()


class Tally:
    """What came of all inputs so far."""

    def __init__(self, keep: Path, args: argparse.Namespace, stock: Path) -> None:
        self.codes: dict[str, Counter[str]] = {}
        self.slowest: dict[str, tuple[float, int]] = {}
        self.largest: dict[str, tuple[float, int]] = {}
        self.spent: Counter[str] = Counter()
        self.groups: dict[tuple[str, str, str], list[int]] = {}
        self._keep = keep
        self._args = args
        self._stock = stock

    def add(self, told: Told) -> None:
        """Count an outcome, keep its input where there is something to find."""
        code = str(told.outcome.code) if told.outcome.code in {0, 1, 2} else "other"
        self.codes.setdefault(told.verb, Counter())[code] += 1
        self.spent[told.verb] += round(told.outcome.seconds * 1000)
        for best, value in ((self.slowest, told.outcome.seconds), (self.largest, told.outcome.megabytes)):
            best[told.verb] = max(best.get(told.verb, (0.0, 0)), (value, told.number))
        for finding in told.outcome.findings:
            group = self.groups.setdefault((finding.kind, finding.where, told.verb), [])
            group.append(told.number)
            if len(group) <= _KEPT:
                self._save(told, finding)

    def _save(self, told: Told, finding: Finding) -> None:
        place = self._keep / f"{self._args.seed}-{told.number}"
        folder = sandbox.emptied(place)
        given = build(self._args.seed, told.number, self._stock, folder, self._args.only)
        described = {"words": given.words, "said": given.said.decode("latin-1"), "finding": list(finding)}
        (place / "input.json").write_text(json.dumps(described, indent=1), encoding="utf-8")
        print(f"{finding.kind}: {finding.where}\n  {_line(given)}\n  {finding.detail.strip()[-1500:]}", flush=True)
        print(f"  again: python benchmarks/fuzz.py --replay {place}", flush=True)

    def table(self) -> str:
        """Return the table by verb, and the findings by what tells them apart."""
        titles = ("inputs", "0", "1", "2")
        head = " ".join(f"{title:>8}" for title in titles)
        lines = [f"{'verb':24} {head} {'other':>6} {'found':>6} {'ms each':>8} {'slowest':>16} {'peak MB':>14}"]
        found = Counter(verb for (_, _, verb), numbers in self.groups.items() for _ in numbers)
        for verb, codes in sorted(self.codes.items()):
            total = sum(codes.values())
            slow, large = "{:.1f} s #{}".format(*self.slowest[verb]), "{:,.0f} #{}".format(*self.largest[verb])
            lines.append(
                f"{verb:24} {total:8,} {codes['0']:8,} {codes['1']:8,} {codes['2']:8,} {codes['other']:6,} "
                f"{found[verb]:6,} {self.spent[verb] / total:8.1f} {slow:>16} {large:>14}"
            )
        everything = sum((codes for codes in self.codes.values()), Counter[str]())
        lines.append(
            f"{'all':24} {everything.total():8,} {everything['0']:8,} {everything['1']:8,} {everything['2']:8,} "
            f"{everything['other']:6,} {found.total():6,}"
        )
        for (kind, where, verb), numbers in sorted(self.groups.items()):
            lines.append(
                f"{kind}: {where} ({verb}): {len(numbers):,} inputs, such as {', '.join(map(str, numbers[:5]))}"
            )
        return "\n".join(lines)


class Run:
    """Inputs handed to processes until there were enough of them, or enough time has passed."""

    def __init__(self, args: argparse.Namespace, stock: Path, scratch: Path) -> None:
        self.tally = Tally(args.keep, args, stock)
        self._args = args
        self._stock = stock
        self._scratch = scratch
        self._end = time.monotonic() + args.minutes * 60 if args.minutes else float("inf")
        self._next: int = args.first
        self._last: float = args.first + args.inputs if args.inputs else float("inf")
        self._started = 0
        self._done = 0

    def __call__(self) -> int:
        """Run them all and print the table; return the exit code."""
        workers = [self._fresh() for _ in range(self._args.jobs)]
        try:
            for worker in workers:
                self._give(worker)
            while busy := [worker for worker in workers if worker.number >= 0]:
                ready = wait([worker.pipe for worker in busy], timeout=0.5)
                workers = [self._looked_after(worker, ready=worker.pipe in ready) for worker in workers]
        except KeyboardInterrupt:
            print("stopped", file=sys.stderr)
        finally:
            for worker in workers:
                worker.leave() if worker.number < 0 else worker.end()
        print(self.tally.table())
        return 1 if self.tally.groups else 0

    def _fresh(self) -> Worker:
        self._started += 1
        return Worker(self._stock, self._scratch / f"worker-{self._started}", self._args.seed, self._args.only)

    def _give(self, worker: Worker) -> None:
        """Hand a process its next input, if there is one."""
        worker.number = -1
        if self._next < self._last and time.monotonic() < self._end:
            worker.give(self._next)
            self._next += 1

    def _looked_after(self, worker: Worker, *, ready: bool) -> Worker:
        """Take what a process has to say, or end it where it is overdue; return the one that goes on in its place."""
        if worker.number < 0:
            return worker
        if ready:
            try:
                self.tally.add(worker.pipe.recv())
            except (EOFError, OSError):
                self._lose(worker, "ended")
                worker = self._fresh()
            else:
                worker.done += 1
                self._done += 1
                if self._done % _TOLD == 0:
                    print(f"{self._done:,} inputs, {len(self.tally.groups)} kinds of findings", file=sys.stderr)
        elif why := worker.overdue():
            self._lose(worker, why)
            worker = self._fresh()
        else:
            return worker
        if worker.done >= _RECYCLED:
            worker.leave()
            worker = self._fresh()
        self._give(worker)
        return worker

    def _lose(self, worker: Worker, kind: str) -> None:
        """End a process, and count its input by what became of it."""
        where, stack = worker.end()
        folder = sandbox.emptied(self._scratch / "lost")
        given = build(self._args.seed, worker.number, self._stock, folder, self._args.only)
        finding = Finding(kind, where, f"process of {_line(given)}\n{stack}")
        self.tally.add(Told(worker.number, given.verb, Outcome(-1, 0.0, 0.0, [finding], "", "")))


def _line(given: commands.Input) -> str:
    words = " ".join(word if len(word) < 200 else f"{word[:60]}...({len(word)})" for word in given.words)
    return f"duologue {words}".encode("unicode_escape").decode("ascii")


def replay(which: str, args: argparse.Namespace, scratch: Path) -> int:
    """Run one input again and print all that it says."""
    kept = Path(which)
    folder = sandbox.emptied(scratch / "again")
    if kept.is_dir():
        described: dict[str, Any] = json.loads((kept / "input.json").read_text("utf-8"))
        folder.rmdir()
        os.system(f"cp -a '{kept / 'work'}' '{folder}'")  # noqa: S605  # the one copy that keeps FIFOs
        words = described["words"]
        given = commands.Input(commands.verb_of(words), words, described["said"].encode("latin-1"))
    else:
        given = build(args.seed, int(which), stocked(args, scratch), folder, args.only)
    print(_line(given), flush=True)
    sandbox.enter()
    outcome = sandbox.run(given, folder)
    print(f"{outcome.out[-5000:]}\n{outcome.err[-5000:]}")
    print(f"exit code {outcome.code}, {outcome.seconds:.2f} s, {outcome.megabytes:.0f} MB")
    for finding in outcome.findings:
        print(f"{finding.kind}: {finding.where}\n{finding.detail}")
    return 1 if outcome.findings else 0


def stocked(args: argparse.Namespace, scratch: Path) -> Path:
    """Return the folder with the material, made if it is not there yet."""
    stock: Path = (args.material or scratch / "material").resolve()
    if not stock.is_dir():
        stock.mkdir(parents=True)
        material.make(stock, models=not args.no_models, jobs=args.jobs)
    return stock


def main(argv: Sequence[str]) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=0, help="stop after so many minutes")
    parser.add_argument("--inputs", type=int, default=0, help="stop after so many inputs")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--only", default="", help="only commands whose line has this word")
    parser.add_argument("--keep", type=Path, default=Path("workspace/fuzz"), help="where inputs with findings are kept")
    parser.add_argument("--material", type=Path, help="folder of the material; made if it is not there")
    parser.add_argument("--no-models", action="store_true", help="train nothing for the material")
    parser.add_argument("--replay", metavar="NUMBER|FOLDER", help="run one input again")
    args = parser.parse_args(argv)
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell's background ignores the first; both end in the table
        signal.signal(number, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="duologue-fuzz-") as name:
        scratch = Path(name)
        if args.replay:
            return replay(args.replay, args, scratch)
        if not args.minutes and not args.inputs:
            parser.error("say --minutes or --inputs")
        args.keep = args.keep.resolve()
        try:
            return Run(args, stocked(args, scratch), scratch)()
        finally:
            shutil.rmtree(scratch / "lost", ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
