"""Measure `duologue generate restaurant`: wall time, CPU time and memory of a whole corpus.

`python benchmarks/restaurant_generate.py [--workers 2] [--train 10000] [--test 1000]`. Five training sets and twenty
test files must take at most 60 s on two cores and 500 MB of resident memory; exits with 1 when they do not.
Memory is the peak of the main process plus, for each worker, the peak of the largest one.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

from duologue.challenges.restaurant.simulator.corpus import generate
from duologue.challenges.restaurant.simulator.recipe import Generation

SECONDS = 60
MEGABYTES = 500


def main() -> None:
    """Generate a corpus into a temporary folder and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--train", type=int, default=10_000, help="dialogues per training file")
    parser.add_argument("--test", type=int, default=1_000, help="dialogues per test file")
    options = parser.parse_args()
    recipe = Generation(train_dialogs=options.train, test_dialogs=options.test)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        paths = generate(recipe, 1, Path(folder), workers=options.workers, progress=None)
        seconds = time.perf_counter() - start
        start = time.perf_counter()
        generate(recipe, 1, Path(folder), workers=options.workers, progress=None)
        again = time.perf_counter() - start
        size = sum(path.stat().st_size for path in paths) / 1e6
    own, theirs = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    crew = options.workers if options.workers > 1 else 0
    megabytes = (own.ru_maxrss + crew * theirs.ru_maxrss) / 1024
    cpu = own.ru_utime + own.ru_stime + theirs.ru_utime + theirs.ru_stime
    rows = 5 * options.train + 20 * options.test
    print(f"{len(paths)} files, {size:.0f} MB, {rows:,} dialogues, {options.workers} workers")
    print(f"wall    {seconds:6.1f} s   ({rows / seconds:,.0f} dialogues/s; must: <= {SECONDS} s)")
    print(f"CPU     {cpu:6.1f} s   (both runs)")
    print(f"memory  {megabytes:6.0f} MB  (must: <= {MEGABYTES} MB)")
    print(f"again   {again:6.1f} s   (all files complete: only their hashes are compared)")
    if seconds > SECONDS or megabytes > MEGABYTES:
        sys.exit("FAILED")


if __name__ == "__main__":
    main()
