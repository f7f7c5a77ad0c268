"""Scores of systems from ratings: means by criterion, their sum, tests of all pairs, tiers, and the final rank."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.core.errors import UsageError
from duologue.metrics.tiers import standings
from duologue.ratings.contrasts import corrected, difference_test, estimate
from duologue.ratings.two_way import two_way_errors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.metrics.counts import Floats
    from duologue.metrics.tiers import Standing
    from duologue.ratings.contrasts import Estimate, PairTest
    from duologue.ratings.protocol import RatingProtocol
    from duologue.ratings.table import Integers, RatingTable

_EQUAL = 1e-12


class SystemRating(NamedTuple):
    """One system's ratings."""

    system: str
    items: int
    raters: int
    criteria: tuple[Estimate | None, ...]
    """Mean by criterion, in the order of the protocol; `None` where nobody rated it."""
    total: Estimate | None
    """Sum of the means; `None` where a criterion lacks."""
    automatic: float | None
    final: float | None
    """What ranks: the total, or its mean with the automatic score, both from 0 to 1; `None`: not ranked."""
    rank: int | None
    """By the protocol's rule, ignoring chance; equals share it."""
    standing: Standing | None
    """By the tests; `None` for what is not ranked."""


class RatedSystems(NamedTuple):
    """All systems, the best first."""

    systems: tuple[SystemRating, ...]
    tests: tuple[PairTest, ...]
    """Of the total, all pairs of ranked systems: one family."""
    both_ways: bool
    """Whether intervals and tests speak of other raters too, for every system."""


class _Rows(NamedTuple):
    """Ratings of some systems with what each adds to the total."""

    item: Integers
    rater: Integers
    influence: Floats
    """(rows, criteria)."""
    means: Floats


def rate_systems(
    table: RatingTable, protocol: RatingProtocol, automatic: Mapping[str, float] | None = None
) -> RatedSystems:
    """Return the scores of all systems of a table whose criteria are the protocol's.

    `automatic` has scores by system, for protocols that count them and to part equals. Raises `UsageError` where some
    systems have one, others have none, and the rule counts it, or where one is more than there is.
    """
    scores = automatic or {}
    _expect(table, protocol, scores)
    rows = [_rows_of(table, place) for place in range(len(table.systems))]
    found = [_scored(table, protocol, place, one, scores) for place, one in enumerate(rows)]
    ranked = sorted(
        (one for one in found if one.final is not None),
        key=lambda one: (-(one.final or 0.0), -(one.automatic or 0.0), one.system),
    )
    names = [one.system for one in ranked]
    places = {name: place for place, name in enumerate(table.systems)}
    tests = corrected([_test(a, b, rows[places[a]], rows[places[b]]) for a, b in combinations(names, 2)])
    by_total = sorted(names, key=lambda name: -float(rows[places[name]].means.sum()))
    apart = {(one.better, one.b if one.better == one.a else one.a) for one in tests if one.better}
    standing = dict(zip(by_total, standings(by_total, apart), strict=True))
    ranks = _ranks(ranked)
    both_ways = all(two_way_errors(one.item, one.rater, one.influence).both_ways for one in rows if len(one.item))
    others = sorted((one for one in found if one.final is None), key=lambda one: one.system)
    return RatedSystems(
        tuple(
            one._replace(rank=ranks.get(one.system), standing=standing.get(one.system)) for one in [*ranked, *others]
        ),
        tests,
        both_ways,
    )


def _expect(table: RatingTable, protocol: RatingProtocol, automatic: Mapping[str, float]) -> None:
    unknown = sorted(automatic.keys() - set(table.systems))
    if unknown:
        known = ", ".join(table.systems)
        raise UsageError(f"there is an automatic score of '{unknown[0]}', which nobody rated; rated are {known}")
    lacking = [name for name in table.systems if name not in automatic and name != protocol.reference]
    if automatic and lacking and protocol.automatic_share:
        raise UsageError(
            f"the rule of {protocol.name} counts automatic scores; '{lacking[0]}' has none: give one of each system"
        )
    beyond = [name for name, score in automatic.items() if protocol.automatic_share and score > protocol.automatic_most]
    if beyond:
        most = f"{protocol.automatic_most:g}"
        raise UsageError(f"the automatic score of '{beyond[0]}' is {automatic[beyond[0]]:g}; the greatest is {most}")


def _rows_of(table: RatingTable, system: int) -> _Rows:
    """Return the ratings of a system: what each adds to the mean of its criterion."""
    kept = table.system == system
    criteria, values = table.criterion[kept], table.value[kept]
    influence, means = np.zeros((len(values), len(table.criteria))), np.full(len(table.criteria), np.nan)
    for place in range(len(table.criteria)):
        mine = criteria == place
        if mine.any():
            means[place] = values[mine].mean()
            influence[mine, place] = (values[mine] - means[place]) / mine.sum()
    return _Rows(table.item[kept], table.rater[kept], influence, means)


def _scored(
    table: RatingTable, protocol: RatingProtocol, place: int, rows: _Rows, automatic: Mapping[str, float]
) -> SystemRating:
    name = table.systems[place]
    criteria: list[Estimate | None] = []
    for number, scale in enumerate(protocol.criterion):
        if np.isnan(rows.means[number]):
            criteria.append(None)
            continue
        mine = (table.criterion[table.system == place]) == number
        errors = two_way_errors(rows.item[mine], rows.rater[mine], rows.influence[mine, number : number + 1])
        criteria.append(estimate(float(rows.means[number]), errors, 0, scale.low, scale.high))
    total = None
    if None not in criteria:
        errors = two_way_errors(rows.item, rows.rater, rows.influence.sum(axis=1, keepdims=True))
        total = estimate(float(rows.means.sum()), errors, 0, protocol.lowest, protocol.highest)
    score = automatic.get(name)
    final = None if total is None or name == protocol.reference else final_score(protocol, total.value, score)
    items, raters = len(np.unique(rows.item)), len(np.unique(rows.rater))
    return SystemRating(name, items, raters, tuple(criteria), total, score, final, None, None)


def final_score(protocol: RatingProtocol, total: float, automatic: float | None) -> float | None:
    """Return what ranks a system: the total, or both scores from 0 to 1 and weighted, where the rule counts both."""
    if not protocol.automatic_share or automatic is None:
        return total
    human = (total - protocol.lowest) / (protocol.highest - protocol.lowest)
    return (1 - protocol.automatic_share) * human + protocol.automatic_share * automatic / protocol.automatic_most


def _test(a: str, b: str, rows_a: _Rows, rows_b: _Rows) -> PairTest:
    """Return the test of two systems on the total."""
    item, rater = np.concatenate([rows_a.item, rows_b.item]), np.concatenate([rows_a.rater, rows_b.rater])
    influence = np.concatenate([rows_a.influence.sum(axis=1), -rows_b.influence.sum(axis=1)])
    errors = two_way_errors(item, rater, influence[:, None])
    return difference_test(a, b, float(rows_a.means.sum() - rows_b.means.sum()), errors)


def _ranks(ranked: Sequence[SystemRating]) -> dict[str, int]:
    found: dict[str, int] = {}
    for place, one in enumerate(ranked):
        before = ranked[place - 1] if place else None
        equal = before is not None and _key(before) == _key(one)
        found[one.system] = found[before.system] if before is not None and equal else place + 1
    return found


def _key(one: SystemRating) -> tuple[float, float]:
    """Return what ranks, without rounding errors."""
    return round((one.final or 0.0) / _EQUAL) * _EQUAL, one.automatic or 0.0
