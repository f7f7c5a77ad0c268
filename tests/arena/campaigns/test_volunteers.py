from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from duologue.arena.campaigns import volunteers
from duologue.arena.campaigns.ballots import BETTER, CountedBallot
from tests.growth import LINEAR, growth

if TYPE_CHECKING:
    from duologue.arena.campaigns.volunteers import VolunteerQuality


def ballots(raters: int, *, pairs: bool = False) -> list[CountedBallot]:
    """Return what so many people say of the same three answers, or pairs."""
    found = []
    for person in range(raters):
        for unit in range(3):
            told: dict[str, int | str] = (
                {BETTER: ("a", "b", "tie")[person * unit % 3]} if pairs else {"coherence": (person + unit) % 4}
            )
            found.append(
                CountedBallot(
                    unit_id=f"unit-{unit}", item_key="item", person=f"person-{person}", system_a="one",
                    system_b="two" if pairs else None, points=told, reason="", remark="", seconds=5, version=1,
                    created_at=1, talk=None,
                )
            )  # fmt: skip
    return found


def quality(patch: pytest.MonkeyPatch, given: list[CountedBallot]) -> tuple[VolunteerQuality, ...]:
    nobody: Any = None
    patch.setattr(volunteers, "counted_ballots", lambda connection, campaign: tuple(given))
    patch.setattr(volunteers, "codes_of", lambda connection, campaign: {one.person: one.person for one in given})
    patch.setattr(volunteers, "_known_items", lambda connection, campaign: {})
    return volunteers.quality_of(nobody, nobody)


@pytest.mark.parametrize("what", ["points", "pairs"])
def test_how_far_somebody_is_apart_is_the_mean_distance_from_the_others(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = what == "pairs"
    given = ballots(7, pairs=pairs)
    for told in quality(monkeypatch, given):
        distances, name = [], BETTER if pairs else "coherence"
        for mine in (one for one in given if one.person == told.code):
            others = [one.points[name] for one in given if one.unit_id == mine.unit_id and one.person != told.code]
            if pairs:
                distances.append(float(np.mean([other != mine.points[name] for other in others])))
            else:
                distances.append(abs(float(mine.points[name]) - float(np.mean([float(other) for other in others]))))
        assert told.apart == float(np.mean(distances))
        assert told.rated == 3


def test_who_rates_alone_is_apart_from_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    (told,) = quality(monkeypatch, ballots(1))
    assert (told.apart, told.same) == (None, 1 / 3)


def test_many_volunteers_take_no_longer_each_than_few(monkeypatch: pytest.MonkeyPatch) -> None:
    assert growth(ballots, lambda given: quality(monkeypatch, given), 50) < LINEAR
