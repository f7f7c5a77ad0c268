"""All systems on the real test files: the table of benchmarks/RESTAURANT.md, by one command.

    python benchmarks/restaurant.py --data FOLDER

FOLDER holds `release_a`, `release_b` (each with tst1 ... as official files, `.answers.json` beside them) and
`kb`. Models are trained on simulated dialogues only, into `workspace/benchmark`, unless they stand there;
every result goes through the official file, is checked and scored from it. What was measured of a model is kept there,
so that a stopped run goes on; `--only SYSTEM` measures one system for the page to be made later.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from costs import timed
from duologue.core.disk import write_text
from duologue.core.identity import hash_of_model
from duologue.core.plugins import load_system, load_task, make_system
from duologue.report import compare_all
from duologue.report.comparison import in_order
from duologue.run.evaluate import check, score, scoring
from duologue.run.predict import predict_file
from duologue.run.saved import read_report, save_report
from duologue.run.whole import total
from restaurant_blind import section as blind
from restaurant_literature import section as literature
from restaurant_simulated import measured
from restaurant_simulated import section as simulated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.protocols import World
    from duologue.core.records import Report

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "workspace" / "benchmark"
SEED = 1
MODELS = {
    "memn2n": ("memn2n",),
    "hcn": ("hcn",),
    "ranker-closed": ("ranker", "regime=closed"),
    "ranker-open": ("ranker", "regime=open"),
}
"""Trained systems: the registered name and the settings of each."""
SYSTEMS = ("random", "tfidf", "solver", *MODELS)


class Cell(NamedTuple):
    """One system on one file."""

    release: str
    part: str
    subtask: int
    system: str
    report: Report
    per_second: float
    """Dialogues answered per second of processor time, reading and writing included."""


def main() -> int:
    """Train what is missing, run everything, write the page; return 1 when a file is refused."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "RESTAURANT.md")
    parser.add_argument("--only", choices=SYSTEMS, help="measure one system, for the page to be made later")
    options = parser.parse_args()
    if options.only in MODELS:
        train_model(options.only, *MODELS[options.only])
    if options.only:
        print(len(run_all(options.data, (options.only,))), "results")
        return 0
    trained = {name: train_model(name, *words) for name, words in MODELS.items()}
    cells = run_all(options.data, SYSTEMS)
    made = page(cells, trained) + literature(reports(cells), measured(WORK)) + simulated(WORK) + blind(options.data)
    options.out.write_text(made, encoding="utf-8")
    print(f"{len(cells)} results in {options.out}")
    return 0


def train_model(name: str, system: str, *settings: str) -> str:
    """Train a system by the command line unless it stands already; return what it took."""
    folder, program = WORK / name, Path(sys.executable).with_name("duologue")
    sets = [word for one in settings for word in ("--set", one)]
    command = [program, "train", "restaurant", "--system", system, *sets, "--seed", SEED]
    WORK.mkdir(parents=True, exist_ok=True)
    note = WORK / f"{name}.costs.json"
    if (folder / "system.toml").is_file() and note.is_file():
        spent = json.loads(note.read_text(encoding="utf-8"))
    else:
        spent = timed(note, [*command, "--quiet", "--out", folder])
    costs = f"{spent['cpu']:.0f} s of processor time and {spent['mb']:,.0f} MB"
    print(f"{name}: {costs}", flush=True)
    return costs


def run_all(data: Path, systems: Sequence[str]) -> list[Cell]:
    """Run, check and score systems on all real files."""
    return [
        cell
        for release in ("release_a", "release_b")
        for part in sorted(path.name for path in (data / release).glob("tst*"))
        for cell in run_part(data, release, part, systems)
    ]


def run_part(data: Path, release: str, part: str, systems: Sequence[str]) -> list[Cell]:
    """Run, check and score systems on one test set of one release, but for what was measured before."""
    task = load_task("restaurant")
    kb = data / "kb" / ("extendedkb1.txt.gz" if part in {"tst1", "tst3"} else "extendedkb2.txt.gz")
    world: World = task.world(kb)  # type: ignore[attr-defined]  # the restaurant task is Grounded
    cells = []
    files = sorted(path for path in (data / release / part).glob("*.json.gz") if ".answers." not in path.name)
    for subtask, source in enumerate(files, start=1):
        truth = source.with_name(source.name.replace(".json.gz", ".answers.json.gz"))
        for name in systems:
            mark = hash_of_model(WORK / name)[:12] if name in MODELS else "rules"
            out = WORK / "results" / release / part / f"{name}-{mark}" / source.name.replace(".json.gz", ".pred.json")
            kept, speed = out.with_suffix(".report.json"), out.with_suffix(".speed")
            if not kept.is_file() or not speed.is_file():
                system = load_system(WORK / name) if name in MODELS else make_system(name)
                began = time.process_time()
                n = predict_file(task, system, source, out, name=name, world=world, kb=kb, seed=SEED).answers
                write_text(speed, str(n / (time.process_time() - began)))
                _, problems = check(task, out, source, "strict")
                if problems:
                    sys.exit(f"{out} is refused: {problems[0].message}")
                test_set = f"{release} {part} task {subtask}"
                save_report(score(task, [truth], out, scoring(task), data=source, test_set=test_set), kept)
            report = read_report(kept)
            cells.append(Cell(release, part, subtask, name, report, float(speed.read_text(encoding="utf-8"))))
            print(f"{release} {part} task {subtask} {name:<14} P@1 {report.scores[0].value:.3f}", flush=True)
    return cells


def page(cells: list[Cell], trained: dict[str, str]) -> str:
    """Return the page as Markdown."""
    parts = [HEAD]
    parts += [
        f"* `{name}` {hash_of_model(WORK / name)[:12]}: system {' with '.join(f'`{word}`' for word in MODELS[name])}; "
        f"training took {costs} in one thread, simulating its dialogues included."
        for name, costs in trained.items()
    ]
    for release, part in sorted({(cell.release, cell.part) for cell in cells}):
        own = [cell for cell in cells if (cell.release, cell.part) == (release, part)]
        parts.append(f"\n## {release.replace('_', ' ').replace(' a', ' A').replace(' b', ' B')}, {part}\n")
        parts.append(table(own))
    parts.append("\n## Paired tests\n")
    parts.append(tests(cells))
    parts.append("\n## What each system saw in training\n")
    parts += [f"* `{name}`: {_first(cells, name).report.seen}" for name in SYSTEMS]
    return "\n".join(parts) + "\n"


HEAD = """# Restaurant: all systems on the real test files

Made by `python benchmarks/restaurant.py --data FOLDER`; nothing here is typed by hand. P@1 in percent with its 95 %
interval, 1,000 dialogues per file, variant `strict`; `mean` is the mean over the five subtasks. Models were
trained on simulated dialogues only and chosen on held-out simulated dialogues; no real file was used to choose.
The last column is speed in dialogues per second of processor time, one thread, all included (reading, look-ups,
writing); the two cores were shared with other programs.
"""


def table(cells: list[Cell]) -> str:
    """Return one test set: a row per system, a column per subtask."""
    subtasks = sorted({cell.subtask for cell in cells})
    lines = [
        "| system | " + " | ".join(f"task {number}" for number in subtasks) + " | mean | dialogues/s |",
        "|---|" + "---|" * (len(subtasks) + 2),
    ]
    for name in SYSTEMS:
        own = [cell for cell in cells if cell.system == name]
        shown = []
        for cell in own:
            first = cell.report.scores[0]
            assert first.low is not None
            assert first.high is not None
            shown.append(f"{100 * first.value:.1f} ({100 * first.low:.1f}-{100 * first.high:.1f})")
        mean = sum(cell.report.scores[0].value for cell in own) / len(own)
        speed = sum(cell.per_second for cell in own) / len(own)
        lines.append(f"| {name} | " + " | ".join(shown) + f" | **{100 * mean:.2f}** | {speed:,.0f} |")
    return "\n".join(lines)


def tests(cells: list[Cell]) -> str:
    """Return the paired tests of neighbours in each file, corrected over all pairs of systems on that file."""
    sets: dict[str, list[Report]] = {}
    for cell in cells:
        sets.setdefault(str(cell.report.meta["test_set"]), []).append(named(cell))
    order = {name: [report.system for report in in_order(reports)] for name, reports in sets.items()}
    found = [
        one for one in compare_all(sets) if order[one.test_set].index(one.b) == order[one.test_set].index(one.a) + 1
    ]
    lines = [
        "Neighbours in the order of P@1; approximate randomisation, corrected over all pairs of systems on a file.\n",
        "| file | A | B | A - B (points) | 95 % interval | p, corrected | better |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in found:
        better = {"a": one.a, "b": one.b, None: "tie"}[one.better]
        tested = one.tested
        lines.append(
            f"| {one.test_set} | {one.a} | {one.b} | {100 * tested.difference:.1f} "
            f"| {100 * tested.low:.1f} to {100 * tested.high:.1f} | {tested.p_adjusted:.4f} | {better} |"
        )
    return "\n".join(lines)


def reports(cells: list[Cell]) -> dict[str, dict[str, Report]]:
    """Return the reports of each real test set over its five subtasks, by system."""
    found: dict[str, dict[str, Report]] = {}
    for release, part in sorted({(cell.release, cell.part) for cell in cells}):
        own = [cell for cell in cells if (cell.release, cell.part) == (release, part)]
        found[f"{release[-1].upper()} {part}"] = {
            name: total([(f"task {cell.subtask}", cell.report) for cell in own if cell.system == name], name)
            for name in SYSTEMS
        }
    return found


def named(cell: Cell) -> Report:
    """Return the report under the name that tells the two regimes apart."""
    return msgspec.structs.replace(cell.report, system=cell.system)


def _first(cells: list[Cell], name: str) -> Cell:
    return next(cell for cell in cells if cell.system == name)


if __name__ == "__main__":
    sys.exit(main())
