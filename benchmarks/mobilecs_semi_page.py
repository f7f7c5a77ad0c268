"""The page of `mobilecs_semi.py`: tables of gains with intervals, and learning curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from duologue.core.records import Scoring
from learning_curves import Place, learning_curves
from mobilecs_semi_tasks import ALONE, TASKS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from mobilecs_semi import Cell
    from mobilecs_semi_tasks import SemiTask

    Cells = Mapping[Cell, Mapping[str, Any]]
    Floats = NDArray[np.float64]

DRAWS = 4_000
WANTED_SHARES, FEW_LABELS, WANTED_SEEDS = (1, 3, 10, 30, 100), (1, 3, 10), (1, 2, 3)
"""What the page is about at the least; what is not there of it is said."""
INTRODUCTION = """# Learning from unlabelled calls

What MobileCS systems gain from dialogues without labels, at small shares of the labels. Made by
`python benchmarks/mobilecs_semi.py` from {sizes}; all of it is generated (profile `crowd`,
argument rate .4), and the test set is of a seed that nothing was trained on. Held-out dialogues,
which choose weights, temperatures and levels, are part of the labelled share in every cell. At small shares the
systems train in smaller batches for more epochs, with and without unlabelled dialogues alike. How `extractor`
chooses weights, and its steps at small shares, were decided by figures of another test set (seed 22);
by this one (seed 61) a single thing was: that 300 labelled calls are learned in batches of 4 too, after a first
training on them in 120 steps of 16 had a lower score than one on 100 calls in 500 steps.

The gain is the paired difference to the same system, seed and labelled dialogues without unlabelled ones. Its 95 %
interval is from a bootstrap that draws test dialogues and seeds anew, both ways of learning together; with three
seeds it says little about other seeds, so each seed's gain stands beside it.
"""


def write_page(cells: Cells, path: Path, sizes: str) -> None:
    """Write the page and its pictures from the cells that are there; `sizes` says what they were made from.

    The section of a task without any cell stays as it is.
    """
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    parts = [INTRODUCTION.format(sizes=sizes)]
    for name, task in TASKS.items():
        known = {cell: kept for cell, kept in cells.items() if cell.task == name and _is_paired(cell, cells)}
        standing = "" if known else section_of(task.title, before)
        if standing:
            parts.append(standing)
            continue
        parts.append(_section(name, task, known, path) if known else f"## {task.title}\n")
        missing = missing_cells(task, known)
        if missing:
            parts.append(f"Not measured yet with the present code: {missing}.\n")
    path.write_text("\n".join(parts), encoding="utf-8")


def section_of(title: str, page: str) -> str:
    """Return the section of a page with its heading; nothing where the page has none."""
    _, found, rest = f"\n{page}".partition(f"\n## {title}\n")
    return (found + rest.partition("\n## ")[0]).strip("\n") + "\n" if found else ""


def _is_paired(cell: Cell, cells: Cells) -> bool:
    """Tell whether there is another way of learning with the same seed and share: means are over the same seeds."""
    return any(other.way != cell.way and other._replace(way=cell.way) == cell for other in cells)


def missing_cells(task: SemiTask, cells: Cells) -> str:
    """Return the ways, shares and seeds that have no cell, in words."""
    done = {(cell.way, cell.share, cell.seed) for cell in cells}
    found = []
    for way in task.ways:
        for share in FEW_LABELS if way == "pre-training" else WANTED_SHARES:  # a part alone, at few labels
            seeds = [seed for seed in WANTED_SEEDS if (way, share, seed) not in done]
            if seeds:
                found.append(
                    f"{way} at {share} % ({'seed' if len(seeds) == 1 else 'seeds'} {', '.join(map(str, seeds))})"
                )
    return "; ".join(found)


def _section(name: str, task: SemiTask, cells: Cells, path: Path) -> str:
    ways = [way for way in task.ways if any(cell.way == way for cell in cells)]
    shares = sorted({cell.share for cell in cells})
    curves = {}
    for way in ways:
        found = []
        for share in shares:
            values = [
                kept["scores"][task.rank_by] for cell, kept in cells.items() if (cell.way, cell.share) == (way, share)
            ]
            if values:
                found.append(Place(share, float(np.mean(values)), min(values), max(values)))
        curves[way] = found
    picture = path.with_name("pictures") / f"mobilecs_semi_{name}.svg"
    picture.parent.mkdir(exist_ok=True)
    drawn = learning_curves(task.title, curves, axis="share of the labels", unit=task.unit, step=task.step)
    picture.write_text(drawn, encoding="utf-8")
    seeds = sorted({cell.seed for cell in cells})
    minutes = sum(kept["seconds"] for kept in cells.values()) / 60
    head = " | ".join(task.columns)
    lines = [
        f"## {task.title}",
        "",
        f"Score: {task.score}; means of the seeds {', '.join(map(str, seeds))}. {task.ways_in_words}",
        "",
        f"![Learning curves](pictures/{picture.name})",
        "",
        "Whiskers: least and most of the seeds.",
        "",
        f"| labels | dialogues | learned from | score | {head} | gain | 95 % interval | by seed | training, CPU |",
        "|---|---|---|---|" + "---|" * len(task.columns) + "---|---|---|---|",
    ]
    for share in shares:
        for way in ways:
            some = {cell: kept for cell, kept in cells.items() if (cell.way, cell.share) == (way, share)}
            if some:
                lines.append(_row(share, way, some, cells, task))
    lines += ["", f"All {len(cells)} trainings of this table: {minutes:.0f} CPU minutes on a busy machine.", ""]
    return "\n".join(lines)


def _row(share: int, way: str, some: Cells, cells: Cells, task: SemiTask) -> str:
    kept = list(some.values())

    places = 1 if task.unit > 1 else 3

    def mean(score: str) -> str:
        value = float(np.mean([one["scores"][score] for one in kept]))
        if score == task.rank_by:
            return f"{task.unit * value:.{places}f}"
        return f"{value:.1f}" if score == "bleu" else f"{100 * value:.1f}"

    pairs = [(cells[other], one) for cell, one in some.items() if (other := cell._replace(way=ALONE)) in cells]
    gain = interval = each = ""
    if way != ALONE and pairs:
        low, high = gain_interval(pairs, task)
        gains = [task.unit * (one["scores"][task.rank_by] - base["scores"][task.rank_by]) for base, one in pairs]
        gain, interval = (
            f"{np.mean(gains):+.{places}f}",
            f"{task.unit * low:+.{places}f} to {task.unit * high:+.{places}f}",
        )
        each = ", ".join(f"{one:+.{places}f}" for one in gains)
    scores = " | ".join(mean(one) for one in task.columns)
    seconds = np.mean([one["seconds"] for one in kept])
    return (
        f"| {share} % | {kept[0]['dialogues']} | {way} | {mean(task.rank_by)} | {scores} "
        f"| {gain} | {interval} | {each} | {seconds:.0f} s |"
    )


def gain_interval(pairs: list[tuple[Mapping[str, Any], Mapping[str, Any]]], task: SemiTask) -> tuple[float, float]:
    """Return the 95 % interval of the mean gain of pairs of cells, one of each seed, over dialogues and seeds."""
    metric = next(one for one in task.task.metrics(Scoring(variant="strict")) if one.name == task.rank_by)
    columns = list(pairs[0][0]["columns"])
    places = [columns.index(one) for one in metric.columns]
    sums: Floats = np.array([[np.array(side["sums"])[:, places] for side in pair] for pair in pairs])
    rng = np.random.default_rng(1)
    seeds, dialogues = sums.shape[0], sums.shape[2]
    draws = []
    for _ in range(DRAWS):
        weights = rng.multinomial(dialogues, np.full(dialogues, 1 / dialogues))
        drawn = sums[rng.integers(seeds, size=seeds)]  # (seeds, 2, dialogues, columns)
        totals = metric.total(np.einsum("d,spdc->spc", weights, drawn))
        draws.append(float((totals[:, 1] - totals[:, 0]).mean()))
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(low), float(high)
