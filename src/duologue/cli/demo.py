"""`duologue demo`: the whole path on data made here, in two minutes."""

from __future__ import annotations

import io
import shlex
import shutil
import time
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

import click
from rich.table import Table

from duologue.cli.main import cli
from duologue.core.disk import write_text
from duologue.core.errors import DuologueError, UsageError
from duologue.core.locks import writing_file
from duologue.core.own_files import demand_ours, files_below, note_files, strangers
from duologue.report import write_page
from duologue.run.saved import read_report
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.records import Report

_MARK = ".duologue-demo"
"""Only a folder that holds this file and nothing that a demo did not write, or is empty, is emptied."""
_DEMO_RECIPE = ("--set", "regime=open", "--set", "dialogues=2000", "--set", "schemas=200", "--set", "epochs=3")
"""A small ranker: the defaults learn from more dialogues."""
_FEW = ("--set", "regime=closed", "--set", "epochs=2", "--set")
_HARD = {"ranker-60-a": ("dialogues=60", 1), "ranker-60-b": ("dialogues=60", 2), "ranker-20": ("dialogues=20", 1)}
"""Rankers that learn from next to nothing: how much, and what is added to the seed."""
_HARD_TEST = "tst4/*task5*.answers.json"
"""Whole dialogues, with other restaurants and a request that training never had."""
_PARTS = ("tst1", "tst2", "tst3", "tst4")
_SYSTEMS = ("random", "tfidf", "ranker", "solver")


@click.command()
@click.option("--out", type=options.OUT_FOLDER, required=True, help="Folder for everything; emptied first.")
@click.option("--n", type=options.CountNumber(min=20), default=100, show_default=True, help="Dialogues per test file.")
@options.seed_option
def demo(*, out: Path, n: int, seed: int) -> None:
    """Simulate bookings, train a ranker, rank test sets, check and score the files, and write a report.

    Then rank systems that are hard to tell apart: rankers that learned from a handful of dialogues, with intervals,
    paired tests and tiers. Every step is a command that is shown before it runs; all of it needs no data, no network
    and no GPU. A folder of an earlier demo is emptied, unless a file was put into it or changed since.

    \b
    Example:
      duologue demo --out workspace/demo
    """
    with writing_file(out):  # beside the folder, which is emptied
        _all_of(out, n, seed)


def _all_of(out: Path, n: int, seed: int) -> None:
    began = time.monotonic()
    _empty(out)
    try:
        _steps(out, n, seed, began)
    finally:
        note_files(out, files_below(out))


def _steps(out: Path, n: int, seed: int, began: float) -> None:
    shell = _Shell()
    data, model = out / "data", out / "ranker"
    shell.run("generate", "restaurant", "--seed", seed, "--n", n, "--out", data)
    shell.run("train", "restaurant", "--system", "ranker", *_DEMO_RECIPE, "--seed", seed, "--out", model)
    reports = [
        _one(shell, name, str(model) if name == "ranker" else name, truth, out / "results")
        for truth in sorted(data.glob("tst*/*.answers.json"))
        for name in _SYSTEMS
    ]
    page = out / "report.html"
    write_page(page, reports, title="Duologue demo: booking a restaurant table", commands=shell.shown)
    console.show(_table(reports))
    board = _hard(shell, data, out, seed)
    write_text(out / "commands.txt", "\n".join(shell.done) + "\n")
    console.line(f"All {len(shell.done)} commands: {out / 'commands.txt'}")
    console.line(f"Reports: {page}, {board} ({time.monotonic() - began:.0f} s)")


def _hard(shell: _Shell, data: Path, out: Path, seed: int) -> Path:
    """Rank systems that learned little or nothing on the hardest test file; return the page."""
    truth = next(iter(sorted(data.glob(_HARD_TEST))))
    source, results = truth.with_name(truth.name.replace(".answers.json", ".json")), out / "hard"
    console.line("Harder: whole dialogues with unheard-of requests, ranked after learning from 60 or 20 of each kind.")
    for name, (much, more) in _HARD.items():
        shell.run("train", "restaurant", "--system", "ranker", *_FEW, much, "--seed", seed + more, "--out", out / name)
    for name in ("random", "tfidf", *_HARD):
        system = out / name if name in _HARD else name
        words = ("--kb", data / "extendedkb2.txt", "--out", results / f"{name}.pred.json")
        shell.run("run", "restaurant", source, "--system", system, *words)
    page = out / "board.html"
    shell.run("board", "restaurant", results, "--gold", truth, "--out", page, aloud=True)
    best = [results / f"{name}.pred.json" for name in list(_HARD)[:2]]
    shell.run("compare", "restaurant", *best, "--gold", truth, "--limit", 0, aloud=True)
    return page


def _one(shell: _Shell, name: str, system: str, truth: Path, results: Path) -> Report:
    """Run, check and score one system on one test file."""
    source = truth.with_name(truth.name.replace(".answers.json", ".json"))
    world = truth.parents[1] / ("extendedkb1.txt" if truth.parent.name in {"tst1", "tst3"} else "extendedkb2.txt")
    result = results / name / truth.parent.name / truth.name.replace(".answers.json", ".pred.json")
    saved = result.with_name(result.name.replace(".pred.json", ".report.json"))
    shell.run("run", "restaurant", source, "--system", system, "--kb", world, "--out", result)
    shell.run("check", "restaurant", result, "--input", source)
    shell.run("score", "restaurant", result, "--gold", truth, "--input", source, "--out", saved)
    return read_report(saved)


class _Shell:
    """Runs our own commands in this process, shows the first of each kind and remembers all."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.shown: list[str] = []
        self._kinds: set[tuple[str, ...]] = set()

    def run(self, *words: object, aloud: bool = False) -> None:
        """Run one command; what it prints is kept back unless `aloud`, what goes wrong is raised."""
        parts = [str(word) for word in words]
        line = "duologue " + shlex.join(parts)
        kind = (parts[0], parts[parts.index("--system") + 1] if "--system" in parts else "")
        if kind not in self._kinds:
            self._kinds.add(kind)
            self.shown.append(line)
            console.line(f"$ {line}")
        self.done.append(line)
        with redirect_stdout(io.StringIO()) as printed:
            code = cli.main(parts, standalone_mode=False)
        if code:
            raise DuologueError(f"`{line}` failed:\n{printed.getvalue()}")
        if aloud:
            console.text(printed.getvalue())


def _empty(out: Path) -> None:
    """Empty the demo's folder; a folder of somebody else's is refused, and one with files that are."""
    if out.is_dir() and any(out.iterdir()) and not (out / _MARK).is_file():
        raise UsageError(f"{out} holds other files; the demo empties its folder, so give it one of its own")
    demand_ours(out, strangers(out) or [])
    shutil.rmtree(out, ignore_errors=True)
    write_text(out / _MARK, "Made by `duologue demo`, which empties this folder before it starts.\n")


def _table(reports: Sequence[Report]) -> Table:
    """Return P@1 in percent: a row per system, a column per test set, the mean over its five subtasks."""
    table = Table(title="P@1 in %, mean over the five subtasks", title_justify="left")
    table.add_column("system")
    for part in _PARTS:
        table.add_column(part, justify="right")
    for name in _SYSTEMS:
        cells = []
        for part in _PARTS:
            own = [one for one in reports if one.system == name and str(one.meta["test_set"]).startswith(part)]
            cells.append(f"{100 * sum(one.scores[0].value for one in own) / len(own):.1f}")
        table.add_row(name, *cells)
    return table
