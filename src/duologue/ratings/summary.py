"""All that is told of a file of ratings: agreement, systems, pairwise judgements, and a judge beside people."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.ratings.agreement import agreement
from duologue.ratings.judged import beside_judge
from duologue.ratings.preferences import rank_by_preference
from duologue.ratings.scores import rate_systems
from duologue.ratings.table import RatingTable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.core.records import Problem
    from duologue.ratings.agreement import Agreement
    from duologue.ratings.files import RatingFile
    from duologue.ratings.judged import JudgeReport
    from duologue.ratings.preferences import PreferredSystems
    from duologue.ratings.protocol import RatingProtocol
    from duologue.ratings.scores import RatedSystems


class RatingsSummary(NamedTuple):
    """What a file of ratings says."""

    protocol: RatingProtocol
    ratings: int
    """Ratings or pairwise judgements."""
    raters: int
    items: int
    agreement: tuple[tuple[Agreement, ...], ...]
    """By criterion; empty for pairwise judgements."""
    rated: RatedSystems | None
    preferred: tuple[tuple[str, PreferredSystems], ...]
    """By criterion, of pairwise judgements."""
    judge: JudgeReport | None
    warnings: tuple[Problem, ...]


def summarise(
    file: RatingFile,
    protocol: RatingProtocol,
    *,
    judge: RatingFile | None = None,
    automatic: Mapping[str, float] | None = None,
) -> RatingsSummary:
    """Return what a file of ratings says, beside those of a judge where there are some.

    Raises `UsageError` as `rate_systems` and `rank_by_preference` do.
    """
    warnings = (*file.warnings, *(judge.warnings if judge else ()))
    if file.preferences:
        names = list(dict.fromkeys(one.criterion for one in file.preferences))
        preferred = tuple(
            (name, rank_by_preference([one for one in file.preferences if one.criterion == name])) for name in names
        )
        raters, items = ({one[field] for one in file.preferences} for field in (3, 0))
        return RatingsSummary(
            protocol, len(file.preferences), len(raters), len(items), (), None, preferred, None, warnings
        )
    criteria = [one.name for one in protocol.criterion]
    table = RatingTable.of(file.ratings, criteria)
    return RatingsSummary(
        protocol=protocol,
        ratings=len(file.ratings),
        raters=len(table.raters),
        items=len(table.items),
        agreement=tuple(agreement(table.units(place), one) for place, one in enumerate(protocol.criterion)),
        rated=rate_systems(table, protocol, automatic),
        preferred=(),
        judge=beside_judge(table, RatingTable.of(judge.ratings, criteria), protocol) if judge else None,
        warnings=warnings,
    )
