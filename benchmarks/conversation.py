"""Score the official submissions of DSTC6 track 2 again, beside the published figures and the human ratings.

    python benchmarks/conversation.py FOLDER [--pairs 10000]

FOLDER is laid out like the organisers' evaluation package: `references/*.txt.gz`, `hypotheses/S_*.txt.gz`,
`objective_evaluation_results.txt`, `human_evaluation_results.txt`. METEOR is computed where its
program is found (extra `meteor`; half a minute to two minutes per system). Then the speed of `bleu_score` on made-up
pairs. One core. Exits with 1 when a figure differs from the published one in six digits, or the speed is missed.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # one core is what the figure means; read by numpy when it is imported

import numpy as np  # noqa: E402  # after the number of threads is set

from duologue.challenges.conversation.formats.files import read_submission  # noqa: E402  # the same
from duologue.challenges.conversation.scoring.official import hypotheses_in, references_in  # noqa: E402  # the same
from duologue.challenges.conversation.task import ConversationTask  # noqa: E402  # the same
from duologue.core.records import Scoring  # noqa: E402  # the same
from duologue.metrics.corpus_bleu import Bleu, count_bleu  # noqa: E402  # the same

PUBLISHED = {
    "bleu-1": "Bleu_1",
    "bleu-2": "Bleu_2",
    "bleu-3": "Bleu_3",
    "bleu-4": "Bleu_4",
    "rouge-l": "ROUGE_L",
    "cider": "CIDEr",
    "meteor": "METEOR",
}
DIVERSITY = ("distinct-1", "distinct-2", "different-replies", "commonest-reply")
MUST, WANT = 20_000, 40_000  # pairs per second


class System(NamedTuple):
    """One submission: our scores, the published ones, the mean human rating from 1 to 5."""

    name: str
    ours: dict[str, float]
    published: dict[str, float]
    human: float

    def differing(self) -> list[str]:
        """Return the scores that differ from the published ones in six digits."""
        pairs = [(name, self.published[theirs]) for name, theirs in PUBLISHED.items() if name in self.ours]
        return [name for name, value in pairs if f"{self.ours[name]:.6f}" != f"{value:.6f}"]


def main() -> int:
    """Score, print the tables, and return 1 when a figure or the speed is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=10_000)
    options = parser.parse_args()
    systems = score_all(options.folder)
    print_scores(systems)
    print_correlations(systems, options.folder)
    rate = print_speed(options.pairs)
    wrong = [f"{one.name} {', '.join(one.differing())}" for one in systems if one.differing()]
    compared = sum(name in one.ours for one in systems for name in PUBLISHED)
    print(f"\npublished figures: {compared - sum(len(one.differing()) for one in systems)} of {compared} equal")
    for line in wrong:
        print(f"differs: {line}")
    return int(bool(wrong) or not systems or rate < MUST)


def table(path: Path) -> dict[str, dict[str, float]]:
    """Return a published table: system -> column -> value."""
    head, *rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return {row[0]: dict(zip(head[1:], map(float, row[1:]), strict=True)) for row in rows}


def score_all(folder: Path) -> list[System]:
    """Score every hypothesis file against all references together."""
    task, how = ConversationTask(), Scoring(variant="strict")
    examples = task.load_files(sorted((folder / "references").glob("*.txt*")))
    published = table(folder / "objective_evaluation_results.txt")
    human = table(folder / "human_evaluation_results.txt")
    paths = sorted((folder / "hypotheses").glob("S_*"), key=lambda path: int(path.name.split("_")[1].split(".")[0]))
    found = []
    for path in paths:
        name = path.name.split(".")[0]
        report = task.score(examples, task.read(path), how)
        ours = {score.name: score.value for score in report.scores}
        found.append(System(name, ours, published[name], human[name]["score"]))
    return found


def print_scores(systems: list[System]) -> None:
    """Print our figure over the published one per score and system, diversity and human rating beside them."""
    names = [name for name in PUBLISHED if name in systems[0].ours]
    print(
        f"{'system':<8}" + "".join(f"{name:>10}" for name in names) + "".join(f"{name:>19}" for name in DIVERSITY),
        end="",
    )
    print(f"{'human':>8}")
    for one in systems:
        print(f"{one.name:<8}" + "".join(f"{one.ours[name]:>10.6f}" for name in names), end="")
        print("".join(f"{one.ours[name]:>19.4f}" for name in DIVERSITY) + f"{one.human:>8.4f}")
        print(f"{'':<8}" + "".join(f"{one.published[PUBLISHED[name]]:>10.6f}" for name in names) + "  published")


def print_correlations(systems: list[System], folder: Path) -> None:
    """Print the correlation of each score with the human rating, over our systems and over all published rows."""
    print(f"\ncorrelation with the human rating over {len(systems)} systems scored here")
    print(f"{'score':<36}{'Pearson':>9}{'Spearman':>10}")
    human = [one.human for one in systems]
    for name in systems[0].ours:
        print_pair(name, [one.ours[name] for one in systems], human)
    published = table(folder / "objective_evaluation_results.txt")
    ratings = table(folder / "human_evaluation_results.txt")
    for told, left_out in (("all", ""), ("all but S_20, of 47 sentences: none orders systems as people do", "S_20")):
        names = [name for name in published if name != left_out]
        print(f"over {len(names)} systems, published figures: {told}")
        for column in next(iter(published.values())):
            print_pair(column, [published[name][column] for name in names], [ratings[name]["score"] for name in names])


def print_pair(name: str, values: list[float], human: list[float]) -> None:
    """Print one line of correlations."""
    print(f"{name:<36}{pearson(values, human):>+9.2f}{pearson(ranks(values), ranks(human)):>+10.2f}")


def pearson(one: list[float], other: list[float]) -> float:
    """Return Pearson's correlation; NaN where one side does not vary."""
    a, b = (np.array(side) - np.mean(side) for side in (one, other))
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if size else float("nan")


def ranks(values: list[float]) -> list[float]:
    """Return ranks from 1; equal values share the mean of theirs."""
    below = [sum(other < value for other in values) for value in values]
    return [low + (values.count(value) + 1) / 2 for low, value in zip(below, values, strict=True)]


def made_up(pairs: int) -> str:
    """Return system output of that many dialogues with about 18 tokens per reply."""
    chance = random.Random(1)
    words = [f"word{int(2000 * chance.random() ** 2)}" for _ in range(50_000)]

    def text() -> str:
        start = int(chance.random() * 49_000)
        return " ".join(words[start : start + 10 + int(chance.random() * 16)])

    blocks = []
    for _ in range(pairs):
        reference = text()
        cut = int(chance.random() * len(reference))
        blocks.append(f"U: {text()}\nS_REF: {reference}\nS_HYP: {reference[:cut].rstrip()} {text()}\n")
    return "\n".join(blocks)


def print_speed(pairs: int) -> float:
    """Print pairs per second of `bleu_score` alone, and of a whole report; return the first."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "output.txt"
        path.write_text(made_up(pairs), encoding="utf-8")
        alone = min(timed(lambda: bleu_score(path)) for _ in range(3))
        task = ConversationTask()
        whole = min(timed(lambda: task.score([], task.read(path), Scoring(variant="official"))) for _ in range(3))
    print(f"\n{pairs:,} pairs, CPU seconds with reading: must {MUST:,} pairs/s, want {WANT:,}")
    print(f"bleu_score, four figures               {alone:7.3f} s {pairs / alone:10,.0f} pairs/s")
    print(f"report with diversity and intervals    {whole:7.3f} s {pairs / whole:10,.0f} pairs/s")
    return pairs / alone


def bleu_score(path: Path) -> list[float]:
    """Return what the official program prints, and nothing else."""
    submission = read_submission(path)
    said = [one.split() for one in hypotheses_in(submission)]
    wanted = [[one.split()] for one in references_in(submission)]
    sums = count_bleu(said, wanted, rules="nltk-2017").sum(axis=0)
    return [float(Bleu(order, "nltk-2017").total(sums[: 2 + 2 * order])) for order in (1, 2, 3, 4)]


def timed(call: object) -> float:
    """Return the CPU seconds of one call."""
    assert callable(call)
    start = time.process_time()
    call()
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
