"""From a campaign to the board: what people, and a judge beside them, said of the finalists."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.arena.campaigns.campaign import close_campaign, find_campaign
from duologue.arena.campaigns.campaign_results import ratings_of, results_of
from duologue.arena.campaigns.kept_judge import judge_of
from duologue.arena.competition.entries import find_entry
from duologue.arena.competition.phases import finalists_of
from duologue.arena.competition.ratings import keep_ratings
from duologue.arena.finals.final_campaign import final_of
from duologue.arena.people.audit import log
from duologue.core.errors import UsageError
from duologue.ratings.summary import summarise

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.arena.competition.track_file import PhaseDefinition, TrackDefinition
    from duologue.arena.database.blobs import Blobs
    from duologue.arena.database.database import Database
    from duologue.ratings.summary import RatingsSummary


class FinalResults(NamedTuple):
    """What a campaign says of a final."""

    campaign: Campaign
    track: TrackDefinition
    phase: PhaseDefinition
    people: RatingsSummary
    judge: RatingsSummary | None
    """Of a judge's scores alone, where some are kept with the campaign."""


def final_results(connection: Connection, blobs: Blobs, campaign: Campaign) -> FinalResults | None:
    """Return what a campaign says of its final; `None` where it has none, or nobody has rated anything yet.

    Where the protocol's rule counts automatic scores, they are those of the finalists' entries.
    """
    final = final_of(connection, campaign)
    if final is None or not ratings_of(connection, campaign):
        return None
    track, phase = final
    automatic = _automatic(connection, track, phase, campaign) if campaign.rating.automatic_share else None
    people = results_of(connection, campaign, automatic=automatic).summary
    judge = judge_of(blobs, campaign)
    return FinalResults(campaign, track, phase, people, summarise(judge, campaign.rating) if judge else None)


def keep_results(connection: Connection, found: FinalResults, *, now: int, by: str | None) -> int:
    """Put results onto the board, in place of former ones, and return how many teams people rated."""
    kept = keep_ratings(connection, found.track, found.phase, "human", found.people, now)
    if found.judge is not None:
        keep_ratings(connection, found.track, found.phase, "judge", found.judge, now)
    log(connection, by, "final.take", now=now, about=found.campaign.id, track=found.track.name, teams=kept)
    return kept


def take_results(
    database: Database, blobs: Blobs, campaign: Campaign, *, by: str | None, nonce: str | None = None
) -> int:
    """Put what a campaign says onto the board of its final, and return how many teams people rated.

    Raises `UsageError` where it rates no final, or nobody has rated anything yet.
    """
    with database.reading() as connection:
        found = final_results(connection, blobs, campaign)
    if found is None:
        why = "rates no final" if not campaign.settings.track else "has no ratings yet"
        raise UsageError(f"the campaign '{campaign.title}' {why}")
    return database.write(lambda connection: keep_results(connection, found, now=database.now(), by=by), nonce=nonce)


def end_campaign(
    database: Database, blobs: Blobs, campaign: Campaign, *, by: str | None, nonce: str | None = None
) -> int:
    """Close a campaign; its results go onto the board of the final that it rates. Return how many teams stand there."""
    database.write(lambda connection: close_campaign(connection, campaign, database.now(), by=by), nonce=nonce)
    with database.reading() as connection:
        found = final_results(connection, blobs, find_campaign(connection, campaign.id))
    if found is None:
        return 0
    return database.write(lambda connection: keep_results(connection, found, now=database.now(), by=by))


def _automatic(
    connection: Connection, track: TrackDefinition, phase: PhaseDefinition, campaign: Campaign
) -> dict[str, float]:
    """Return the automatic score of each rated team's entry."""
    found = {}
    for one in finalists_of(connection, track.name, phase.name):
        value = find_entry(connection, one.entry).value
        if one.name in campaign.systems and value is not None:
            found[one.name] = value
    return found
