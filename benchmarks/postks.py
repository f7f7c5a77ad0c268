"""Measure a training step of the generation baseline: processor time and memory, in both precisions.

    python benchmarks/postks.py --data duconv_dev_visible.jsonl.gz

At the published size, with the vocabulary of the sessions given and batches of 128 samples drawn by seed, on one
thread. Each precision runs in a process of its own, so that its peak of memory is its own; the best of the steps
counts, since other work on the machine only ever adds time. The official program took 9.5 CPU-seconds for a step of
the first stage and 47 for a full one, and 3.2 GB (V = 12,095, batch 128, one thread).
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from duologue.challenges.proactive.formats.files import load
from duologue.challenges.proactive.systems.postks.network.batch import collate
from duologue.challenges.proactive.systems.postks.network.learner import new_postks
from duologue.challenges.proactive.systems.postks.network.model import PostksSize
from duologue.challenges.proactive.systems.postks.text import PostksVocabulary, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.proactive.systems.postks.network.batch import PostksRow


def draw(path: Path, samples: int, batches: int, seed: int) -> tuple[int, list[list[PostksRow]]]:
    """Return the size of the vocabulary and batches of samples."""
    lines = [text_of(example, generalise=True).line for example in load(path)]
    words, chance = PostksVocabulary.of(lines), random.Random(seed)
    drawn = [[words.training_row(line) for line in chance.sample(lines, samples)] for _ in range(batches)]
    return len(words), [[row for row in batch if row is not None] for batch in drawn]


def measure(
    vocabulary: int, batches: Sequence[Sequence[PostksRow]], precision: torch.dtype, *, bow_only: bool
) -> float:
    """Return the CPU-seconds of the fastest step: batch, losses, gradients, clipping, Adam."""
    model = new_postks(PostksSize(vocabulary=vocabulary), 1).train()
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-5)
    times = []
    for rows in batches:
        started = time.process_time()
        optimiser.zero_grad(set_to_none=True)  # before the forward pass: gradients take as much memory as it does
        losses = model.losses(collate(rows), bow_only=bow_only, precision=precision)
        losses.total.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimiser.step()
        del losses
        times.append(time.process_time() - started)
    return min(times)


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a session file")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--precision", choices=["float32", "bfloat16"], help="one precision alone, in this process")
    told = parser.parse_args()
    if told.precision is None:
        print("precision   V       BOW step  full step  peak memory")
        for precision in ("float32", "bfloat16"):
            command = [sys.executable, __file__, *sys.argv[1:], "--precision", precision]
            subprocess.run(command, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        return
    torch.set_num_threads(1)
    vocabulary, batches = draw(told.data, told.batch, told.steps, told.seed)
    precision = getattr(torch, told.precision)
    first, full = (measure(vocabulary, batches, precision, bow_only=bow_only) for bow_only in (True, False))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{told.precision:10}  {vocabulary}  {first:6.2f} s  {full:7.2f} s  {peak:8.2f} GB", flush=True)


if __name__ == "__main__":
    main()
