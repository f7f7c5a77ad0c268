"""The campaign of a final is made of the finalists' entries, or linked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.arena.campaigns.campaign import find_campaign
from duologue.arena.campaigns.kept_judge import keep_judge
from duologue.arena.finals.final_campaign import campaigns_of, final_of, link_campaign, propose_final, protocol_of
from duologue.core.errors import UsageError
from tests.arena.campaigns.made import made_campaign, made_material
from tests.arena.finals.service import open_service

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.arena.database.database import Database
    from tests.arena.competition.booking import Contest


def test_it_shows_what_the_finalists_handed_in_under_the_names_of_their_teams(final: Contest, tmp_path: Path) -> None:
    phase = final.track.phase("final")
    place = tmp_path / "files"
    place.mkdir()
    with final.database.reading() as connection:
        proposal = propose_final(connection, final.blobs, final.track, phase, place, n=3, per_item=2)
    assert set(proposal.material.systems) == {"Ann", "Bob", "reference"}
    assert len(proposal.material.items) == 3
    answer = proposal.material.items[0].answers["Ann"]
    assert answer is not None
    assert answer.turns[-1][1].startswith("yes yes parcel")
    assert proposal.title == "Customer service: Final"
    made = proposal.start(final.database)
    with final.database.reading() as connection:
        (campaign,) = campaigns_of(connection, "service", "final")
        assert final_of(connection, campaign) == (final.track, phase)
    assert campaign.id == made
    assert (campaign.rating.name, campaign.settings.per_item) == ("conversation", 2)


def test_nobody_rates_a_final_without_finalists_or_a_phase_that_is_none(
    opened: Callable[[str | None], Database], tmp_path: Path
) -> None:
    empty = open_service(opened(None), tmp_path)
    with empty.database.reading() as connection:
        with pytest.raises(UsageError, match="nobody is in the final"):
            propose_final(connection, empty.blobs, empty.track, empty.track.phase("final"), tmp_path, n=3)
        with pytest.raises(UsageError, match="not rated by people"):
            propose_final(connection, empty.blobs, empty.track, empty.track.phase("test"), tmp_path, n=3)


def test_talks_are_with_the_bots_of_teams_alone(final: Contest, tmp_path: Path) -> None:
    phase = final.track.phase("final")
    with final.database.reading() as connection, pytest.raises(UsageError, match=r"'An' is no team there.*Ann"):
        propose_final(connection, final.blobs, final.track, phase, tmp_path, n=3, live={"An": "echo"})


def test_a_campaign_that_there_is_may_be_linked_where_it_fits(final: Contest) -> None:
    phase, database = final.track.phase("final"), final.database
    fits = made_campaign(database, "conversation", material=made_material(("Ann", "Bob", "reference")))
    other = made_campaign(database, "spoken", material=made_material(("Ann", "Bob")))
    pairs = made_campaign(database, "arena", material=made_material(("Ann", "Bob")))
    strange = made_campaign(database, "conversation", material=made_material(("Ann", "Rob", "reference")))

    def link(campaign_id: str, to: str = "final") -> None:
        database.write(
            lambda connection: link_campaign(
                connection, find_campaign(connection, campaign_id), final.track, final.track.phase(to), now=1
            )
        )

    refused = {other: "is rated by conversation", pairs: "compares pairs", strange: "'Rob' is no"}
    for campaign_id, wrong in refused.items():
        with pytest.raises(UsageError, match=wrong):
            link(campaign_id)
    with pytest.raises(UsageError, match="not rated by people"):
        link(fits, "test")
    with database.reading() as connection:
        assert campaigns_of(connection, "service", phase.name) == []
        assert final_of(connection, find_campaign(connection, fits)) is None
    link(fits)
    with database.reading() as connection:
        assert [one.id for one in campaigns_of(connection, "service", phase.name)] == [fits]


def test_linking_takes_nothing_back_that_was_kept_meanwhile(final: Contest) -> None:
    made = made_campaign(final.database, "conversation", material=made_material(("Ann", "Bob", "reference")))
    with final.database.reading() as connection:
        before = find_campaign(connection, made)
    (criterion, *_) = before.rating.criterion
    scores = f"item,system,{criterion.name}\nitem-000,Ann,{criterion.low}\n".encode()
    keep_judge(final.database, final.blobs, before, "judge.csv", scores)
    phase = final.track.phase("final")
    final.database.write(lambda connection: link_campaign(connection, before, final.track, phase, now=1))
    with final.database.reading() as connection:
        settings = find_campaign(connection, made).settings
    assert (settings.judge, settings.track, settings.phase) == ("judge.csv", "service", "final")


def test_the_protocol_is_that_of_the_phase_else_of_the_task(final: Contest) -> None:
    import msgspec

    phase = final.track.phase("final")
    assert protocol_of(final.track, phase).name == "conversation"
    assert protocol_of(final.track, msgspec.structs.replace(phase, protocol="")).task == "conversation"
    with pytest.raises(UsageError, match="no campaign protocol goes with 'nonsense'"):
        protocol_of(final.track, msgspec.structs.replace(phase, protocol="nonsense"))
