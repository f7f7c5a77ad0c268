"""A judge beside people: what `ratings score` tells of points, and the same of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.amounts import amount
from duologue.core.errors import UsageError
from duologue.judges.pairs import PairsReport
from duologue.ratings.files import RatingFile
from duologue.ratings.judged import beside_judge
from duologue.ratings.judgement import Rating
from duologue.ratings.protocol import Criterion, RatingProtocol
from duologue.ratings.summary import summarise
from duologue.ratings.table import RatingTable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duologue.judges.session import Judged
    from duologue.ratings.judgement import Preference
    from duologue.ratings.summary import RatingsSummary

WIN = "win"
_WINS = RatingProtocol(
    name="pairs",
    about="Which of two systems is better",
    source="outcomes of pairs as points: 0 the first system loses, 1 a tie, 2 it wins",
    rule="mean points",
    criterion=(Criterion(name=WIN, high=2),),
)


def summary_of(judged: Judged, protocol: RatingProtocol, people: RatingFile | None) -> RatingsSummary | None:
    """Return the summary of people's ratings with the judge beside them, or of the judge's where there are no people.

    `None` where the judge said nothing that could be read. Raises `UsageError` for people's points beside a judge of
    pairs, and the other way round.
    """
    own = RatingFile(judged.ratings, judged.preferences, ())
    if people is None:
        alone = summarise(own, protocol) if judged.ratings or judged.preferences else None
        return alone and alone._replace(agreement=())  # of one rater there is none
    demand_alike(people, pairs=isinstance(judged.report, PairsReport))
    if not people.preferences:
        return summarise(people, protocol, judge=own)
    shown = (judged.preferences or people.preferences)[0]  # of a judge that cannot be read there are none
    first, second = shown.a, shown.b
    labels, scores = (
        RatingTable.of(wins(one, first, second), [WIN]) for one in (people.preferences, judged.preferences)
    )
    return summarise(people, protocol)._replace(judge=beside_judge(labels, scores, _WINS))


def demand_alike(people: RatingFile, *, pairs: bool) -> None:
    """Raise `UsageError` for people's points beside a judge of `pairs`, and the other way round."""
    if bool(people.preferences) != pairs:
        given = amount(len(people.preferences), "pair") if people.preferences else amount(len(people.ratings), "point")
        asked = "pairs (--pairs)" if pairs else "points"
        raise UsageError(
            f"people and judge must both give points, or both judge pairs: people gave {given}, and the judge is asked "
            f"for {asked}"
        )


def wins(preferences: Iterable[Preference], first: str, second: str) -> list[Rating]:
    """Return pairwise judgements of two systems as points of the first: 0 it loses, 1 a tie, 2 it wins."""
    points = {"a": 2.0, "tie": 1.0, "b": 0.0}
    found = []
    for one in preferences:
        if {one.a, one.b} == {first, second}:
            value = points[one.outcome]
            found.append(
                Rating(one.item, f"{first} over {second}", one.rater, WIN, value if one.a == first else 2.0 - value)
            )
    return found
