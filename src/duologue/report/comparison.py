"""Paired tests between reports over the same items: which families there are, and what came of them.

The family is every pair of systems on the score that ranks; so two files are judged alike wherever they are set side by
side, in a comparison, a leaderboard or a page. The other scores of a comparison are a second family, among themselves.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core.amounts import amount
from duologue.core.errors import UsageError
from duologue.metrics.counts import Counts
from duologue.metrics.rank import ranking_metric
from duologue.metrics.significance import ROUNDS, SEED, Contrast, expect_same_items, paired_tests

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duologue.core.records import Report
    from duologue.metrics.counts import Floats, Metric
    from duologue.metrics.significance import PairedFamily, PairedTest

    Formulas = Callable[[Report], Sequence[Metric[Any]]]

_EQUAL = 1e-12
"""Scores of an item closer than this are equal."""


class WinLoss(NamedTuple):
    """How often each of two systems has the better of an item, on one score of single items."""

    wins: int
    """Items on which A is better than B."""
    losses: int
    ties: int
    """Equal, or an item on which the score says nothing about one of the two."""


class Gap(NamedTuple):
    """One item on which two systems differ, with the ranking score of each on that item alone."""

    id: str
    a: float
    b: float


class Comparison(NamedTuple):
    """One paired test of two systems on one score over the same items, corrected over its family."""

    test_set: str
    a: str
    b: str
    n: int
    """Items that both were scored on."""
    tested: PairedTest
    """Values, difference with its interval, p-value alone and corrected."""
    family: str
    """What was corrected together, in words."""
    swaps: str
    """How many swaps were made, in words."""
    higher_is_better: bool = True
    percent: bool = True
    """Whether the score is a fraction, printed in percent."""
    caution: str = ""
    """Why the test may be wrong; empty where dialogues are known."""
    win_loss: WinLoss | None = None
    """Wins and losses item by item; `None` where they were not counted."""
    note: str = ""
    """What the score says of itself."""

    @property
    def better(self) -> str | None:
        """`"a"`, `"b"`, or `None`: no difference is shown at the 5 % level, or nothing could be tested."""
        if not self.tested.differs:
            return None
        return "a" if (self.tested.difference > 0) == self.higher_is_better else "b"

    @property
    def has_interval(self) -> bool:
        """Whether the difference has an interval."""
        return math.isfinite(self.tested.low) and math.isfinite(self.tested.high)

    @property
    def is_tested(self) -> bool:
        """Whether both systems have a value on the score."""
        return not math.isnan(self.tested.p)


def compare(
    a: Report,
    b: Report,
    *,
    metrics: Sequence[Metric[Any]] | None = None,
    seed: int = SEED,
    resamples: int = ROUNDS,
) -> tuple[Comparison, ...]:
    """Test two reports on every score that both have: that which ranks by itself, the others as a family.

    `metrics` gives the formulas where they are not those of `metrics.rank`; those that are not additive are left out.
    Deterministic for a seed. Raises `UsageError` when task, variant, items, dialogues or columns differ (naming the
    first item), when the truth files differ, when a report keeps no counts, or when they share no score whose formula
    is known.
    """
    expect_alike(a, b)
    shared = [score.name for score in a.scores if any(score.name == other.name for other in b.scores)]
    known = metrics if metrics is not None else ranking_formulas(a)
    chosen = [one for one in known if one.name in shared and one.additive]
    if not chosen:
        raise UsageError(f"no formula is known for the shared scores ({', '.join(shared) or 'none'}); pass `metrics`")
    ranking = [one for one in chosen if one.name == a.rank_by == b.rank_by]
    others = [one for one in chosen if one not in ranking]
    counts = Counts.of_report(a), Counts.of_report(b)
    reports = list(zip(system_names([a, b]), (a, b), strict=True))
    found: dict[str, Comparison] = {}
    for family in filter(None, (ranking, others)):
        for one, metric in zip(_family(reports, family, seed, resamples), family, strict=True):
            found[metric.name] = one._replace(win_loss=_win_loss(*counts, metric))
    return tuple(found[one.name] for one in chosen)


def compare_all(
    test_sets: Mapping[str, Sequence[Report]],
    *,
    formulas: Formulas | None = None,
    seed: int = SEED,
    resamples: int = ROUNDS,
) -> tuple[Comparison, ...]:
    """Test all pairs of systems within each test set on the score that ranks; those on one test set are a family.

    `test_sets` holds, per name of a test set, the reports on it. `formulas` gives the formulas of a report (default:
    `ranking_formulas`). Reports without counts, or whose ranking score has no formula over sums, are left out. Raises
    `UsageError` as `compare` does.
    """
    found: list[Comparison] = []
    for name, reports in test_sets.items():
        groups: dict[str, list[tuple[str, Report]]] = {}
        for system, report in named_in_order(reports):
            if report.items and report.columns:
                groups.setdefault(report.rank_by, []).append((system, report))
        for rank_by, ranked in groups.items():
            known = (formulas or ranking_formulas)(ranked[0][1])
            metric = next((one for one in known if one.name == rank_by and one.additive), None)
            if metric is not None and len(ranked) > 1:
                _expect_all_alike(name, ranked)
                found += [one._replace(test_set=name) for one in _family(ranked, [metric], seed, resamples)]
    return tuple(found)


def _family(
    reports: Sequence[tuple[str, Report]], metrics: Sequence[Metric[Any]], seed: int, rounds: int
) -> list[Comparison]:
    """Test all pairs of reports, given with their systems' names, on some scores as one family."""
    pairs = list(combinations(range(len(reports)), 2))
    contrasts = [Contrast(a, b, metric) for metric in metrics for a, b in pairs]
    outcome = paired_tests([Counts.of_report(one) for _, one in reports], contrasts, seed=seed, rounds=rounds)
    family, swaps = _family_in_words(reports, metrics, len(pairs)), _swaps_in_words(outcome)
    caution = next((one.caution for _, one in reports if one.caution), "")
    found = []
    for (a, b, metric), tested in zip(contrasts, outcome.tests, strict=True):
        test_set, n = set_name(reports[a][1]) or "", reports[a][1].n
        up, percent = metric.higher_is_better, metric.percent
        found.append(
            Comparison(
                test_set, reports[a][0], reports[b][0], n, tested, family, swaps, up, percent, caution, note=metric.note
            )
        )
    return found


def _family_in_words(reports: Sequence[tuple[str, Report]], metrics: Sequence[Metric[Any]], pairs: int) -> str:
    told = f"all {pairs:,} pairs of systems" if pairs > 1 else "one pair of systems"
    if all([one.name for one in metrics] == [report.rank_by] for _, report in reports):
        return f"{told} on {metrics[0].name}, which ranks"
    return f"{told} on {len(metrics)} score{'s' * (len(metrics) > 1)} beside that which ranks"


def _swaps_in_words(outcome: PairedFamily) -> str:
    return f"all {amount(outcome.rounds, 'swap')}" if outcome.exact else f"{amount(outcome.rounds, 'random swap')}"


def widest_gaps(a: Report, b: Report, metric: Metric[Any], limit: int = 10) -> tuple[Gap, ...]:
    """Return the items on which two reports over the same items differ most in `metric`, the widest first.

    Equally wide ones come in the order of their ids. Items without a difference, or on which the score says
    nothing about one of the two, are left out.
    """
    ids, here, there = _item_values(Counts.of_report(a), Counts.of_report(b), metric)
    gaps = [Gap(name, *pair) for name, *pair in zip(ids, here.tolist(), there.tolist(), strict=True)]
    told = [gap for gap in gaps if abs(gap.a - gap.b) > _EQUAL]
    return tuple(sorted(told, key=lambda gap: (-abs(gap.a - gap.b), gap.id))[:limit])


def ranking_formulas(report: Report) -> list[Metric[Any]]:
    """Return the formulas of those of a report's scores that `metrics.rank` has (`p@1`, `mrr`)."""
    return [one for one in (ranking_metric(score.name) for score in report.scores) if one is not None]


def _item_values(a: Counts, b: Counts, metric: Metric[Any]) -> tuple[tuple[str, ...], Floats, Floats]:
    """Return the score of each item by itself for both systems, in the order of A's items."""
    places = {name: row for row, name in enumerate(b.ids)}
    columns = a.positions(metric.columns)
    here = metric.total(a.array[:, columns])
    there = metric.total(b.array[[places[name] for name in a.ids]][:, columns])
    return a.ids, here, there


def _win_loss(a: Counts, b: Counts, metric: Metric[Any]) -> WinLoss:
    _, here, there = _item_values(a, b, metric)
    ahead = (here - there) * (1 if metric.higher_is_better else -1)
    wins, losses = int((ahead > _EQUAL).sum()), int((ahead < -_EQUAL).sum())
    return WinLoss(wins, losses, len(a) - wins - losses)


def rank_value(report: Report) -> float | None:
    """Return the value of the score that ranks, or `None` when the report does not hold it."""
    return next((score.value for score in report.scores if score.name == report.rank_by), None)


def in_order(reports: Sequence[Report]) -> list[Report]:
    """Return reports on one test set, the best first; equals by name of the system."""
    return [report for _, report in named_in_order(reports)]


def named_in_order(reports: Sequence[Report]) -> list[tuple[str, Report]]:
    """Return reports on one test set with the names of their systems, in the order of `in_order`."""

    def key(named: tuple[str, Report]) -> tuple[float, str]:
        report = named[1]
        score = next((score for score in report.scores if score.name == report.rank_by), None)
        if score is None or score.value != score.value:  # only NaN differs from itself
            return float("inf"), report.system
        return (-score.value if score.higher_is_better else score.value), report.system

    return sorted(zip(system_names(reports), reports, strict=True), key=key)


def set_name(report: Report) -> str | None:
    """Return the name of the test set that a report carries in `meta`, if it does."""
    name = report.meta.get("test_set")
    return str(name) if name else None


def system_names(reports: Sequence[Report]) -> list[str]:
    """Return a name for each report's system: `unnamed` where there is none, numbered where two are equal.

    >>> from duologue.core.records import Report
    >>> plain = Report(task="t", variant="v", n=0, scores=(), rank_by="", system="solver")
    >>> system_names([plain, plain])
    ['solver', 'solver (2)']
    """
    given = [report.system or "unnamed" for report in reports]
    taken = set(given)
    times = dict.fromkeys(given, 0)
    names = []
    for name in given:
        times[name] += 1
        chosen = name
        while times[name] > 1 and (chosen := f"{name} ({times[name]})") in taken:
            times[name] += 1  # a system is really called so
        taken.add(chosen)
        names.append(chosen)
    return names


def _expect_all_alike(test_set: str, ranked: Sequence[tuple[str, Report]]) -> None:
    """Raise `UsageError`, naming test set and systems, where reports cannot be tested against each other."""
    (first, report), *others = ranked
    for name, other in others:
        try:
            expect_alike(report, other)
        except UsageError as error:
            where = f"{test_set}: " if test_set else ""  # plain data are of no test set
            raise UsageError(f"{where}{first} (A) against {name} (B): {error}") from error


def expect_alike(a: Report, b: Report) -> None:
    """Raise `UsageError` where two reports cannot be tested against each other, saying why."""
    for what, here, there in (("task", a.task, b.task), ("variant", a.variant, b.variant)):
        if here != there:
            raise UsageError(f"A was scored with {what} '{here}', B with '{there}'; score both alike")
    gold_a, gold_b = (report.signature.hashes.get("gold") for report in (a, b))
    if gold_a and gold_b and gold_a != gold_b:
        raise UsageError(
            f"A and B were scored against different truth files ({gold_a[:8]} and {gold_b[:8]} in their signatures); "
            "score both against the same --gold, several of them in one order"
        )
    expect_same_items(Counts.of_report(a), Counts.of_report(b))
