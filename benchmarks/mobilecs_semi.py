"""Learning from unlabelled calls: MobileCS systems from 1 to 100 % of the labels, with and without bare dialogues.

    python benchmarks/mobilecs_semi.py [--work workspace/mobilecs_semi] [--only extraction] [--shares 1,3,10]

Each cell (task, way of learning, share, seed) is trained and scored once and kept in the work folder; what is there is
not done again. `--page` writes MOBILECS_SEMI.md and its pictures from the cells that are there, and nothing else.
"""

from __future__ import annotations

import argparse
import json
import logging
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from duologue.challenges.mobilecs.simulator.corpus import generate
from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe
from duologue.core.held_out import draw_order
from duologue.core.protocols import Run
from duologue.core.records import Scoring
from duologue.metrics.counts import Counts
from mobilecs_semi_page import write_page
from mobilecs_semi_tasks import TASKS, Corpus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mobilecs_semi_tasks import SemiTask

SHARES = (1, 3, 10, 30, 100)
SEEDS = (1, 2, 3)
LABELLED, UNLABELLED, TESTS = 1_000, 2_000, 400
TRAIN_SEED, TEST_SEED = 21, 61


class Cell(NamedTuple):
    """One training and its score."""

    task: str
    way: str
    share: int
    seed: int

    @property
    def name(self) -> str:
        """Name of its file."""
        return f"{self.task}_{self.way}_{self.share}_{self.seed}"


def corpora(work: Path) -> Corpus:
    """Return labelled, unlabelled and test files, generated once; tests are of a seed that nothing is trained on."""
    for name, seed, recipe in (
        (
            "train",
            TRAIN_SEED,
            CallCorpusRecipe(
                profile="crowd",
                argument_rate=0.4,
                n=LABELLED * 5 // 4,
                unlabelled_ratio=UNLABELLED / (LABELLED * 5 // 4),
            ),
        ),
        (
            "test",
            TEST_SEED,
            CallCorpusRecipe(profile="crowd", argument_rate=0.4, n=2 * TESTS, test_share=0.5, unlabelled_ratio=0.0),
        ),
    ):
        if not (work / name / "labelled" / "test.json").is_file():
            generate(recipe, seed, work / name, workers=1, progress=None)
    return Corpus(work / "train", work / "test")


def measure(cell: Cell, task: SemiTask, corpus: Corpus, work: Path) -> None:
    """Train a system as a cell says, score it on the test set, and keep its counts."""
    pool = task.load(task.labelled(corpus))
    names = draw_order((one.sample.dialogue_id for one in pool), cell.seed)
    chosen = set(names[: max(4, round(len(names) * cell.share / 100))])
    examples = [one for one in pool if one.sample.dialogue_id in chosen]
    unlabelled = [] if cell.way == "labels alone" else task.load(task.unlabelled(corpus, work))
    folder = work / "runs" / cell.name
    folder.mkdir(parents=True, exist_ok=True)
    shared = work / "runs" / f"{cell.task}-pre-{cell.seed}"
    if task.pre_training and shared.is_dir() and unlabelled and not (folder / task.pre_training).exists():
        shutil.copytree(shared, folder / task.pre_training)  # the same bare calls, seed and recipe: the same weights
    begun = time.process_time()
    system = task.system(cell.way, len(chosen))
    system.fit(examples, [], unlabelled, Run(folder=folder, seed=cell.seed))
    system.prepare(task.task.info, cell.seed, {})
    seconds = time.process_time() - begun
    tests = task.load(task.tests(corpus))
    task.task.write(tests, task.answers(system, tests), folder / "result.json")
    report = task.task.score(tests, task.task.read(folder / "result.json"), Scoring(variant="strict"))
    dialogues, sums = Counts.of_report(report).units()
    if task.pre_training and (folder / task.pre_training).is_dir() and not shared.exists():
        shutil.copytree(folder / task.pre_training, shared)
    kept = {
        "dialogues": len(chosen),
        "seconds": round(seconds, 1),
        "scores": {score.name: score.value for score in report.scores},
        "columns": report.columns,
        "names": dialogues,
        "sums": np.round(sums, 9).tolist(),
    }
    (work / "cells").mkdir(exist_ok=True)
    (work / "cells" / f"{cell.name}.json").write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")
    shutil.rmtree(folder)
    print(cell.name, f"{report.scores[0].value:.4f}", f"{seconds:.0f} s", flush=True)


def kept_cells(work: Path) -> dict[Cell, dict[str, Any]]:
    """Return the cells that are there."""
    found = {}
    for path in sorted((work / "cells").glob("*.json")):
        task, way, share, seed = path.stem.split("_")
        found[Cell(task, way, int(share), int(seed))] = json.loads(path.read_text(encoding="utf-8"))
    return found


def main(words: Sequence[str] | None = None) -> int:
    """Measure what is missing and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("workspace/mobilecs_semi"))
    parser.add_argument("--only", choices=list(TASKS), help="one task")
    parser.add_argument("--shares", default="1,3,10", help="percent of the labels, with commas between")
    parser.add_argument("--seeds", default=",".join(map(str, SEEDS)), help="seeds, with commas between")
    parser.add_argument("--ways", default="", help="ways of learning, with commas between; all of them by default")
    parser.add_argument("--page", action="store_true", help="measure nothing, write the page")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("MOBILECS_SEMI.md"), help="the page")
    chosen = parser.parse_args(words)
    logging.getLogger("duologue").setLevel(logging.ERROR)  # generated calls have the odd turn on purpose
    corpus = corpora(chosen.work)
    shares = [int(one) for one in chosen.shares.split(",")]
    for seed in [] if chosen.page else map(int, chosen.seeds.split(",")):
        for share in shares:
            for name, task in TASKS.items():
                for way in task.ways:
                    cell = Cell(name, way, share, seed)
                    skipped = (chosen.only and name != chosen.only) or (chosen.ways and way not in chosen.ways)
                    if not skipped and not (chosen.work / "cells" / f"{cell.name}.json").is_file():
                        measure(cell, task, corpus, chosen.work)
    sizes = f"{LABELLED:,} labelled, {UNLABELLED:,} unlabelled and {TESTS:,} test dialogues"
    write_page(kept_cells(chosen.work), chosen.out, sizes)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
