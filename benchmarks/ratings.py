"""Coverage of intervals of ratings, of win shares and of PPI++; false alarms of tests; power against what is planned.

    python benchmarks/ratings.py [--runs 2000] [--only WORD] [--work FILE] [--out benchmarks/RATINGS.md]

One core. Exits with 1 when a figure misses what it must be. The same runs and seed give the same table.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import numpy as np  # noqa: E402  # after the number of threads is set

from duologue.core.disk import write_text  # noqa: E402  # the same
from duologue.judges.length_slope import length_slope  # noqa: E402  # the same
from duologue.judges.trials import mean_of, share  # noqa: E402  # the same
from duologue.ratings.agreement import agreement  # noqa: E402  # the same
from duologue.ratings.coefficients import COEFFICIENTS  # noqa: E402  # the same
from duologue.ratings.judgement import Rating  # noqa: E402  # the same
from duologue.ratings.plan import Design, Spread, pilot_spread, power  # noqa: E402  # the same
from duologue.ratings.prediction_powered import judge_alone, prediction_powered  # noqa: E402  # the same
from duologue.ratings.preferences import rank_by_preference  # noqa: E402  # the same
from duologue.ratings.protocol import Criterion  # noqa: E402  # the same
from duologue.ratings.scores import rate_systems  # noqa: E402  # the same
from duologue.ratings.table import RatingTable  # noqa: E402  # the same
from simulated_ratings import Battles, Campaign, battle_truth, habit_of_battles  # noqa: E402  # the same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SEED = 20_261_123


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


CAMPAIGNS = {
    "5 raters x 30 items, all rate all, tastes": Campaign(raters=5, items=30, per_item=5),
    "3 raters x 50 items, all rate all, tastes": Campaign(raters=3, items=50, per_item=3),
    "10 raters x 20 items, all rate all, tastes": Campaign(raters=10, items=20, per_item=10),
    "20 raters, 60 items with 3 each, tastes": Campaign(raters=20, items=60, per_item=3),
    "40 volunteers, 200 items with 2 each, tastes": Campaign(raters=40, items=200, per_item=2),
    "12 volunteers, 300 dialogues with 1 each, tastes": Campaign(raters=12, items=300, per_item=1),
    "12 volunteers, 200 items, a fifth with 3 each, the others with 1, tastes": Campaign(
        raters=12, items=200, per_item=3, overlap=0.2
    ),
    "5 raters x 50 items, no tastes": Campaign(raters=5, items=50, per_item=5, rater=0.0, taste=0.0),
    "5 raters x 50 items, great tastes": Campaign(raters=5, items=50, per_item=5, rater=0.6, taste=0.6),
}


def rated(name: str, runs: int) -> Iterator[Cell]:
    """Yield coverage of means and of differences, and what the habit would say: ratings taken for independent."""
    campaign = CAMPAIGNS[name]
    truth = campaign.truth()
    means = differences = habit = pairs = 0
    for run in range(runs):
        table = campaign.table(SEED + run)
        found = rate_systems(table, campaign.protocol)
        by_name = {one.system: one for one in found.systems}
        for place, system in enumerate(campaign.systems):
            total = by_name[system].total
            assert total is not None
            assert total.low is not None
            assert total.high is not None
            means += total.low <= truth[place] <= total.high
            mine = table.value[table.system == place]
            habit += abs(mine.mean() - truth[place]) <= 1.96 * mine.std(ddof=1) / len(mine) ** 0.5
        pairs += len(found.tests)
        for test in found.tests:
            true = truth[campaign.systems.index(test.a)] - truth[campaign.systems.index(test.b)]
            assert test.low is not None
            assert test.high is not None
            differences += test.low <= true <= test.high
    n = len(campaign.systems)
    note = f"one way, the habit: {habit / runs / n:.3f}"
    yield Cell("coverage, mean", name, means / runs / n, 0.93, 1.0, note)
    yield Cell("coverage, difference", name, differences / pairs, 0.93, 1.0)


def false_alarms(name: str, runs: int) -> Iterator[Cell]:
    """Yield how often any of four equal systems is said to differ from another."""
    campaign = CAMPAIGNS[name]._replace(systems=("a", "b", "c", "d"), quality=(0.0, 0.0, 0.0, 0.0))
    wrong = 0
    for run in range(runs):
        found = rate_systems(campaign.table(SEED + run), campaign.protocol)
        wrong += any(one.better for one in found.tests)
    yield Cell("family-wise error", f"four equal systems, {name}", wrong / runs, 0.0, 0.06)


BATTLES = {
    "15 % ties, raters alike": Battles(raters=30, items=60, taste=0.0, item=0.0),
    "15 % ties, tastes": Battles(raters=30, items=60, taste=0.7, item=0.0),
    "15 % ties, tastes and items that suit some systems": Battles(raters=30, items=60, taste=0.7, item=0.7),
    "15 % ties, 8 raters with tastes": Battles(raters=8, items=60, taste=0.7, item=0.3),
}


def battled(name: str, runs: int) -> Iterator[Cell]:
    """Yield coverage of win shares with ties and tastes, and of the habit: ties thrown away, judgements resampled."""
    battles = BATTLES[name]
    truth, ties = battle_truth(battles)
    inside = habit = 0
    for run in range(runs):
        said = battles.preferences(SEED + run)
        found = {one.system: one.win_share for one in rank_by_preference(said).systems}
        for place, (low, high) in enumerate(habit_of_battles(said, battles.systems)):
            share = found[battles.systems[place]]
            assert share.low is not None
            assert share.high is not None
            inside += share.low <= truth[place] <= share.high
            habit += low <= truth[place] <= high
    n = runs * len(battles.systems)
    note = f"ties {ties:.2f}; habit (ties left out, judgements resampled): {habit / n:.3f}"
    yield Cell("coverage, win share", name, inside / n, 0.93, 1.0, note)


JUDGES = {
    "50 labels, 450 others, good judge": (50, 450, 0.8, 0.3, 1),
    "100 labels, 900 others, good judge": (100, 900, 0.8, 0.3, 1),
    "100 labels, 900 others, useless judge": (100, 900, 0.0, 0.3, 1),
    "200 labels, 1,000 others, fair judge": (200, 1000, 0.5, -0.4, 1),
    "60 answers x 10 raters with tastes, 600 others, good judge": (60, 600, 0.8, 0.3, 10),
}
"""Labelled answers, others, the judge's skill and bias, and raters of each labelled answer."""


def powered(name: str, runs: int) -> Iterator[Cell]:
    """Yield coverage of people alone and PPI++, what a judge alone gets, and how much narrower PPI++ is."""
    labels, others, skill, bias, raters = JUDGES[name]
    truth = 1.0
    inside = dict.fromkeys(("people alone", "PPI++", "judge alone", "paired difference, PPI++"), 0)
    width = {"people alone": 0.0, "PPI++": 0.0}
    rng = np.random.default_rng(SEED)
    for _ in range(runs):
        item, rater, human, judge, rest = answers(rng, labels, others, skill, bias, raters)
        people = prediction_powered(item, rater, human, judge, rest, weight=0)
        both = prediction_powered(item, rater, human, judge, rest)
        alone = judge_alone(np.concatenate([judge[:: max(1, raters)], rest]))
        other = answers(rng, labels, others, skill, -bias, raters)
        paired = prediction_powered(item, rater, human - other[2], judge - other[3], rest - other[4])
        for key, one, true in (
            ("people alone", people, truth),
            ("PPI++", both, truth),
            ("judge alone", alone, truth),
            ("paired difference, PPI++", paired, 0.0),
        ):
            assert one is not None
            inside[key] += one.low <= true <= one.high
            if key in width:
                width[key] += one.high - one.low
    ratio = f"intervals {width['PPI++'] / width['people alone']:.2f} times those of people alone"
    for key, count in inside.items():
        least = 0.0 if key == "judge alone" else 0.93
        most = 1.0 if key == "judge alone" or raters > 1 else 0.97
        yield Cell(f"coverage, {key}", name, count / runs, least, most, ratio if key == "PPI++" else "")


def answers(
    rng: np.random.Generator, labels: int, others: int, skill: float, bias: float, raters: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return item, rater, points 0 to 2 with mean 1, and a judge's scores of the rated answers and of the others."""
    item, rater = np.repeat(np.arange(labels), raters), np.tile(np.arange(raters), labels)
    quality = rng.normal(size=labels + others)
    noise = (1 - skill**2) ** 0.5
    judge = np.clip(1 + bias + 0.7 * (skill * quality + noise * rng.normal(size=labels + others)), 0, 2)
    taste = rng.normal(0, 0.3, raters)[rater] if raters > 1 else 0.0
    said = quality[:labels][item] + taste + 0.5 * rng.normal(size=len(item))
    human = (said[:, None] > np.array([-0.6, 0.6])).sum(axis=1).astype(float)
    return item, rater, human, judge[:labels][item], judge[labels:]


PLANS = {
    "10 raters, 40 items with 3 each": Campaign(raters=10, items=40, per_item=3, quality=(0.0, 0.5)),
    "6 raters x 40 items, all rate all": Campaign(raters=6, items=40, per_item=6, quality=(0.0, 0.7)),
    "24 raters, 120 items with 2 each": Campaign(raters=24, items=120, per_item=2, quality=(0.0, 0.3)),
    "40 volunteers, 150 items with 1 each": Campaign(raters=40, items=150, per_item=1, quality=(0.0, 0.35)),
    "8 raters, 60 items with 4 each, three systems": Campaign(
        raters=8, items=60, per_item=4, systems=("a", "b", "c"), quality=(0.0, 0.55, 0.55)
    ),
}


def planned(name: str, runs: int) -> Iterator[Cell]:
    """Yield how far the power of campaigns of whole points lies from what the planner says of a pilot's spreads."""
    campaign = PLANS[name]
    truth = campaign.truth()
    spread = pilot_spread(
        campaign._replace(raters=150, items=150, per_item=150, systems=("a", "b"), quality=campaign.quality[:2]).table(
            1
        )
    )
    design = Design(campaign.raters, campaign.items, campaign.per_item, len(campaign.systems))
    said = power(design, Spread(*spread), float(truth[1] - truth[0]), seed=1, draws=8_000)
    shown = 0
    for run in range(runs):
        table = campaign.table(SEED + run)
        (test,) = [one for one in rate_systems(table, campaign.protocol).tests if {one.a, one.b} == {"a", "b"}]
        shown += test.p < design.level
    gap = 100 * (shown / runs - said)
    note = f"planned {said:.3f}, simulated {shown / runs:.3f}"
    yield Cell("power, points off", name, gap, -3.0, 3.0, note)


AGREEMENTS = {"3 raters, 20 items": 20, "3 raters, 50 items": 50}


def agreed(name: str, runs: int) -> Iterator[Cell]:
    """Yield coverage of the intervals of agreement."""
    scale = Criterion(name="quality", low=1, high=5)
    cells = {
        one.name: one
        for one in COEFFICIENTS
        if one.name in {"alpha (ordinal)", "kappa (quadratic)", "AC1", "Fleiss' kappa", "ICC(2,1)"}
    }

    def drawn(rng: np.random.Generator, items: int) -> RatingTable:
        truth = rng.normal(3, 1, items)
        said = np.clip(np.round(truth[:, None] + rng.normal(0, 0.7, (items, 3))), 1, 5)
        rows = [Rating(f"{i:05}", "s", f"r{r}", "quality", float(said[i, r])) for i in range(items) for r in range(3)]
        return RatingTable.of(rows, ["quality"])

    whole = agreement(drawn(np.random.default_rng(SEED), 40_000).units(0), scale, list(cells.values()))
    items = AGREEMENTS[name]
    inside = dict.fromkeys(cells, 0)
    rng = np.random.default_rng(SEED + items)
    for _ in range(runs):
        for true, one in zip(whole, agreement(drawn(rng, items).units(0), scale, list(cells.values())), strict=True):
            inside[one.name] += one.low is not None and one.low <= (true.value or 0.0) <= (one.high or 0.0)
    for what, count in inside.items():
        yield Cell(f"coverage, {what}", name, count / runs, 0.92, 0.98)


TRIALS = {"30 pairs": 30, "100 pairs": 100}


def tried(name: str, runs: int) -> Iterator[Cell]:
    """Yield coverage of what `duologue judge` tells of a judge: length slope, win share at equal length, shares, means.

    The judge prefers longer replies, and every fifth pair is a tie; what is true is that of 200,000 pairs.
    """

    def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        ratios = rng.normal(0.3, 0.8, n)
        wins = (rng.random(n) < 1 / (1 + np.exp(-0.3 - 0.9 * ratios))).astype(float)
        return np.where(rng.random(n) < 0.2, 0.5, wins), ratios

    pairs, rng = TRIALS[name], np.random.default_rng(SEED)
    wins, ratios = drawn(rng, 200_000)
    whole = length_slope(wins.tolist(), ratios.tolist())
    truth = {"length slope": whole.slope or 0.0, "win share at equal length": whole.even or 0.0, "injection": 0.4}
    inside = dict.fromkeys([*truth, "flip rate"], 0)
    for _ in range(runs):
        truth["flip rate"] = rng.uniform(0.05, 0.4)  # of a share that stays, coverage jumps with n
        wins, ratios = drawn(rng, pairs)
        slope = length_slope(wins.tolist(), ratios.tolist())
        flips = share(int((rng.random(pairs) < truth["flip rate"]).sum()), pairs)
        raised = mean_of(np.clip(np.round(rng.normal(0.4, 1.0, pairs)), -4, 4).tolist(), -4, 4)
        for key, low, high in (
            ("length slope", slope.low, slope.high),
            ("win share at equal length", slope.even_low, slope.even_high),
            ("flip rate", flips.low, flips.high),
            ("injection", raised.low, raised.high),
        ):
            inside[key] += low is not None and low <= truth[key] <= (high or 0.0)
    for key, count in inside.items():
        yield Cell(f"coverage, {key} of a judge", name, count / runs, 0.93, 0.98)


KINDS: dict[str, tuple[Callable[[str, int], Iterator[Cell]], tuple[str, ...]]] = {
    "ratings": (rated, tuple(CAMPAIGNS)),
    "false alarms": (false_alarms, tuple(CAMPAIGNS)[:4:3]),
    "pairwise": (battled, tuple(BATTLES)),
    "PPI++": (powered, tuple(JUDGES)),
    "planner": (planned, tuple(PLANS)),
    "agreement": (agreed, tuple(AGREEMENTS)),
    "judge": (tried, tuple(TRIALS)),
}
"""By name what simulates, and where."""


def page(cells: list[Cell], runs: int) -> str:
    """Return the page of the figures."""
    lines = [
        "# Do the statistics of ratings hold?",
        "",
        f"Made by `python benchmarks/ratings.py --runs {runs} --out benchmarks/RATINGS.md`; seed {SEED}. Each row is",
        f"{runs:,} campaigns drawn anew from a population of items and raters whose true scores are known; intervals,",
        "tests and plans are those that `duologue ratings` prints. With 2,000 campaigns a true share of .95 is found",
        "within .01 of it; a mean over several systems somewhat closer.",
        "",
        "*Tastes*: raters differ in how harsh they are and in which systems they like. *The habit* takes every",
        "rating, or every pairwise judgement, for an independent one, and leaves ties out. Intervals that speak of",
        "other raters may be too wide, since three raters tell little of the rest; those of PPI++ with one rater per",
        "answer may not.",
        "",
        "| what | where | found | must be | |",
        "|---|---|---|---|---|",
    ]
    for one in cells:
        must = f"{one.least:g} to {one.most:g}" if (one.least, one.most) != (0.0, 1.0) else "no demand"
        found = f"{one.found:+.1f}" if one.kind.startswith("power") else f"{one.found:.3f}"
        lines.append(
            f"| {one.kind} | {one.what} | {found}{' **missed**' if one.missed else ''} | {must} | {one.note} |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run the simulations, print and write the table, and return 1 when a must is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2_000, help="campaigns per cell; a tenth or less for a first look")
    parser.add_argument("--only", default="", help="only what has this word in its kind or place")
    parser.add_argument("--work", type=Path, default=None, help="keep what is done in this file, and go on from it")
    parser.add_argument("--out", type=Path, default=None, help="write the page here")
    options = parser.parse_args()
    start = time.process_time()
    done: dict[str, list[list[Any]]] = {}
    if options.work is not None and options.work.exists():
        done = json.loads(options.work.read_text(encoding="utf-8"))
    cells: list[Cell] = []
    for kind, (simulate, places) in KINDS.items():
        for place in places:
            name = f"{kind}: {place}: {options.runs}"
            if options.only not in name:
                continue
            if name not in done:
                done[name] = [list(one) for one in simulate(place, options.runs)]
                if options.work is not None:
                    write_text(options.work, json.dumps(done))
            for one in (Cell(*row) for row in done[name]):
                cells.append(one)
                print(
                    f"{one.kind}: {one.what}: {one.found:.4f}{' MISSED' if one.missed else ''} {one.note}", flush=True
                )
    print(f"{time.process_time() - start:.0f} s of one core")
    if options.out is not None:
        options.out.write_text(page(cells, options.runs), encoding="utf-8")
    return int(any(one.missed for one in cells))


if __name__ == "__main__":
    sys.exit(main())
