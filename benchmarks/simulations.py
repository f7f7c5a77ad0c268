"""Coverage, type I and family-wise error, power and agreement of the engine, on data whose truth is known.

    python benchmarks/statistics.py [--runs 1000] [--only WORD] [--out benchmarks/STATISTICS.md]

One core. Exits with 1 when a figure misses what it must be. The same runs and seed give the same table, times apart.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # one core is what the times mean; read by numpy when it is imported

import numpy as np  # noqa: E402  # after the number of threads is set

from duologue.core.records import Report, Signature  # noqa: E402  # the same
from duologue.metrics.intervals import intervals, scores  # noqa: E402  # the same
from duologue.metrics.rank import count_ranks, ranking_metrics  # noqa: E402  # the same
from duologue.metrics.significance import Contrast, paired_tests  # noqa: E402  # the same
from duologue.report import compare, rank_all  # noqa: E402  # the same
from duologue.report.board import boards  # noqa: E402  # the same
from duologue.run.saved import read_report, save_report  # noqa: E402  # the same
from simulated_data import (  # noqa: E402  # the same
    BLEU4,
    COMBINED,
    FACTS,
    P1,
    combined,
    counts_of,
    facts,
    outcomes,
    rivals,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.metrics.counts import Counts, Metric
    from simulated_data import Sampler

SEED = 20_261_122
ROUNDS = 1_000
"""Swaps to begin with where ten systems are tested some hundred times."""


COMPUTED = "computed"
"""Note of a figure that is no simulation's."""


class Cell(NamedTuple):
    """One row of the table."""

    kind: str
    what: str
    found: float
    least: float
    most: float
    note: str = ""

    @property
    def missed(self) -> bool:
        """Whether the figure is not what it must be."""
        return not self.least <= self.found <= self.most


def main() -> int:
    """Run the simulations, print and write the table, and return 1 when a must is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_000, help="runs per cell; a tenth or less for a first look")
    parser.add_argument("--only", default="", help="only kinds of cells whose name holds this word")
    parser.add_argument("--out", type=Path, default=None, help="write the page here")
    options = parser.parse_args()
    start = time.process_time()
    kinds = [coverage, coverage_at_the_edge, type_one_errors, family_errors, powers, agreement, speed]
    cells = []
    for kind in kinds:
        if options.only in kind.__name__:
            for cell in kind(options.runs):
                cells.append(cell)
                print(row(cell), flush=True)
    missed = [cell for cell in cells if cell.missed]
    print(f"\n{len(missed)} of {len(cells)} figures are not what they must be; {time.process_time() - start:.0f} s CPU")
    if options.out is not None:
        options.out.write_text(page(cells, options.runs), encoding="utf-8")
    return int(bool(missed))


def row(cell: Cell) -> str:
    """Return a cell as a row of the table."""
    must = f"{cell.least:g} to {cell.most:g}" if cell.least > 0 else f"at most {cell.most:g}"
    return f"| {cell.kind} | {cell.what} | {cell.found:.4g}{' **missed**' * cell.missed} | {must} | {cell.note} |"


def page(cells: list[Cell], runs: int) -> str:
    """Return the page of the table."""
    head = f"""# Do the statistics hold?

Made by `python benchmarks/statistics.py --runs {runs} --out benchmarks/STATISTICS.md`; seed {SEED}. Each row is
{runs:,} test sets drawn anew from a distribution whose true scores are known; the interval, the test or the detectable
difference is what the verbs print. With {runs:,} runs a true share of .95 is found within {found_within(runs):.3f}
of it, one of .05 too. The coverage of shares of hits is computed from all that may come out, not drawn.
Items of one dialogue are alike with the correlation given; dialogues are known.

| what | where | found | must be | |
|---|---|---|---|---|
"""
    notes = """
* **Coverage at the edge.** Hits can only be whole, so the share of test sets whose interval holds the truth takes few
  values; a row's note says which two of them next to .95 an interval can choose between.
* **Power** is taken at that true difference at which the tests print, on the median, this very difference as
  detectable.
* **Agreement**: two systems, saved and read again as the verbs do; `compare`, `board` and `report` must give one
  p-value and one verdict, the interval of the difference must exclude 0 exactly where a difference is shown, and the
  intervals of scores must be those that `score` printed.
"""
    return head + "\n".join(map(row, cells)) + "\n" + notes


def found_within(runs: int) -> float:
    """Return how far from a true share of .95 so many runs find it, with a chance of 95 %."""
    return 1.96 * math.sqrt(0.95 * 0.05 / runs)


# --------------------------------------------------------------------------------------- intervals


def coverage(runs: int) -> Iterator[Cell]:
    """Yield the share of intervals that hold the true score, off the edge."""
    yield from coverage_of_shares()
    made: list[tuple[str, Metric[Any], Sampler]] = []
    for dialogues, items in ((20, 1), (50, 1), (10, 5), (20, 5)):
        made.append((f"F1, {dialogues} dialogues x {items}", FACTS, facts(dialogues, items)))
        made.append((f"BLEU-4, {dialogues} dialogues x {items}", BLEU4, texts(dialogues, items)))
    made += [(f"combined score, {dialogues} dialogues", COMBINED, combined(dialogues)) for dialogues in (10, 20, 50)]
    for where, metric, sampler in made:
        yield Cell("coverage", where, covered(metric, sampler, true_score(metric, sampler), runs), 0.93, 0.97)


def coverage_of_shares() -> Iterator[Cell]:
    """Yield the same of shares of hits, computed."""
    for mean in (0.3, 0.5, 0.8, 0.9):
        for dialogues, items, alike in ((10, 5, 0.2), (20, 5, 0.2), (50, 5, 0.3), (200, 1, 0.0), (1000, 1, 0.0)):
            where = f"P@1 {mean:g}, {dialogues} dialogues x {items}" + (f", alike {alike:g}" if alike else "")
            yield Cell("coverage", where, exact_coverage(dialogues, items, mean, alike), 0.93, 0.97, COMPUTED)


def true_score(metric: Metric[Any], sampler: Sampler) -> float:
    """Return the score of so many dialogues that chance hardly matters."""
    rng = np.random.default_rng(SEED)
    sums = sum(sampler(rng).sum(axis=0) for _ in range(4_000))
    return float(metric.total(np.asarray(sums)))


def covered(metric: Metric[Any], sampler: Sampler, truth: float, runs: int) -> float:
    """Return the share of drawn test sets whose interval holds the true score."""
    rng = np.random.default_rng(SEED)
    return sum(holds(metric, sampler(rng), truth) for _ in range(runs)) / runs


def holds(metric: Metric[Any], rows: np.ndarray, truth: float) -> bool:
    """Whether the interval of these counts holds the true score."""
    (one,) = intervals(counts_of(rows, metric), [metric])
    return one.low is not None and one.high is not None and one.low <= truth <= one.high


def exact_coverage(dialogues: int, items: int, mean: float, alike: float) -> float:
    """Return the coverage of a share of hits, of all that may come out."""
    return sum(chance for chance, rows in outcomes(dialogues, items, mean, alike) if holds(P1, rows, mean))


def coverage_at_the_edge(_runs: int) -> Iterator[Cell]:
    """Yield the same of hits in few items that stand alone, and of few dialogues near 1."""
    for n in (20, 30, 50, 100):
        for mean in (0.9, 0.97):
            best = possible_coverage(n, mean)
            least, most = min(0.93, *best), max(0.97, *best)
            found = exact_coverage(n, 1, mean, 0.0)
            yield Cell("coverage, edge", f"P@1 {mean:g}, {n} items", found, least, most, told(best))
    for dialogues, items, alike in ((10, 5, 0.2), (10, 20, 0.2), (20, 5, 0.2), (50, 5, 0.3), (100, 5, 0.3)):
        where = f"P@1 0.97, {dialogues} dialogues x {items}, alike {alike:g}"
        found = exact_coverage(dialogues, items, 0.97, alike)
        yield Cell("coverage, edge", where, found, 0.93, 0.97, COMPUTED)


def told(best: tuple[float, float]) -> str:
    """Return which two shares an interval can choose between."""
    return f"{COMPUTED}; possible are {best[0]:.3f} and {best[1]:.3f}"


def possible_coverage(n: int, mean: float) -> tuple[float, float]:
    """Return the two coverages nearest to .95 that any set of neighbouring hits has, of items that stand alone."""
    chances = np.array([1.0])
    for _ in range(n):
        chances = np.convolve(chances, [1 - mean, mean])
    runs = {float(chances[low : high + 1].sum()) for low, high in combinations(range(n + 1), 2)}
    return max(one for one in runs if one <= 0.95), min(one for one in runs if one >= 0.95)


# ------------------------------------------------------------------------------------------- tests


def family(rows: np.ndarray, rounds: int = ROUNDS) -> Any:
    """Test all pairs of systems."""
    systems = [counts_of(one, P1) for one in rows]
    contrasts = [Contrast(a, b, P1) for a, b in combinations(range(len(systems)), 2)]
    return paired_tests(systems, contrasts, rounds=rounds)


CELLS = (
    (20, 1, 0.5, 0.0),
    (50, 1, 0.8, 0.3),
    (200, 1, 0.7, 0.3),
    (10, 5, 0.5, 0.2),
    (10, 20, 0.8, 0.2),
    (20, 10, 0.6, 0.2),
)
"""Dialogues, items of each, mean, likeness of the items of a dialogue."""


def named(cell: tuple[int, int, float, float]) -> str:
    """Return a cell in words."""
    dialogues, items, mean, alike = cell
    return f"{dialogues} dialogues x {items}, P@1 {mean:g}" + (f", alike {alike:g}" if alike else "")


def type_one_errors(runs: int) -> Iterator[Cell]:
    """Yield how often two equal systems are told apart."""
    for cell in CELLS:
        yield Cell("type I error", f"two equal systems, {named(cell)}", false_alarms(cell, 2, runs), 0.0, 0.055)


def family_errors(runs: int) -> Iterator[Cell]:
    """Yield how often any two of ten equal systems are told apart."""
    for cell in CELLS:
        yield Cell("family-wise error", f"ten equal systems, {named(cell)}", false_alarms(cell, 10, runs), 0.0, 0.06)


def false_alarms(cell: tuple[int, int, float, float], systems: int, runs: int) -> float:
    """Return the share of test sets on which equal systems are told apart."""
    sampler, rng = rivals(*cell, systems), np.random.default_rng(SEED)
    return sum(any(one.differs for one in family(sampler(rng)).tests) for _ in range(runs)) / runs


def powers(runs: int) -> Iterator[Cell]:
    """Yield how often the printed detectable difference is found, between two systems and among ten."""
    for systems in (2, 10):
        for cell in ((200, 1, 0.6, 0.3), (500, 1, 0.7, 0.3), (30, 10, 0.5, 0.2), (60, 10, 0.7, 0.2)):
            gain = 0.0
            for tries in (40, 40, runs // 4):
                gain = power(cell, systems, gain, max(20, tries))[1]
            found, printed = power(cell, systems, gain, max(20, runs // 2 if systems > 2 else runs))
            where = f"{systems} systems, {named(cell)}"
            yield Cell("power", where, found, 0.75, 0.85, f"true {100 * gain:.2f}, printed {100 * printed:.2f} points")


def power(cell: tuple[int, int, float, float], systems: int, gain: float, runs: int) -> tuple[float, float]:
    """Return how often the better system is told from another, and the median detectable difference printed."""
    sampler, rng = rivals(*cell, systems, gain), np.random.default_rng(SEED)
    found, printed = [], []
    for _ in range(runs):
        rows = sampler(rng)
        pairs = list(zip(family(rows).tests, combinations(range(systems), 2), strict=True))
        found += [one.differs for one, pair in pairs if systems - 1 in pair]
        leader = max(range(systems), key=lambda place: P1.total(rows[place].sum(axis=0)))  # the first of the board
        printed.append(np.median([one.detectable for one, pair in pairs if leader in pair]))
    return float(np.mean(found)), float(np.median(printed))


# --------------------------------------------------------------------------------- agreement, speed


def agreement(runs: int) -> Iterator[Cell]:
    """Yield how many of half as many random pairs of systems the verbs judge differently."""
    rng = np.random.default_rng(SEED)
    cases = max(20, runs // 2)
    with tempfile.TemporaryDirectory() as folder:
        differ = sum(not alike(rng, Path(folder)) for _ in range(cases))
    yield Cell("agreement", f"{cases} random pairs of systems: cases in which the verbs differ", differ, 0, 0)


def alike(rng: np.random.Generator, folder: Path) -> bool:
    """Whether `compare`, `board`, `report` and `score` say the same of a random pair of systems."""
    n, size = int(rng.integers(4, 150)), int(rng.integers(1, 6))
    made = []
    for name in ("a", "b"):
        ranks = np.minimum(rng.geometric(rng.uniform(0.2, 0.98), n), 11).tolist()
        path = folder / f"{name}.report.json"
        save_report(random_report(name, ranks, size, grouped=bool(n % 3)), path)
        made.append(read_report(path))
    compared = {one.tested.name: one for one in compare(*made)}
    board = rank_all(made)
    (ranked,), (shown,) = board.comparisons, boards(made)[0].comparisons
    alone = compared["p@1"]
    verdicts = {frozenset((one.better and getattr(one, one.better),)) for one in (alone, ranked, shown)}
    tests = [(one.tested.p, one.tested.p_adjusted, abs(one.tested.difference)) for one in (alone, ranked, shown)]
    kept = {place.system: place.report.scores for place in board.places} == {one.system: one.scores for one in made}
    ends = all(
        one.tested.differs == (not one.tested.low <= 0 <= one.tested.high)
        for one in (*compared.values(), ranked, shown)
        if one.has_interval
    )
    tiers = (board.places[-1].tier > 1) == ranked.tested.differs
    return len(verdicts) == 1 and len(set(tests)) == 1 and kept and ends and tiers


def random_report(name: str, ranks: list[int], size: int, *, grouped: bool) -> Report:
    """Return a report over ranks of the right answer, in dialogues of some items."""
    ids = [f"{number:03}" for number in range(len(ranks))]
    counts = count_ranks(
        ids, ranks, groups=[f"{number // size:03}" for number in range(len(ranks))] if grouped else None
    )
    metrics = ranking_metrics()
    return Report(
        task="restaurant",
        variant="strict",
        n=len(ranks),
        scores=scores(counts, metrics),
        rank_by="p@1",
        signature=counts.sign(Signature(task="restaurant", n=len(ranks))),
        columns=counts.columns,
        items=counts.rows(),
        groups=counts.groups or (),
        system=name,
    )


def speed(runs: int) -> Iterator[Cell]:  # noqa: ARG001  # as the other kinds of cells
    """Yield the CPU seconds of the tests of fifty systems on 5,000 items."""
    rng = np.random.default_rng(SEED)
    n = 5_000
    ranks = [
        count_ranks([f"{one:05}" for one in range(n)], np.minimum(rng.geometric(0.2 + 0.01 * number, n), 11).tolist())
        for number in range(50)
    ]
    easy = rng.random(n)
    spoken = [
        counts_of(
            np.stack([rng.binomial(10, 0.3 + 0.1 * easy), 12 + rng.integers(0, 5, n), np.full(n, 13)], axis=1), FACTS
        )
        for _ in range(50)
    ]
    for metric, systems in ((P1, ranks), (FACTS, spoken)):
        yield Cell("CPU seconds", f"50 systems x 5,000 items, {metric.name}", seconds(systems, metric), 0, 10)


def seconds(systems: list[Counts], metric: Metric[Any]) -> float:
    """Return the CPU seconds of the tests of all pairs."""
    contrasts = [Contrast(a, b, metric) for a, b in combinations(range(len(systems)), 2)]
    start = time.process_time()
    paired_tests(systems, contrasts)
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
