"""How systems bear each kind of speech noise: `python benchmarks/noise.py [--data FOLDER --model M] [--write]`.

The noise (`duologue.text.noise`) was fitted to no challenge's data, and the systems to none of it. Dialogues are
generated here: restaurant (simulated bookings of the five subtasks, in English) and MobileCS track 2 (simulated calls,
in Chinese). Each kind is laid on the user's turns alone at strength 1, then all together at 1 and 2. Proactive
dialogues are people's, from those put aside in `proactive.py`; its systems learned from the others, without noise.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.proactive.formats import files
from duologue.core.optional_protocols import Grounded, Simulated
from duologue.core.plugins import load_system, load_task
from duologue.core.records import Answer, Record
from duologue.run.evaluate import Truth, scoring
from duologue.run.robustness import noise_remarks, robustness
from duologue.run.systems import open_system
from duologue.text.noise.speech_channel import KINDS
from proactive_floors import FLOORS
from proactive_rows import WHOLE, make_data, write_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duologue.core.protocols import System, Task, TaskInfo, World
    from duologue.core.records import Example, Report, Sample

SEED = 1
PAGE = Path(__file__).with_name("NOISE.md")
ASKED = {
    "restaurant": ("solver", "tfidf", "medoid"),
    "mobilecs/dialogue": ("rule-agent",),
}
"""Systems that need no training, by task."""
ALL = (*((kind, (kind,), 1.0) for kind in KINDS), ("all", KINDS, 1.0), ("all, twice", KINDS, 2.0))
"""Name of a column, its kinds and their strength."""
ASIDE = 500
"""Visible sessions of proactive that are put aside, as in `proactive.py`."""
MARK = "| proactive |"
"""How the last table of the page begins."""


class Floor:
    """A system of `proactive_floors`, with the sessions that it takes replies from."""

    Recipe = Record
    seen = "the visible sessions that are not put aside"

    def __init__(self, name: str, training: list[Example]) -> None:
        self._name, self._training = name, training

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Do nothing: there is no chance and no world."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return the floor's replies."""
        return [Answer(text=text) for text in FLOORS[self._name](self._training, samples)]


def truths(task: Task, folder: Path, n: int) -> list[Truth]:
    """Return the truth of generated test sets."""
    assert isinstance(task, Simulated)
    if task.info.name == "restaurant":
        recipe = msgspec.convert({"part": "tst1", "n": n}, task.Generation)
        paths = task.generate(recipe, SEED, folder, workers=1, progress=None)
        data = [path for path in paths if path.parent.name == "tst1" and ".answers" not in path.name]
        return [Truth.of(task, [path.with_suffix(".answers.json")], path) for path in sorted(data)]
    recipe = msgspec.convert({"n": n}, task.Generation)
    task.generate(recipe, SEED, folder, workers=1, progress=None)
    found = [Truth.of(task, [folder / "track2" / f"{part}.json"]) for part in ("train", "dev", "test")]
    return [one for one in found if one.examples]


def main_score(reports: list[Report]) -> tuple[str, int]:
    """Return the score that ranks, over the samples of several test sets, in percent or as it is, and their number."""
    values = [next(one for one in report.scores if one.name == report.rank_by) for report in reports]
    n = sum(report.n for report in reports)
    value = sum(one.value * report.n for one, report in zip(values, reports, strict=True)) / n
    return f"{100 * value:.1f} %" if values[0].percent else f"{value:.3f}", n


def proactive_table(data: Path, model: Path | None, work: Path, n: int, folder: Path) -> list[str]:
    """Return the lines of the table of proactive, on the first `n` of the sessions put aside."""
    made = make_data(data, work, ASIDE, SEED)
    path = folder / "aside.jsonl"
    write_rows(path, files.read_rows(made.gold, "session")[:n])
    training = [one for source in made.train[WHOLE] for one in files.load(source)]
    systems: dict[str, Callable[[], System]] = {name: partial(Floor, name, training) for name in FLOORS}
    if model is not None:
        systems["planner"] = lambda: load_system(model)
    task = load_task("proactive")
    lines = rows(task, systems, [Truth.of(task, [path])], folder)
    return [line.replace("simulated samples", "turns of people") for line in lines]


def table(name: str, folder: Path, n: int) -> list[str]:
    """Return the lines of a task's table."""
    task = load_task(name)
    systems = {system: partial(open_system, task, system, None, ()) for system in ASKED[name]}
    return rows(task, systems, truths(task, folder, n), folder)


def rows(task: Task, systems: Mapping[str, Callable[[], System]], found: list[Truth], folder: Path) -> list[str]:
    """Return the lines of a table: a row for each system."""
    name, how = task.info.name, scoring(task, None)
    world = task.world(None) if isinstance(task, Grounded) else None
    lines = [f"| {name} | clean | " + " | ".join(column for column, _, _ in ALL) + " |"]
    lines.append("|---" * (len(ALL) + 2) + "|")
    count, rank = 0, ""
    for system, opened in systems.items():
        cells = []
        for column, kinds, strength in (("clean", KINDS, 0.0), *ALL):
            reports = [
                robustness(
                    task, [(system, opened())], one, [strength], how,
                    folder / "results" / system / column / str(number), kinds=kinds, world=world, seed=SEED,
                )[0]
                for number, one in enumerate(found)
            ]  # fmt: skip
            value, count = main_score(reports)
            rank = reports[0].rank_by
            cells.append(value)
            print(f"{name} {system} {column}: {cells[-1]}", flush=True)
        lines.append(f"| `{system}` | " + " | ".join(cells) + " |")
    return [*lines, "", f"{rank}, on {count:,} simulated samples, seed {SEED}.", *noise_remarks(task), ""]


def main() -> int:
    """Measure, print, and write the page where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--n", type=int, default=10, help="dialogues of each subtask, and calls")
    parser.add_argument("--data", type=Path, help="that of `proactive.py`; without it its table stays as it is")
    parser.add_argument("--model", type=Path, help="a planner trained as `proactive_planner.py` says")
    parser.add_argument("--sessions", type=int, default=100, help="sessions of proactive, of those put aside")
    parser.add_argument("--work", type=Path, default=Path("workspace") / "proactive")
    given = parser.parse_args()
    parts = ["# Speech noise, kind by kind", "", "Written by `python benchmarks/noise.py --write`.", ""]
    parts += [line.strip() for line in (__doc__ or "").splitlines()[2:]] + [""]
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(ASKED):
            parts += table(name, Path(folder) / str(number), given.n)
        if given.data is not None:
            parts += proactive_table(given.data, given.model, given.work, given.sessions, Path(folder))
        else:
            parts += [MARK + part for part in PAGE.read_text(encoding="utf-8").split(MARK)[1:]]
    page = "\n".join(parts).rstrip() + "\n"
    if given.write:
        PAGE.write_text(page, encoding="utf-8")
    else:
        print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
