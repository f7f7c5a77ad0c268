"""Many systems on one test set: intervals, tiers of systems that cannot be told apart, what could be detected.

Tiers and ranks come from the tests of all pairs (`comparison`), intervals from each report's own counts, so that a
leaderboard says of two files what a comparison, a page and their scores say of them.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from duologue.core.amounts import amount
from duologue.core.errors import UsageError
from duologue.core.notebook import data_frame, html_table, text_table
from duologue.metrics.significance import ROUNDS, SEED
from duologue.metrics.tiers import standings
from duologue.report.background import doubts
from duologue.report.comparison import compare_all, in_order, ranking_formulas, system_names
from duologue.report.notes import in_lines, notes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Report
    from duologue.metrics.tiers import Standing
    from duologue.report.comparison import Comparison, Formulas


class Place(NamedTuple):
    """One system on the leaderboard."""

    system: str
    report: Report
    tier: int
    """1 for the first system and all that are not shown to be worse than it; the next one starts tier 2; and so on."""
    best: int
    """1 + the systems shown to be better."""
    worst: int
    """The number of systems less those shown to be worse."""


class Leaderboard(NamedTuple):
    """All systems of one test set, the best first."""

    task: str
    variant: str
    test_set: str
    n: int
    rank_by: str
    score_names: tuple[str, ...]
    places: tuple[Place, ...]
    comparisons: tuple[Comparison, ...]
    """The tests of all pairs on the score that ranks: one family."""
    detectable: float | None
    """The true difference from the first system in the score that ranks which these very tests find with a chance of
    80 %."""
    unpaired: tuple[Report, ...]
    """Reports over other items than the first one's: listed with their scores and not compared."""
    refused: tuple[tuple[str, int, str], ...]
    """Files that could not be scored: name, number of problems, the first of them."""

    @property
    def caution(self) -> str:
        """Why intervals and tests may be wrong; empty where dialogues are known."""
        return next((place.report.caution for place in self.places if place.report.caution), "")

    def columns(self) -> tuple[str, ...]:
        """Return the titles of `rows`: ranks, tier, system, then the scores."""
        return ("rank", "tier", "system", *self.score_names)

    def rows(self) -> list[tuple[object, ...]]:
        """Return a row for each system: the ranks it may have, its tier, its name and its scores, `None` for none."""
        return [
            (
                str(place.best) if place.best == place.worst else f"{place.best}-{place.worst}",
                place.tier,
                place.system,
                *map({score.name: score.value for score in place.report.scores}.get, self.score_names),
            )
            for place in self.places
        ]

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame. Raises `ImportError` where pandas is not installed."""
        return data_frame(self.columns(), self.rows())

    def __str__(self) -> str:
        return text_table(self._title, self.columns(), self.rows(), below=self._below)

    def _repr_html_(self) -> str:
        return html_table(self._title, self.columns(), self.rows(), below=self._below)

    @property
    def notes(self) -> dict[str, str]:
        """What scores say of themselves, by name."""
        return notes_of(place.report for place in self.places)

    @property
    def _below(self) -> list[str]:
        doubted = [f"{place.system}: {one.message}" for place in self.places for one in doubts(place.report)]
        noted = [line.removesuffix(".") for line in in_lines(self.notes)]
        return [*([self.caution] if self.caution else []), *doubted, *noted]

    @property
    def _title(self) -> str:
        what = " ".join(filter(None, (self.task, self.test_set)))
        return f"{what}, {self.variant}, {amount(self.n, 'item')}, ranked by {self.rank_by}"


def rank_all(
    reports: Sequence[Report],
    *,
    formulas: Formulas | None = None,
    seed: int = SEED,
    resamples: int = ROUNDS,
    refused: Sequence[tuple[str, int, str]] = (),
) -> Leaderboard:
    """Rank reports on one test set. Deterministic for a seed and independent of the order of the reports.

    `formulas` gives the formulas of a report (default: `ranking_formulas`). Raises `UsageError` for no reports, reports
    of different tasks or variants or against different truth, and a ranking score that no test can be made of.
    """
    _expect(reports)
    ordered = in_order(reports)
    items = _commonest_items(ordered)
    paired: list[Report] = []
    unpaired: list[Report] = []
    for report in ordered:
        (paired if frozenset(name for name, _ in report.items) == items else unpaired).append(report)
    names = system_names(paired)
    first = paired[0]
    known = (formulas or ranking_formulas)(first)
    if not items or not any(metric.additive and metric.name == first.rank_by for metric in known):
        raise UsageError(
            f"'{first.rank_by}' ranks systems and keeps no counts that can be resampled; there is no board for it"
        )
    name = str(first.meta.get("test_set", ""))
    comparisons = compare_all({name: paired}, formulas=formulas, seed=seed, resamples=resamples)
    return Leaderboard(
        task=first.task,
        variant=first.variant,
        test_set=name,
        n=first.n,
        rank_by=first.rank_by,
        score_names=tuple(score.name for score in first.scores),
        places=tuple(
            Place(system, report, *place)
            for system, report, place in zip(names, paired, _places(names, comparisons), strict=True)
        ),
        comparisons=comparisons,
        detectable=_detectable(comparisons, names[0]),
        unpaired=tuple(unpaired),
        refused=tuple(refused),
    )


def _expect(reports: Sequence[Report]) -> None:
    if not reports:
        raise UsageError("there are no reports to rank; score a result file first")
    for what in ("task", "variant", "rank_by"):
        found = sorted({getattr(report, what) for report in reports})
        if len(found) > 1:
            raise UsageError(f"reports of one {what} are ranked together, found {' and '.join(found)}")


def _commonest_items(reports: Sequence[Report]) -> frozenset[str]:
    """Return the items that most reports are over; of equally many those of the better system."""
    times = Counter(frozenset(name for name, _ in report.items) for report in reports)
    return max(times, key=times.__getitem__)  # of equally common ones the first


def _detectable(comparisons: Sequence[Comparison], leader: str) -> float | None:
    """Return the median detectable difference of the pairs with the first system; `None` where no test finds any.

    A system that leads by much differs from the others in more items than they do among themselves: the median over
    all pairs would promise too much. Results that are equal in every item have no such difference: that nothing differs
    tells nothing of what would be found.
    """
    with_leader = [one.tested.detectable for one in comparisons if leader in (one.a, one.b)]
    known = [one for one in with_leader if not math.isnan(one)]
    least = float(np.median(known)) if known else math.nan
    return least if math.isfinite(least) and least > 0 else None


def ranks(names: Sequence[str], comparisons: Sequence[Comparison]) -> list[int]:
    """Return the rank of each system, given best first: 1 + the number of systems shown to be better than it."""
    return [place.best for place in _places(names, comparisons)]


def _places(names: Sequence[str], comparisons: Sequence[Comparison]) -> list[Standing]:
    """Return per system, given best first, its tier, and its best and worst rank that the tests leave open.

    A system that was in no test stands behind all before it.
    """
    apart = {(one.a, one.b) if one.better == "a" else (one.b, one.a) for one in comparisons if one.better}
    in_tests = {name for one in comparisons for name in (one.a, one.b)}
    untested = {place for place, name in enumerate(names) if name not in in_tests}
    apart |= {(names[one], names[two]) for one, two in combinations(range(len(names)), 2) if {one, two} & untested}
    return standings(names, apart)


def leaderboard_to_json(found: Leaderboard) -> dict[str, Any]:
    """Return the leaderboard as a JSON object; figures are unrounded fractions, null where there is none."""
    from duologue.report.serialize import comparisons_to_json, json_number, to_json  # together with the page only

    systems = [
        {
            "system": place.system,
            "tier": place.tier,
            "rank": [place.best, place.worst],
            "scores": to_json(place.report)["scores"],
            "seen": place.report.seen,
            "external": place.report.external,
            "exposure": to_json(place.report).get("exposure"),
            "doubts": [one.message for one in doubts(place.report)],
            "signature": str(place.report.signature),
        }
        for place in found.places
    ]
    return {
        "task": found.task,
        "variant": found.variant,
        "test_set": found.test_set,
        "n": found.n,
        "rank_by": found.rank_by,
        **({"caution": found.caution} if found.caution else {}),
        "systems": systems,
        "minimum_detectable_difference": {found.rank_by: json_number(found.detectable)},
        "comparisons": comparisons_to_json(found.comparisons)["comparisons"],
        "unpaired": [{"system": report.system, **to_json(report)} for report in found.unpaired],
        "refused": [{"file": name, "problems": count, "first": first} for name, count, first in found.refused],
    }
