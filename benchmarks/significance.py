"""Time of resampling after counting, against the plain numpy loop that one would write first.

    python benchmarks/significance.py [--resamples 10000] [--items 5000] [--repeat 3]

One core. Exits with 1 when a figure that must hold does not.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # one core is what the figure means; read by numpy when it is imported

import numpy as np  # noqa: E402  # after the number of threads is set

from duologue.metrics.rank import count_ranks, ranking_metrics  # noqa: E402  # the same
from duologue.metrics.resampling import bootstrap_sums, swapped_sums  # noqa: E402  # the same
from duologue.metrics.significance import bootstrap, paired_tests  # noqa: E402  # the same

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from duologue.metrics.counts import Counts

    Floats = NDArray[np.float64]

MUST, WANT = 1.5, 0.5  # seconds: 10,000 bootstrap resamples of 5,000 samples x 6 columns
KS = (1, 2, 3, 5)


class Line(NamedTuple):
    """One row of the table."""

    what: str
    ours: float
    peer: float | None
    must: float | None = None


def main() -> int:
    """Measure, print the table, and return 1 when a must is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--items", type=int, default=5_000)
    parser.add_argument("--repeat", type=int, default=3, help="the fastest of so many runs counts")
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    ranks = [rng.integers(1, 12, options.items).tolist() for _ in range(2)]
    ids = [f"item {number}" for number in range(options.items)]
    a, b = (count_ranks(ids, side, ks=KS) for side in ranks)
    dense = rng.integers(0, 40, (options.items, 6)).astype(np.float64) + rng.random((options.items, 6))
    other = rng.integers(0, 40, (options.items, 6)).astype(np.float64)
    lines = measure(a, b, dense, other, options.resamples, options.repeat)
    size = f"{options.items} items x {len(a.columns)} columns"
    print(f"{options.resamples} resamples of {size}, CPU seconds on one core\n")
    print(f"| {'after counting':<58} | ours, s | numpy loop, s | times faster |")
    print(f"|{'-' * 60}|--------:|--------------:|-------------:|")
    for line in lines:
        peer = f"{line.peer:13.2f} | {line.peer / line.ours:12.1f}" if line.peer is not None else f"{'':>13} | {'':>12}"
        print(f"| {line.what:<58} | {line.ours:7.3f} | {peer} |")
    print(f"\nmust {MUST} s, want {WANT} s (10000 x 5000 x 6)")
    crossover(options.items, options.repeat)
    missed = [line.what for line in lines if line.must is not None and line.ours > line.must]
    for what in missed:
        print(f"missed: {what}")
    return 1 if missed else 0


def measure(a: Counts, b: Counts, dense: Floats, other: Floats, resamples: int, repeat: int) -> list[Line]:
    """Time every path once with hits (few kinds of rows) and once with rows that all differ."""

    def best(run: Callable[[], object]) -> float:
        return min(timed(run) for _ in range(repeat))

    hits, rivals = a.array, b.array
    metrics = ranking_metrics(KS)
    return [
        Line(
            "bootstrap, hits: equal rows drawn together (the default)",
            best(lambda: bootstrap_sums(hits, resamples, 1)),
            timed(lambda: loop_bootstrap(hits, resamples)),
            MUST,
        ),
        Line(
            "bootstrap, hits: row by row", best(lambda: bootstrap_sums(hits, resamples, 1, grouped=False)), None, MUST
        ),
        Line(
            "bootstrap, all rows different: row by row (the default)",
            best(lambda: bootstrap_sums(dense, resamples, 1)),
            timed(lambda: loop_bootstrap(dense, resamples)),
            MUST,
        ),
        Line(
            "approximate randomisation, hits",
            best(lambda: swapped_sums(hits, rivals, resamples, 1)),
            timed(lambda: loop_randomisation(hits, rivals, resamples)),
        ),
        Line(
            "approximate randomisation, all rows different",
            best(lambda: swapped_sums(dense, other, resamples, 1)),
            timed(lambda: loop_randomisation(dense, other, resamples)),
        ),
        Line("five scores with intervals, from counts", best(lambda: bootstrap(a, metrics, seed=1)), None, MUST),
        Line("both paired tests of five scores, from counts", best(lambda: paired_tests(a, b, metrics, seed=1)), None),
    ]


def timed(run: Callable[[], object]) -> float:
    """Return the CPU seconds that one call takes; others may be using the machine."""
    start = time.process_time()
    run()
    return time.process_time() - start


def loop_bootstrap(rows: Floats, resamples: int) -> Floats:
    """Draw row numbers and add up the rows, one resample after the other."""
    rng = np.random.default_rng(1)
    return np.stack([rows[rng.integers(len(rows), size=len(rows))].sum(axis=0) for _ in range(resamples)])


def loop_randomisation(a: Floats, b: Floats, resamples: int) -> Floats:
    """Swap rows and add up both systems, one round after the other."""
    rng = np.random.default_rng(1)
    rounds = []
    for _ in range(resamples):
        swap = rng.random(len(a)) < 0.5
        rounds.append(np.where(swap[:, None], b, a).sum(axis=0) - np.where(swap[:, None], a, b).sum(axis=0))
    return np.stack(rounds)


def crossover(items: int, repeat: int) -> None:
    """Print from how many kinds of rows on drawing by kind stops to pay."""
    print("\n| kinds of rows | by kind, s | by row, s |   (1000 resamples)\n|--------------:|-----------:|----------:|")
    for part in (500, 64, 40, 32, 24, 8, 1):
        kinds = max(1, items // part)
        rows = np.arange(items, dtype=np.float64)[:, None] % kinds
        times = [
            min(timed(lambda g=grouped, r=rows: bootstrap_sums(r, 1000, 1, grouped=g)) for _ in range(repeat))  # type: ignore[misc]  # a lambda's defaults cannot be typed
            for grouped in (True, False)
        ]
        print(f"| {kinds:13} | {times[0]:10.4f} | {times[1]:9.4f} |")


if __name__ == "__main__":
    sys.exit(main())
