"""How systems bear each kind of speech noise: `python benchmarks/noise.py [--write]`; writes `NOISE.md`.

The noise (`duologue.text.noise`) was fitted to no challenge's data, and the systems to none of it. Dialogues are
generated here: restaurant (simulated bookings of the five subtasks, in English) and MobileCS track 2 (simulated calls,
in Chinese). Each kind is laid on the user's turns alone at strength 1, then all together at 1 and 2.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from duologue.core.optional_protocols import Grounded, Simulated
from duologue.core.plugins import load_task
from duologue.run.evaluate import Truth, scoring
from duologue.run.robustness import noise_remarks, robustness
from duologue.run.systems import open_system
from duologue.text.noise.speech_channel import KINDS

if TYPE_CHECKING:
    from duologue.core.protocols import Task
    from duologue.core.records import Report

SEED = 1
PAGE = Path(__file__).with_name("NOISE.md")
ASKED = {
    "restaurant": ("solver", "tfidf", "medoid"),
    "mobilecs/dialogue": ("rule-agent",),
}
"""Systems that need no training, by task."""
ALL = (*((kind, (kind,), 1.0) for kind in KINDS), ("all", KINDS, 1.0), ("all, twice", KINDS, 2.0))
"""Name of a column, its kinds and their strength."""


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


def table(name: str, folder: Path, n: int) -> list[str]:
    """Return the lines of a task's table."""
    task = load_task(name)
    how, found = scoring(task, None), truths(task, folder, n)
    world = task.world(None) if isinstance(task, Grounded) else None
    lines = [f"| {name} | clean | " + " | ".join(column for column, _, _ in ALL) + " |"]
    lines.append("|---" * (len(ALL) + 2) + "|")
    count, rank = 0, ""
    for system in ASKED[name]:
        cells = []
        for column, kinds, strength in (("clean", KINDS, 0.0), *ALL):
            reports = [
                robustness(
                    task, [(system, open_system(task, system, None, ()))], one, [strength], how,
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
    given = parser.parse_args()
    parts = ["# Speech noise, kind by kind", "", "Written by `python benchmarks/noise.py --write`.", ""]
    parts += [line.strip() for line in (__doc__ or "").splitlines()[2:]] + [""]
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(ASKED):
            parts += table(name, Path(folder) / str(number), given.n)
    page = "\n".join(parts).rstrip() + "\n"
    if given.write:
        PAGE.write_text(page, encoding="utf-8")
    else:
        print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
