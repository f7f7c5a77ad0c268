from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.arena.campaigns.campaign import find_campaign, status_of
from duologue.arena.campaigns.campaign_results import ratings_of, results_of
from duologue.arena.campaigns.volunteers import careless_people, quality_of
from duologue.core.errors import UsageError
from duologue.ratings.files import RatingFile, read_ratings
from duologue.ratings.judgement import Preference, Rating
from duologue.ratings.rows import ratings_text
from tests.arena.campaigns.made import SYSTEMS, MadeRoom, Volunteer, by_length, made_campaign, made_material

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.campaigns.volunteer_view import ShownItem
    from duologue.arena.database.database import Database

PEOPLE = ("ann", "ben", "cy")


def rated(database: Database, made: str, people: tuple[str, ...] = PEOPLE, room: MadeRoom | None = None) -> None:
    with database.reading() as connection:
        opinion = by_length(find_campaign(connection, made))
    for person in people:
        Volunteer(database, made, person, room).rate_all(opinion)


@pytest.mark.parametrize("protocol", ["spoken", "conversation", "mobilecs", "mobilecs-0-2", "proactive", "restaurant"])
def test_each_protocol_ranks_by_its_rule_and_writes_the_file_that_ratings_score_reads(
    database: Database, tmp_path: Path, protocol: str
) -> None:
    hidden = ("reference",) if protocol == "conversation" else ()
    made = made_campaign(database, protocol, material=made_material((*SYSTEMS[:2], *hidden)), per_item=3)
    rated(database, made)
    with database.reading() as connection:
        campaign = find_campaign(connection, made)
        found = results_of(connection, campaign)
        ratings = ratings_of(connection, campaign)
        status = status_of(connection, campaign)
    assert status.rated == status.wanted == 6 * 3 * (2 + len(hidden))
    assert found.summary.rated is not None
    ranked = {one.system: one.rank for one in found.summary.rated.systems}
    assert (ranked[SYSTEMS[1]], ranked[SYSTEMS[0]]) == (1, 2)
    assert ranked.get("reference") is None, "the human reference is hidden among the systems, and not ranked"
    path = tmp_path / "ratings.csv"
    path.write_text(ratings_text(ratings, path), encoding="utf-8")
    assert read_ratings(path, campaign.rating).ratings == ratings
    assert {one.rater for one in ratings} == {"r01", "r02", "r03"}


@pytest.mark.parametrize("protocol", ["proactive", "mobilecs", "restaurant"])
def test_a_live_protocol_is_talked_first_and_rated_then(database: Database, protocol: str) -> None:
    made = made_campaign(database, protocol, live=True, material=made_material(SYSTEMS, 2, live=True), per_item=2)
    room = MadeRoom()
    rated(database, made, room=room)
    with database.reading() as connection:
        campaign = find_campaign(connection, made)
        status = status_of(connection, campaign)
        ratings = ratings_of(connection, campaign)
    assert len(room.begun) == 6, "each system is talked with once in each scene"
    assert (status.talked, status.dialogues) == (6, 6)
    assert status.rated == 12, "a second rater reads what the first one talked"
    assert {one.item for one in ratings} == {"item-000", "item-001"}


def test_the_live_arena_compares_two_dialogues_of_one_person(database: Database) -> None:
    made = made_campaign(database, "arena", live=True, material=made_material(SYSTEMS, 2, live=True))
    room = MadeRoom()
    rated(database, made, room=room)
    with database.reading() as connection:
        found = ratings_of(connection, find_campaign(connection, made))
    assert len(found) == 6
    assert len(room.begun) == 12
    for one in found:
        assert isinstance(one, Preference)
        assert one.outcome == "b"


def test_pairs_give_win_shares_agreement_and_reasons(database: Database) -> None:
    made = made_campaign(database, "arena", per_item=3, material=made_material(items=8))
    rated(database, made)
    with database.reading() as connection:
        found = results_of(connection, find_campaign(connection, made))
    ((_, preferred),) = found.summary.preferred
    assert [one.system for one in preferred.systems] == list(reversed(SYSTEMS))
    assert found.choices[0].name == "alpha (nominal)"
    assert "all ratings are" in found.choices[0].why, "what is not defined says why"
    assert found.reasons == (("beta-secret", "facts", 24), ("gamma-secret", "facts", 48))


def test_seven_of_fifteen_are_selected_and_who_shares_the_border_is_told(database: Database) -> None:
    names = tuple(f"system-{number}" for number in range(5))
    made = made_campaign(database, material=made_material(names, 4), per_item=2, select=3)
    rated(database, made, PEOPLE[:2])
    with database.reading() as connection:
        campaign = find_campaign(connection, made)
        found = results_of(connection, campaign).selection
        fewer = campaign._replace(protocol=msgspec.structs.replace(campaign.protocol, select=2))
        border = results_of(connection, fewer).selection
    assert found is not None
    assert set(found.selected) == set(names[2:]), "2 points are the most: three systems share the first place"
    assert found.even == ()
    assert border is not None
    assert border.selected == ()
    assert set(border.even) == set(names[2:])


def test_too_many_systems_do_not_enter(database: Database) -> None:
    with pytest.raises(UsageError, match="the 2 best by their automatic scores enter"):
        made_campaign(database, enter=2)


def test_who_fails_attention_checks_is_left_out(database: Database) -> None:
    made = made_campaign(database, check_every=4, per_item=3)
    rated(database, made, ("ann", "ben"))
    with database.reading() as connection:
        campaign = find_campaign(connection, made)
        honest = by_length(campaign)

    def careless(item: ShownItem) -> dict[str, Any]:
        points = honest(item)
        return points if item.onboarding else {one.name: 1 for one in campaign.rating.criterion}

    Volunteer(database, made, "cy").rate_all(careless)
    with database.reading() as connection:
        quality = {one.code: one for one in quality_of(connection, campaign)}
        assert careless_people(connection, campaign) == {"r03"}
        assert {one.rater for one in ratings_of(connection, campaign) if isinstance(one, Rating)} == {"r01", "r02"}
        assert len({one.rater for one in ratings_of(connection, campaign, everybody=True)}) == 3
        assert results_of(connection, campaign).left_out == ("r03",)
    assert (quality["r01"].checks, quality["r01"].checks_passed) == (4, 4)
    assert (quality["r03"].checks, quality["r03"].checks_passed) == (4, 0)
    assert quality["r03"].same == 1
    assert quality["r01"].apart is not None
    assert quality["r03"].apart is not None
    assert quality["r01"].apart < quality["r03"].apart
    assert quality["r01"].median_seconds == 5


def test_where_all_are_careless_that_is_said(database: Database) -> None:
    made = made_campaign(database, check_every=4, per_item=3)
    with database.reading() as connection:
        campaign = find_campaign(connection, made)
        honest = by_length(campaign)
    Volunteer(database, made, "cy").rate_all(
        lambda item: honest(item) if item.onboarding else {one.name: 1 for one in campaign.rating.criterion}
    )
    with database.reading() as connection, pytest.raises(UsageError, match="all who rated failed its checks"):
        results_of(connection, campaign)


def test_a_judge_and_automatic_scores_stand_beside_people(database: Database) -> None:
    made = made_campaign(database, "mobilecs-0-2", material=made_material(SYSTEMS[:2], 10), per_item=3)
    rated(database, made)
    judge = tuple(
        Rating(f"item-{number:03}", system, "judge", criterion, float(place))
        for number in range(10)
        for place, system in enumerate(SYSTEMS[:2])
        for criterion in ("success", "coherency", "fluency")
    )
    with database.reading() as connection:
        campaign = find_campaign(connection, made)
        found = results_of(
            connection,
            campaign,
            judge=RatingFile(judge, (), ()),
            automatic={SYSTEMS[0]: 5.0, SYSTEMS[1]: 0.0, "absent": 1.0},
        )
    assert found.summary.judge is not None
    assert found.summary.rated is not None
    assert found.summary.rated.systems[0].final == pytest.approx(0.5)


def test_automatic_scores_of_other_systems_alone_are_refused(database: Database) -> None:
    made = made_campaign(database, "mobilecs-0-2", material=made_material(SYSTEMS[:2], 2), per_item=3)
    rated(database, made)
    with database.reading() as connection:
        campaign = find_campaign(connection, made)
        with pytest.raises(UsageError, match="no system of the campaign has an automatic score: found 'typo'"):
            results_of(connection, campaign, automatic={"typo": 1.0})


def test_nothing_rated_is_said(database: Database) -> None:
    made = made_campaign(database)
    with database.reading() as connection, pytest.raises(UsageError, match="nobody has rated anything"):
        results_of(connection, find_campaign(connection, made))
