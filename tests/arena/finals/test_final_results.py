"""What people said in a campaign stands on the board, with a judge beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.arena.campaigns.campaign import find_campaign
from duologue.arena.campaigns.kept_judge import keep_judge
from duologue.arena.competition.track_board import Viewer, board_for
from duologue.arena.finals.final_campaign import propose_final
from duologue.arena.finals.final_results import end_campaign, take_results
from duologue.arena.people.audit import audit_entries
from duologue.core.errors import UsageError
from tests.arena.campaigns.made import PEOPLE, Volunteer, add_people, by_length, made_campaign

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.arena.competition.track_board import BoardColumn
    from tests.arena.competition.booking import Contest


def started(final: Contest, folder: Path) -> Campaign:
    with final.database.reading() as connection:
        proposal = propose_final(connection, final.blobs, final.track, final.track.phase("final"), folder, n=4)
    made = proposal.start(final.database)
    with final.database.reading() as connection:
        return find_campaign(connection, made)


def column(final: Contest) -> BoardColumn:
    with final.database.reading() as connection:
        return board_for(connection, final.track, Viewer(organiser=True), final.database.now()).columns[-1]


def test_a_campaign_that_ends_puts_its_ranks_onto_the_board(final: Contest, tmp_path: Path) -> None:
    campaign = started(final, tmp_path)
    with pytest.raises(UsageError, match="has no ratings yet"):
        take_results(final.database, final.blobs, campaign, by=None)
    add_people(final.database)
    for person in PEOPLE[:2]:
        Volunteer(final.database, campaign.id, person).rate_all(by_length(campaign))
    assert take_results(final.database, final.blobs, campaign, by=None) == 2
    rows = [f"{number},{team},{2 + number % 2}" for number in (0, 1) for team in ("Ann", "Bob")]
    judge = "\n".join(["item,system,quality", *rows]).encode()
    keep_judge(final.database, final.blobs, campaign, "judge.csv", judge)
    Volunteer(final.database, campaign.id, PEOPLE[2]).rate_all(by_length(campaign))
    with final.database.reading() as connection:
        campaign = find_campaign(connection, campaign.id)
    assert end_campaign(final.database, final.blobs, campaign, by=None) == 2
    said = column(final)
    names = {one.team: one.name for one in said.finalists.values()}
    people = {names[team]: one for (source, team), one in said.ratings.items() if source == "human"}
    assert {name: one.rank_best for name, one in people.items()} == {"Ann": 1, "Bob": 2}
    assert people["Ann"].protocol == "conversation"
    assert {names[team] for source, team in said.ratings if source == "judge"} == {"Ann", "Bob"}
    with final.database.reading() as connection:
        taken = audit_entries(connection, action="final.take")
        assert not find_campaign(connection, campaign.id).open
    assert [one.detail for one in taken] == [{"track": "service", "teams": 2}] * 2


def test_a_campaign_without_a_final_changes_no_board(final: Contest) -> None:
    alone = made_campaign(final.database)
    with final.database.reading() as connection:
        campaign = find_campaign(connection, alone)
    with pytest.raises(UsageError, match="rates no final"):
        take_results(final.database, final.blobs, campaign, by=None)
    assert end_campaign(final.database, final.blobs, campaign, by=None) == 0
    assert column(final).ratings == {}
