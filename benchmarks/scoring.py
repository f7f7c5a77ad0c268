"""Time of scoring, CPU seconds with reading and without the start of Python and imports, beside the peers.

    python benchmarks/scoring.py [--only WORD] [--quick]

One core. sacreBLEU runs here in the same run; the official scripts are not here, their figures are those that the
specifications measured. All texts are made here. Exits with 1 when a figure that must hold does not.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # one core is what the figures mean; read by numpy when it is imported

import numpy as np  # noqa: E402  # after the number of threads is set

from duologue.challenges.proactive.scoring.official import evaluate_file  # noqa: E402  # the same
from duologue.core.plugins import load_task  # noqa: E402  # the same
from duologue.core.records import Report, Score, Scoring  # noqa: E402  # the same
from duologue.metrics.corpus_bleu import Bleu, bleu_columns, count_bleu  # noqa: E402  # the same
from duologue.metrics.counts import Counts  # noqa: E402  # the same
from duologue.metrics.intervals import intervals  # noqa: E402  # the same
from duologue.metrics.rank import count_ranks, ranking_metrics  # noqa: E402  # the same
from duologue.metrics.significance import compare_two  # noqa: E402  # the same
from duologue.report.leaderboard import leaderboard_to_json, rank_all  # noqa: E402  # the same

if TYPE_CHECKING:
    from collections.abc import Callable


REPLIES, MANY_REPLIES = 5_000, 1_000_000
OFFICIAL = Scoring(variant="official")


class Row(NamedTuple):
    """One row of the table."""

    job: str
    ours: float
    peer: str
    must: float
    want: float
    unit: str = "s"

    @property
    def missed(self) -> bool:
        """Whether the figure that must hold does not; of rates more is better."""
        return self.ours < self.must if self.unit.endswith("/s") else self.ours > self.must


def main() -> int:
    """Measure, print the table, and return 1 when a must is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only jobs whose name holds this word")
    parser.add_argument("--quick", action="store_true", help="leave the million replies out")
    parser.add_argument("--replies", type=Path, default=None, help=argparse.SUPPRESS)  # the process of `million`
    options = parser.parse_args()
    if options.replies is not None:
        return score_replies(options.replies)
    jobs = [replies, interval, randomisation, bleu_score, track1, board]
    if not options.quick:
        jobs.insert(1, million)
    print("| job | ours | peer | must | want |\n|---|---|---|---|---|")
    missed = False
    for job in jobs:
        if options.only not in job.__name__:
            continue
        for row in job():
            missed |= row.missed
            mark = " MISSED" if row.missed else ""
            print(
                f"| {row.job} | {row.ours:,.3g} {row.unit}{mark} | {row.peer} | {row.must:,g} | {row.want:,g} |",
                flush=True,
            )
    return int(missed)


def best(run: Callable[[], object], repeat: int = 3) -> float:
    """Return the CPU seconds of the fastest of some runs; others may be using the machine."""
    return min(timed(run) for _ in range(repeat))


def timed(run: Callable[[], object]) -> float:
    """Return the CPU seconds of one run."""
    start = time.process_time()
    run()
    return time.process_time() - start


# ------------------------------------------------------------------------------------------- the jobs


def replies() -> list[Row]:
    """Character F1, BLEU-1/2 and DISTINCT of an evaluation file: the five figures, and a whole report."""
    task = load_task("proactive")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "eval.txt"
        path.write_text(evaluation_lines(REPLIES), encoding="utf-8")
        alone = best(lambda: evaluate_file(path), 5)
        whole = best(lambda: task.score([], task.read(path), OFFICIAL))
    name = f"character F1, BLEU-1/2, DISTINCT of {REPLIES:,} replies"
    return [
        Row(name, alone, "Baidu's script 0.62 s", 0.12, 0.06),
        Row("the same as a report with checks, slices and intervals", whole, "-", float("inf"), float("inf")),
    ]


def million() -> list[Row]:
    """Score the same of a million replies, in a process of its own, so that its memory can be told."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "eval.txt"
        path.write_text(evaluation_lines(MANY_REPLIES), encoding="utf-8")
        command = [sys.executable, __file__, "--replies", str(path)]
        told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return [
        Row(f"the same for {MANY_REPLIES:,} replies", told["seconds"], "about 120 s", 20, 10),
        Row("memory of that", told["megabytes"], "-", 700, 500, "MB"),
    ]


def score_replies(path: Path) -> int:
    """Score one evaluation file and print CPU seconds and peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.txt"
        small.write_text(evaluation_lines(10), encoding="utf-8")
        evaluate_file(small)  # so that imports are done
    seconds = timed(lambda: evaluate_file(path))
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "megabytes": megabytes}))
    return 0


def interval() -> list[Row]:
    """Time the interval of BLEU-4 on 5,000 items, counts at hand."""
    counts, metric, peer = two_systems("bs", 1_000)
    seconds = best(lambda: intervals(counts[0], [metric]))
    return [
        Row(
            "interval of BLEU-4, 5,000 items, counts at hand", seconds, f"sacreBLEU's bootstrap {peer:.2f} s", 0.4, 0.15
        )
    ]


def randomisation() -> list[Row]:
    """Time paired approximate randomisation of two systems on BLEU-4, counts at hand."""
    counts, metric, peer = two_systems("ar", 10_000)
    seconds = best(lambda: compare_two(*counts, [metric]))
    return [Row("approximate randomisation 10,000 x 5,000", seconds, f"sacreBLEU {peer:.2f} s", 1.5, 0.5)]


def two_systems(test: str, samples: int) -> tuple[tuple[Counts, Counts], Bleu, float]:
    """Return the BLEU counts of two systems on 5,000 items, the formula, and sacreBLEU's seconds for the same test."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.significance import PairedTest

    wanted = sentences(REPLIES, 1)
    said = [mixed(wanted, sentences(REPLIES, seed), seed) for seed in (2, 3)]
    columns = bleu_columns("coco")
    metric = Bleu(4)
    found = []
    for one in said:
        counted = count_bleu([text.split() for text in one], [[text.split()] for text in wanted])
        rows = np.column_stack([counted[:, columns.index(name)] for name in metric.columns])
        found.append(Counts(tuple(map(str, range(len(rows)))), metric.columns, rows))
    tester = PairedTest([("A", said[0]), ("B", said[1])], {"BLEU": BLEU(tokenize="none")}, [wanted], test, samples)
    return (found[0], found[1]), metric, timed(tester)  # counting B is a part of it, under a tenth


def bleu_score() -> list[Row]:
    """Replay the official `bleu_score` on system output, in pairs per second: its four figures, and a report."""
    from conversation import bleu_score as replay

    task = load_task("conversation")
    wanted, said = sentences(20_000, 1), sentences(20_000, 2)
    pairs = zip(wanted, mixed(wanted, said, 3), strict=True)
    text = "".join(f"U: {one}\nS_REF: {one}\nS_HYP: {other}\n\n" for one, other in pairs)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "output.txt"
        path.write_text(text, encoding="utf-8")
        alone = len(wanted) / best(lambda: replay(path))
        whole = len(wanted) / best(lambda: task.score([], task.read(path), OFFICIAL))
    return [
        Row("`bleu_score`", alone, "1.3-2.2k pairs/s", 20_000, 40_000, "pairs/s"),
        Row("the same as a report with diversity and intervals", whole, "-", 0, 0, "pairs/s"),
    ]


def track1() -> list[Row]:
    """Score 1,000 dialogues of MobileCS track 1 by the official rules: as much marked as where the peer was timed."""
    return [
        Row("track 1 scorer, 1,000 dialogues", track1_seconds(0.36, 0.41), "official scorer 2.5 s", 0.5, 0.25),
        Row(
            "the same, a mention and a triple in every turn", track1_seconds(1.0, 1.0), "-", float("inf"), float("inf")
        ),
    ]


def track1_seconds(mentions: float, triples: float) -> float:
    """Return the CPU seconds of reading and scoring, with so many mentions and triples per turn."""
    task = load_task("mobilecs/extraction")
    gold, rows = extraction(1_000, mentions, triples)
    with tempfile.TemporaryDirectory() as folder:
        truth, result = Path(folder) / "gold.json", Path(folder) / "result.json"
        truth.write_text(json.dumps(gold, ensure_ascii=False), encoding="utf-8")
        result.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")

        def run() -> None:
            task.score(list(task.load(truth)), task.read(result), OFFICIAL)

        return best(run, 9)


def board() -> list[Row]:
    """Rank 50 systems on 5,000 items by six scores: intervals, tiers, detectable differences, and the JSON."""
    ks = (1, 2, 3, 5, 7)
    metrics = ranking_metrics(ks)
    ids = [f"item {number}" for number in range(5_000)]
    rng = np.random.default_rng(1)
    reports = []
    for number in range(50):
        ranks = np.minimum(rng.geometric(0.2 + 0.01 * number, len(ids)), 11).tolist()
        reports.append(made_report(f"system {number}", count_ranks(ids, ranks, ks=ks), [one.name for one in metrics]))
    seconds = timed(lambda: json.dumps(leaderboard_to_json(rank_all(reports, formulas=lambda _: metrics))))
    return [Row("board of 50 systems x 5,000 items x 6 metrics", seconds, "-", 20, 10)]


def made_report(system: str, counts: Counts, names: list[str]) -> Report:
    """Return a report over counts, its scores without intervals."""
    metrics = {metric.name: metric for metric in ranking_metrics((1, 2, 3, 5, 7))}
    scores = tuple(Score(name=name, value=metrics[name].value(counts)) for name in names)
    return Report(
        task="restaurant",
        variant="strict",
        n=len(counts),
        scores=scores,
        rank_by="p@1",
        groups=counts.ids,
        columns=counts.columns,
        items=counts.rows(),
        system=system,
    )


# ------------------------------------------------------------------------------------------- the data


def words(times: int, seed: int) -> list[str]:
    """Return words of one or two Chinese characters, few of them often, as in text."""
    chance = random.Random(seed)
    known = [
        "".join(chr(0x4E00 + int(3_000 * chance.random())) for _ in range(1 + (chance.random() < 0.63)))
        for _ in range(9_000)
    ]
    return [known[int(9_000 * chance.random() ** 4)] for _ in range(times)]


def evaluation_lines(lines: int) -> str:
    """Return `prediction TAB reference` lines of 12.9 words and 21 characters on average."""
    chance = random.Random(1)
    stock = words(60_000, 2)

    def text() -> str:
        start = int(chance.random() * 59_000)
        return " ".join(stock[start : start + 3 + int(chance.random() * 21)])

    return "".join(f"{text()}\t{text()}\n" for _ in range(lines))


def sentences(times: int, seed: int) -> list[str]:
    """Return sentences of 10 to 25 words."""
    chance = random.Random(seed)
    stock = [f"word{int(2_000 * chance.random() ** 2)}" for _ in range(50_000)]
    starts = [int(chance.random() * 49_000) for _ in range(times)]
    return [" ".join(stock[start : start + 10 + int(chance.random() * 16)]) for start in starts]


def mixed(wanted: list[str], others: list[str], seed: int) -> list[str]:
    """Return replies that begin as wanted and go on otherwise."""
    chance = random.Random(seed)
    return [
        one[: int(len(one) * chance.random())].rsplit(" ", 1)[0] + " " + other
        for one, other in zip(wanted, others, strict=True)
    ]


def extraction(dialogues: int, mentions: float, triples: float) -> tuple[list[object], list[object]]:
    """Return true dialogues of ten turns with up to four entities, and what a fair extractor says of them."""
    chance = random.Random(1)
    stock = "".join(words(60_000, 2))
    gold: list[object] = []
    rows: list[object] = []
    for number in range(dialogues):
        content: list[object] = []
        entities: list[object] = []
        found: list[object] = []
        for turn in range(10):
            at = int(chance.random() * 59_000)
            entity, text = f"ent-{1 + turn % 4}", stock[at : at + 20]
            start = int(chance.random() * 10)
            name, value = text[start : start + 4], text[start + 4 : start + 7]
            marked = chance.random() < mentions
            told = chance.random() < triples
            owner = entity if marked else "NA"
            ents = [{"name": name, "id": entity, "type": "主套餐", "pos": [[1, start, start + 4]]}]
            facts = [{"ent-id": owner, "ent-name": name, "prop": "业务费用", "value": value}]
            info = {"ents": ents if marked else [], "triples": facts if told else []}
            said = {"[SPEAKER 1]": text, "[SPEAKER 2]": "好的", "客服意图": "通知", "用户意图": "询问", "info": info}
            content.append(said)
            if chance.random() < 0.8:
                place = {"position": [start, start + 4], "turn_id": turn}
                if marked:
                    entities.append({"id": entity, "name": name, "type": "主套餐", **place})
                if told:
                    found.append({"ent-id": owner, "ent-name": name, "prop": "业务费用", "value": value, **place})
        gold.append({"id": f"d{number}", "content": content})
        rows.append({"id": f"d{number}", "entities": entities, "triples": found})
    return gold, rows


if __name__ == "__main__":
    sys.exit(main())
