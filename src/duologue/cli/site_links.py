"""`duologue site open-link`: one link for many people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import msgspec

from duologue.cli.site import site_database
from duologue.core.errors import UsageError
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command("open-link")
@click.option("--campaign", default=None, metavar="CAMPAIGN", help="Volunteers of this campaign come in by it.")
@click.option("--track", default=None, metavar="TRACK", help="Participants of this track come in by it.")
@click.option(
    "--limit", type=options.WholeNumber(1, 10_000), default=50, show_default=True, help="People that it lets in."
)
@options.days_option(14)
@click.option("--list", "listed", is_flag=True, help="Show the links that there are, without making one.")
@click.option("--revoke", default=None, metavar="LINK", help="Let nobody new in by this link (its id).")
@options.site_url_option
@options.workspace_option
@options.database_option
@options.json_option
def open_link(
    *, campaign: str | None, track: str | None, limit: int, days: float, listed: bool, revoke: str | None, url: str,
    workspace: Path, address: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Make one link for many people: each who follows it gets an identity, and a link to come back by.

    Volunteers of a campaign are asked for no name; participants of a track give one, and register their teams.

    \b
    Examples:
      duologue site open-link --campaign 3f2a --limit 100
      duologue site open-link --track booking --days 30
      duologue site open-link --track booking --list
      duologue site open-link --revoke 0123456789abcdef
    """
    if (campaign is not None) + (track is not None) + (revoke is not None) != 1:
        raise UsageError("give one of --campaign, --track and --revoke")
    if revoke is not None:
        options.refuse("--revoke makes no link and shows none", "listed", "limit", "days", "url")
    if listed:
        options.refuse("--list makes no link", "limit", "days", "url")
    kind, subject = ("campaign", campaign) if campaign is not None else ("track", track or "")
    with site_database(workspace, address) as found:
        from duologue.arena.people.open_links import open_path, revoke_open_link
        from duologue.arena.people.secret import new_secret
        from duologue.arena.registration.open_registration import open_for_many, open_links_into

        now = found.now()
        if revoke is not None:
            found.write(lambda connection: revoke_open_link(connection, revoke, now=now, by=None))
            if as_json:
                console.as_json({"revoked": revoke})
            else:
                console.line(f"nobody new comes in by {revoke}")
            return
        if listed:
            with found.reading() as connection:
                links = open_links_into(connection, kind, subject)
            if as_json:
                console.as_json({"links": msgspec.to_builtins(links)})
                return
            for one in links:
                state = "open" if one.valid(now) else "closed"
                console.line(f"{one.id}  {one.used} of {one.limit} came in, {state}")
            return
        secret = new_secret()
        made = found.write(
            lambda connection: open_for_many(
                connection, secret, kind, subject, limit=limit, days=days, now=now, by=None
            )
        )
    link = url.rstrip("/") + open_path(secret)
    if as_json:
        console.as_json({"id": made, "link": link})
        return
    console.line(link)
