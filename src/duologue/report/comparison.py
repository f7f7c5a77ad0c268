"""Paired comparisons between reports over the same items, with Holm's correction over the family."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core.errors import UsageError
from duologue.metrics.counts import Counts
from duologue.metrics.rank import ranking_metric
from duologue.metrics.significance import RESAMPLES, holm, paired_tests

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duologue.core.records import Report
    from duologue.metrics.counts import Floats, Metric
    from duologue.metrics.significance import Paired

    Formulas = Callable[[Report], Sequence[Metric[Any]]]

ALPHA = 0.05
"""A corrected p-value below this is called a difference."""

_GOLD = re.compile(r"\| gold ([0-9a-f]+)")
"""The hash of the truth in a signature, where the scorer names it."""

_EQUAL = 1e-12
"""Scores of an item closer than this are equal."""

PAIRS = ("all", "neighbours")
"""Which systems are tested: every pair, or each against the next one in the ranking."""


class Bout(NamedTuple):
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
    tested: Paired
    """Values, difference with its interval, and both p-values, not corrected."""
    p_holm: float
    """The p-value of approximate randomisation, corrected over the family (Holm)."""
    family: int
    """How many tests were corrected together."""
    higher_is_better: bool = True
    percent: bool = True
    """Whether the score is a fraction, printed in percent."""
    bout: Bout | None = None
    """Wins and losses item by item; `None` where they were not counted."""

    @property
    def better(self) -> str | None:
        """`"a"`, `"b"`, or `None`: a tie, since no difference is shown at the 5 % level."""
        if self.p_holm >= ALPHA or self.tested.difference == 0:
            return None
        return "a" if (self.tested.difference > 0) == self.higher_is_better else "b"


def compare(
    a: Report,
    b: Report,
    *,
    metrics: Sequence[Metric[Any]] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> tuple[Comparison, ...]:
    """Test two reports on every score that both have; the scores are the family of Holm's correction.

    `metrics` gives the formulas where they are not those of `metrics.ranking`; those that are not additive, and
    so cannot be resampled, are left out. Deterministic for a seed. Raises `UsageError` when task, variant, items or
    columns differ (naming the first item), when the truth files differ, when a report keeps no counts, or when they
    share no score whose formula is known.
    """
    shared = [score.name for score in a.scores if any(score.name == other.name for other in b.scores)]
    known = metrics if metrics is not None else ranking_formulas(a)
    chosen = [one for one in known if one.name in shared and one.additive]
    if not chosen:
        raise UsageError(f"no formula is known for the shared scores ({', '.join(shared) or 'none'}); pass `metrics`")
    name_a, name_b = system_names([a, b])
    tested = _tested(a, b, chosen, seed, resamples)
    pairs = zip(chosen, tested, strict=True)
    found = _correct([_Test(set_name(a) or "", name_a, name_b, a.n, metric, one) for metric, one in pairs])
    counts = Counts.of_report(a), Counts.of_report(b)
    return tuple(one._replace(bout=_bout(*counts, metric)) for one, metric in zip(found, chosen, strict=True))


def widest_gaps(a: Report, b: Report, metric: Metric[Any], most: int = 10) -> tuple[Gap, ...]:
    """Return the items on which two reports over the same items differ most in `metric`, the widest first.

    Equally wide ones come in the order of their ids. Items without a difference, or on which the score says
    nothing about one of the two, are left out.
    """
    ids, here, there = _item_values(Counts.of_report(a), Counts.of_report(b), metric)
    gaps = [Gap(name, *pair) for name, *pair in zip(ids, here.tolist(), there.tolist(), strict=True)]
    told = [gap for gap in gaps if abs(gap.a - gap.b) > _EQUAL]
    return tuple(sorted(told, key=lambda gap: (-abs(gap.a - gap.b), gap.id))[:most])


def ranking_formulas(report: Report) -> list[Metric[Any]]:
    """Return the formulas of those of a report's scores that `metrics.ranking` has (`p@1`, `mrr`)."""
    return [one for one in (ranking_metric(score.name) for score in report.scores) if one is not None]


def _item_values(a: Counts, b: Counts, metric: Metric[Any]) -> tuple[tuple[str, ...], Floats, Floats]:
    """Return the score of each item by itself for both systems, in the order of A's items."""
    places = {name: row for row, name in enumerate(b.ids)}
    columns = a.positions(metric.columns)
    here = metric.total(a.array[:, columns])
    there = metric.total(b.array[[places[name] for name in a.ids]][:, columns])
    return a.ids, here, there


def _bout(a: Counts, b: Counts, metric: Metric[Any]) -> Bout:
    _, here, there = _item_values(a, b, metric)
    ahead = (here - there) * (1 if metric.higher_is_better else -1)
    wins, losses = int((ahead > _EQUAL).sum()), int((ahead < -_EQUAL).sum())
    return Bout(wins, losses, len(a) - wins - losses)


def compare_all(
    test_sets: Mapping[str, Sequence[Report]],
    *,
    pairs: str = "all",
    formulas: Formulas | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> tuple[Comparison, ...]:
    """Test systems against each other within each test set on the score that ranks; those on one test set are a family.

    `test_sets` holds, per name of a test set, the reports on it. `pairs` is one of `PAIRS`; neighbours are taken
    in the order of the ranking score. `formulas` gives the formulas of a report (default: `ranking_formulas`).
    Reports without counts, or whose ranking score has no formula that can be resampled, are left out. Raises
    `UsageError` as `compare` does.
    """
    if pairs not in PAIRS:
        raise UsageError(f"pairs is '{pairs}'; one of {', '.join(PAIRS)} is expected")
    found: list[Comparison] = []
    for name, reports in test_sets.items():
        tests = []
        for job in _jobs(name, reports, pairs, formulas or ranking_formulas):
            try:
                tested = _tested(job.a, job.b, [job.metric], seed, resamples)[0]
            except UsageError as error:
                raise UsageError(f"{name}: {job.name_a} (A) against {job.name_b} (B): {error}") from error
            tests.append(_Test(name, job.name_a, job.name_b, job.a.n, job.metric, tested))
        found += _correct(tests)
    return tuple(found)


def rank_value(report: Report) -> float | None:
    """Return the value of the score that ranks, or `None` when the report does not hold it."""
    return next((score.value for score in report.scores if score.name == report.rank_by), None)


def in_order(reports: Sequence[Report]) -> list[Report]:
    """Return reports on one test set, the best first; equals by name of the system."""

    def key(report: Report) -> tuple[float, str]:
        score = next((score for score in report.scores if score.name == report.rank_by), None)
        if score is None or score.value != score.value:  # only NaN differs from itself
            return float("inf"), report.system
        return (-score.value if score.higher_is_better else score.value), report.system

    return sorted(reports, key=key)


def set_name(report: Report) -> str | None:
    """Return the name of the test set that a report carries in `meta`, if it does."""
    name = report.meta.get("test_set")
    return str(name) if name else None


def system_names(reports: Sequence[Report]) -> list[str]:
    """Return a name for each report's system: `unnamed` where there is none, numbered where two are equal.

    >>> from duologue.core.records import Report
    >>> plain = Report(task="t", variant="v", n=0, scores=(), rank_by="", signature="", system="solver")
    >>> system_names([plain, plain])
    ['solver', 'solver (2)']
    """
    used: dict[str, int] = {}
    names = []
    for report in reports:
        name = report.system or "unnamed"
        used[name] = used.get(name, 0) + 1
        names.append(name if used[name] == 1 else f"{name} ({used[name]})")
    return names


class _Job(NamedTuple):
    test_set: str
    name_a: str
    a: Report
    name_b: str
    b: Report
    metric: Metric[Any]


def _jobs(name: str, reports: Sequence[Report], pairs: str, formulas: Formulas) -> list[_Job]:
    """Return the tests to be made within one test set."""
    labels = dict(zip(map(id, reports), system_names(reports), strict=True))
    ranked = [report for report in in_order(reports) if report.items and report.columns]
    jobs = []
    for a, b in pairwise(ranked) if pairs == "neighbours" else combinations(ranked, 2):
        metric = next((one for one in formulas(a) if one.name == a.rank_by and one.additive), None)
        if metric is not None and a.rank_by == b.rank_by:
            jobs.append(_Job(name, labels[id(a)], a, labels[id(b)], b, metric))
    return jobs


class _Test(NamedTuple):
    test_set: str
    a: str
    b: str
    n: int
    metric: Metric[Any]
    tested: Paired


def _tested(a: Report, b: Report, metrics: Sequence[Metric[Any]], seed: int, resamples: int) -> tuple[Paired, ...]:
    _expect_alike(a, b)
    return paired_tests(Counts.of_report(a), Counts.of_report(b), metrics, seed=seed, resamples=resamples)


def _correct(tests: Sequence[_Test]) -> tuple[Comparison, ...]:
    corrected = holm([test.tested.p_randomisation for test in tests])
    return tuple(
        Comparison(
            test_set=test.test_set,
            a=test.a,
            b=test.b,
            n=test.n,
            tested=test.tested,
            p_holm=p,
            family=len(tests),
            higher_is_better=test.metric.higher_is_better,
            percent=test.metric.percent,
        )
        for test, p in zip(tests, corrected, strict=True)
    )


def _expect_alike(a: Report, b: Report) -> None:
    for what, here, there in (("task", a.task, b.task), ("variant", a.variant, b.variant)):
        if here != there:
            raise UsageError(f"A was scored with {what} '{here}', B with '{there}'; score both alike")
    gold_a, gold_b = (_GOLD.search(report.signature) for report in (a, b))
    if gold_a and gold_b and gold_a[1] != gold_b[1]:
        raise UsageError(
            f"A and B were scored against different truth files ({gold_a[1]} and {gold_b[1]} in their signatures); "
            f"score both against the same one"
        )
