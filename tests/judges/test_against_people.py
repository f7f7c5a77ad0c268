from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.core.errors import UsageError
from duologue.judges.against_people import summary_of, wins
from duologue.judges.length_slope import length_slope
from duologue.judges.pairs import PairsReport
from duologue.judges.points import PointsReport
from duologue.judges.session import Judged
from duologue.judges.trials import TrialFigure
from duologue.ratings.files import RatingFile
from duologue.ratings.judgement import Preference, Rating
from duologue.ratings.protocol import find_protocol

if TYPE_CHECKING:
    from duologue.ratings.judgement import Outcome

PROTOCOL = find_protocol("conversation")
NO_FIGURE = TrialFigure(None, None, None, 0)
NO_POINTS = PointsReport(0, {}, (), NO_FIGURE, NO_FIGURE)
NO_PAIRS = PairsReport(0, 0, NO_FIGURE, NO_FIGURE, NO_FIGURE, NO_FIGURE, length_slope([], []), NO_FIGURE)
ITEMS = [str(number) for number in range(80)]


def of_judge(ratings: tuple[Rating, ...] = (), preferences: tuple[Preference, ...] | None = None) -> Judged:
    if preferences is None:
        return Judged(ratings, (), NO_POINTS, {})
    return Judged(ratings, preferences, NO_PAIRS, {})


def pair(item: str, rater: str, outcome: Outcome, *, turned: bool = False) -> Preference:
    a, b = ("y", "x") if turned else ("x", "y")
    return Preference(item, a, b, rater, "overall", outcome)


POINTS = tuple(Rating(item, "x", "m", "quality", float(1 + int(item) % 5)) for item in ITEMS)
PEOPLE = tuple(one._replace(rater="ann", value=max(1.0, one.value - 1)) for one in POINTS[:60])


def test_points_stand_beside_people_s_with_ppi() -> None:
    found = summary_of(of_judge(POINTS), PROTOCOL, RatingFile(PEOPLE, (), ()))
    assert found is not None
    assert found.judge is not None
    assert found.judge.uncalibrated == ()
    (mean,) = found.judge.means
    assert mean.both is not None
    assert mean.judge is not None
    assert mean.judge.value - mean.both.value == pytest.approx(0.8, abs=0.1)


def test_few_labels_are_stamped() -> None:
    found = summary_of(of_judge(POINTS), PROTOCOL, RatingFile(PEOPLE[:49], (), ()))
    assert found is not None
    assert found.judge is not None
    assert found.judge.uncalibrated == ("quality",)


def test_pairs_stand_beside_people_s_whichever_system_comes_first() -> None:
    judged = tuple(pair(item, "m", "a" if int(item) % 3 else "b") for item in ITEMS)
    people = tuple(pair(item, "ann", "b" if int(item) % 3 else "a", turned=True) for item in ITEMS[:60])
    found = summary_of(of_judge((), judged), PROTOCOL, RatingFile((), people, ()))
    assert found is not None
    assert found.judge is not None
    (criterion,) = found.judge.criteria
    assert (criterion.criterion, criterion.labels, criterion.agreement.value) == ("win", 60, 1.0)
    (mean,) = found.judge.means
    assert mean.system == "x over y"
    assert mean.both is not None
    assert mean.both.value == pytest.approx(4 / 3, abs=0.05)


def test_a_judge_of_pairs_that_cannot_be_read_stands_beside_people_s_pairs() -> None:
    people = RatingFile((), tuple(pair(item, "ann", "a") for item in ITEMS[:60]), ())
    found = summary_of(of_judge((), ()), PROTOCOL, people)
    assert found is not None
    assert found.judge is not None
    (criterion,) = found.judge.criteria
    assert (criterion.labels, criterion.calibrated, criterion.agreement.value) == (0, False, None)
    (mean,) = found.judge.means
    assert (mean.system, mean.people, mean.both, mean.judge) == ("x over y", None, None, None)


def test_outcomes_become_points_of_the_first() -> None:
    said = [pair("1", "m", "a"), pair("2", "m", "a", turned=True), pair("3", "m", "tie")]
    assert [one.value for one in wins(said, "x", "y")] == [2.0, 0.0, 1.0]
    assert wins([said[0]._replace(a="z")], "x", "y") == []


def test_without_people_there_is_no_agreement_and_points_do_not_go_with_pairs() -> None:
    alone = summary_of(of_judge(POINTS), PROTOCOL, None)
    assert alone is not None
    assert (alone.agreement, alone.judge) == ((), None)
    assert summary_of(of_judge(), PROTOCOL, None) is None
    with pytest.raises(UsageError, match="both give points"):
        summary_of(of_judge(POINTS), PROTOCOL, RatingFile((), (pair("1", "ann", "a"),), ()))
