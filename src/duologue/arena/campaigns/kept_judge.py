"""A judge's scores that are kept with a campaign, and shown beside people's wherever its results are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from duologue.arena.campaigns.campaign import change_settings
from duologue.arena.people.audit import log
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.escapes import last_part
from duologue.ratings.files import parse_ratings

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.arena.database.blobs import Blobs
    from duologue.arena.database.database import Database
    from duologue.ratings.files import RatingFile


def keep_judge(
    database: Database, blobs: Blobs, campaign: Campaign, name: str, data: bytes, *, by: str | None = None,
    nonce: str | None = None,
) -> int:  # fmt: skip
    """Keep a judge's scores in place of former ones, log who did, and return how many there are.

    They are read here, and not by the database's one writer: those of a large file take minutes. Raises `UsageError`
    for a campaign of pairs, for pairwise judgements and for a system that is not rated here; else as `parse_ratings`.
    """
    if campaign.pairs:
        raise UsageError("a campaign of pairs has win shares; a judge's points go with scales")
    name = last_part(name) or "judge.csv"
    found = of_campaign(parse_ratings(data, Path(name), campaign.rating, judge=True), name, campaign)
    count = len(found.ratings)

    def action(connection: Connection) -> int:
        change_settings(connection, campaign.id, judge=name, judge_sha256=blobs.put(data))
        log(connection, by, "campaign.judge", now=database.now(), about=campaign.id, scores=count)
        return count

    return database.write(action, nonce=nonce)


def of_campaign(found: RatingFile, name: str, campaign: Campaign) -> RatingFile:
    """Return a judge's scores as they are, of a file called `name`.

    Raises `UsageError` for pairwise judgements and for a system that is not rated in the campaign.
    """
    if found.preferences:
        raise UsageError(f"{name} holds pairwise judgements; a judge's scores here are on the protocol's scale")
    strangers = sorted({one.system for one in found.ratings} - set(campaign.systems))
    if strangers:
        hint = did_you_mean(strangers[0], campaign.systems)
        raise UsageError(f"{name}: the judge rated '{strangers[0]}', which is no system of this campaign{hint}")
    return found


def judge_of(blobs: Blobs, campaign: Campaign) -> RatingFile | None:
    """Return the judge's scores that are kept with a campaign; `None` where there are none."""
    settings = campaign.settings
    if not settings.judge_sha256:
        return None
    return parse_ratings(blobs.read(settings.judge_sha256), Path(settings.judge), campaign.rating, judge=True)
