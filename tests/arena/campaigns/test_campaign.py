from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import update

from duologue.arena.campaigns.campaign import (
    CampaignSettings,
    all_campaigns,
    campaigns_with,
    close_campaign,
    find_campaign,
    reopen_campaign,
    start_campaign,
    status_of,
)
from duologue.arena.campaigns.campaign_protocol import find_campaign_protocol
from duologue.arena.campaigns.campaign_results import results_of
from duologue.arena.campaigns.material import Material, MaterialItem
from duologue.arena.campaigns.norm_round import advance, norm_agreement, open_round, vote, votes_of
from duologue.arena.campaigns.shown_content import ShownContext
from duologue.arena.campaigns.tables import campaign_units
from duologue.arena.campaigns.volunteers import quality_of
from duologue.core.errors import StorageError, UsageError
from duologue.ratings.protocol import find_protocol
from tests.arena.campaigns.made import SYSTEMS, Volunteer, by_length, made_campaign, made_material

if TYPE_CHECKING:
    from duologue.arena.database.database import Database


@pytest.mark.parametrize("protocol", ["spoken", "arena"])
def test_a_campaign_from_start_to_end_on_both_databases(either_database: Database, protocol: str) -> None:
    database = either_database
    made = made_campaign(database, protocol, material=made_material(items=8), per_item=2, check_every=5)
    norm = database.write(lambda c: open_round(c, find_campaign(c, made), 2, database.now()))
    with database.reading() as connection:
        campaign = find_campaign(connection, made[:10])
        opinion = by_length(campaign)
    for person in ("ann", "ben"):
        Volunteer(database, made, person).rate_all(opinion)
        said: dict[str, object] = {one.name: 1 for one in campaign.rating.criterion} | {"better": "a"}
        unit = norm.units[0]
        database.write(partial(vote, campaign=campaign, norm=norm, person=person, unit=unit, said=said, now=1))
    shown = database.write(lambda c: advance(c, norm, 1))
    with database.reading() as connection:
        status = status_of(connection, campaign)
        assert (status.units, status.rated, status.wanted) == (18, 36, 36)
        assert len(votes_of(connection, campaign, norm, "ben")) == 1
        assert len(votes_of(connection, campaign, shown, "ben")) == 2
        assert [one.checks_passed for one in quality_of(connection, campaign)] == [3, 3]
        assert len(norm_agreement(connection, campaign)) == (1 if campaign.pairs else 3)
        best = results_of(connection, campaign).summary
    found = best.preferred[0][1].systems[0].system if best.preferred else best.rated and best.rated.systems[0].system
    assert found == SYSTEMS[-1]
    database.write(lambda c: close_campaign(c, campaign, database.now()))
    with database.reading() as connection:
        (closed,) = all_campaigns(connection)
        assert campaigns_with(connection, "ben") == campaigns_with(connection, "ben", made) == [closed]
        assert campaigns_with(connection, "ben", "another") == campaigns_with(connection, "nobody") == []
    assert not closed.open
    with pytest.raises(UsageError, match="closed already"):
        database.write(lambda c: close_campaign(c, closed, database.now()))
    database.write(lambda c: reopen_campaign(c, closed, 1))
    with database.reading() as connection:
        again = find_campaign(connection, made)
    assert again.open
    with pytest.raises(UsageError, match="is open"):
        database.write(lambda c: reopen_campaign(c, again, 1))


def test_a_unit_of_a_system_that_nobody_named_is_damage(database: Database) -> None:
    made = made_campaign(database, "proactive", material=made_material(items=2))
    database.write(lambda c: c.execute(update(campaign_units).values(system_a="$(x)")).rowcount)
    with database.reading() as connection, pytest.raises(StorageError, match=r"is of '\$\(x\)', which is none"):
        status_of(connection, find_campaign(connection, made))


def test_a_campaign_is_found_by_the_beginning_of_its_id(database: Database) -> None:
    with database.reading() as connection, pytest.raises(UsageError, match="no campaign"):
        find_campaign(connection, "abc")
    one, _ = made_campaign(database), made_campaign(database)
    with database.reading() as connection:
        assert find_campaign(connection, one).id == one
        with pytest.raises(UsageError, match="there is no campaign"):
            find_campaign(connection, "")


@pytest.mark.parametrize(
    "setting",
    [{"per_item": 10**25}, {"lease_minutes": 10**20}, {"check_every": 10**12}, {"seed": 2**63}],
    ids=str,
)
def test_settings_that_no_database_holds_start_no_campaign(database: Database, setting: dict[str, Any]) -> None:
    protocol = find_campaign_protocol("proactive")
    with pytest.raises(UsageError, match=f"a campaign cannot have these settings: .*{next(iter(setting))}"):
        database.write(
            lambda connection: start_campaign(
                connection, title="t", task="proactive", protocol=protocol, rating=find_protocol(protocol.ratings),
                material=made_material(), settings=CampaignSettings(**setting), now=database.now(),
            )
        )  # fmt: skip
    with database.reading() as connection:
        assert all_campaigns(connection) == []


def test_a_campaign_of_more_pairs_than_can_be_written_at_once_is_refused(database: Database) -> None:
    systems = tuple(f"s{number}" for number in range(101))
    items = tuple(MaterialItem(f"i{n}", ShownContext(), dict.fromkeys(systems)) for n in range(40))
    with pytest.raises(UsageError, match="40 items with 101 systems are 202,000 answers or pairs to rate; at most 200"):
        made_campaign(database, "arena", onboarding=(), enter=0, material=Material(systems, items))
    fewer = Material(
        systems[:21], tuple(MaterialItem(f"i{n}", ShownContext(), dict.fromkeys(systems[:21])) for n in range(40))
    )
    made = made_campaign(database, "arena", onboarding=(), enter=0, material=fewer)
    with database.reading() as connection:
        assert status_of(connection, find_campaign(connection, made)).units == 8_400
