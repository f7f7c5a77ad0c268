"""`duologue demo`: the whole path on data made here, in two minutes."""

from __future__ import annotations

import io
import shlex
import shutil
import time
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

from duologue.cli import options
from duologue.cli.main import cli
from duologue.core.disk import write_text
from duologue.core.errors import DuologueError, UsageError
from duologue.report import write_page
from duologue.run.saved import read_report

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.records import Report

_MARK = ".duologue-demo"
"""Only a folder that holds this file, or is empty, is emptied."""
_DEMO_RECIPE = ("--set", "regime=open", "--set", "dialogues=2000", "--set", "schemas=200", "--set", "epochs=3")
"""A small ranker: the defaults learn from more dialogues."""
_PARTS = ("tst1", "tst2", "tst3", "tst4")
_SYSTEMS = ("random", "tfidf", "ranker", "solver")


@click.command()
@click.option("--out", type=options.PATH, required=True, help="Folder for everything; emptied first.")
@click.option("--n", type=click.IntRange(min=20), default=100, show_default=True, help="Dialogues per test file.")
@options.seed_option
def demo(*, out: Path, n: int, seed: int) -> None:
    """Simulate bookings, train a ranker, rank test sets, check and score the files, and write a report.

    Every step is a command that is shown before it runs; all of it needs no data, no network and no GPU.

    \b
    Example:
      duologue demo --out workspace/demo
    """
    began = time.monotonic()
    _empty(out)
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
    write_text(out / "commands.txt", "\n".join(shell.done) + "\n")
    Console(highlight=False).print(_table(reports))
    click.echo(f"All {len(shell.done)} commands: {out / 'commands.txt'}")
    click.echo(f"Report: {page} ({time.monotonic() - began:.0f} s)")


def _one(shell: _Shell, name: str, system: str, truth: Path, results: Path) -> Report:
    """Run, check and score one system on one test file."""
    source = truth.with_name(truth.name.replace(".answers.json", ".json"))
    world = truth.parents[1] / ("extendedkb1.txt" if truth.parent.name in {"tst1", "tst3"} else "extendedkb2.txt")
    result = results / name / truth.parent.name / truth.name
    saved = result.with_name(result.name.replace(".answers.json", ".report.json"))
    shell.run("run", "restaurant", "--system", system, "--input", source, "--kb", world, "--out", result)
    shell.run("check", "restaurant", result, "--input", source)
    shell.run("score", "restaurant", "--gold", truth, "--pred", result, "--input", source, "--out", saved)
    return read_report(saved)


class _Shell:
    """Runs our own commands in this process, shows the first of each kind and remembers all."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.shown: list[str] = []
        self._kinds: set[tuple[str, ...]] = set()

    def run(self, *words: object) -> None:
        """Run one command; what it prints is kept back, what goes wrong is raised."""
        parts = [str(word) for word in words]
        line = "duologue " + shlex.join(parts)
        kind = (parts[0], parts[parts.index("--system") + 1] if "--system" in parts else "")
        if kind not in self._kinds:
            self._kinds.add(kind)
            self.shown.append(line)
            click.echo(f"$ {line}")
        self.done.append(line)
        with redirect_stdout(io.StringIO()) as printed:
            code = cli.main(parts, standalone_mode=False)
        if code:
            raise DuologueError(f"`{line}` failed:\n{printed.getvalue()}")


def _empty(out: Path) -> None:
    """Empty the demo's folder; a folder of somebody else's is refused."""
    if out.is_dir() and any(out.iterdir()) and not (out / _MARK).is_file():
        raise UsageError(f"{out} holds other files; the demo empties its folder, so give it one of its own")
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
