"""`duologue campaign`: people rate systems by a protocol, on the site; this starts, watches, and ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.cli.lazy_group import LazyGroup
from duologue.core.amounts import amount
from duologue.core.errors import UsageError
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

_COMMANDS = {
    "Campaigns": {
        "start": ("duologue.cli.campaign_start:start", "Start a campaign of a protocol over some systems."),
        "link": ("duologue.cli.campaign_start:link", "Invite volunteers: a link for each."),
        "rate": ("duologue.cli.campaign_rate:rate", "Rate in the terminal what a person rates on the site."),
        "status": ("duologue.cli.campaign:status", "Show how far campaigns are, and how well each volunteer rates."),
        "norm": ("duologue.cli.campaign:norm", "Open a norming round, or bring it on: vote, discuss, vote again."),
        "close": ("duologue.cli.campaign:close", "End a campaign, or let it go on."),
    },
    "Results": {
        "judge": ("duologue.cli.campaign_results:judge", "Keep a judge's scores beside people's."),
        "export": ("duologue.cli.campaign_results:export", "Write the ratings as a file that `ratings score` reads."),
        "results": ("duologue.cli.campaign_results:results", "Rank the systems by the challenge's own rule."),
    },
    "Before": {
        "plan": ("duologue.cli.ratings:plan", "Tell how many raters and items a difference takes."),
        "protocols": ("duologue.cli.campaign:list_protocols", "Show the protocols, and what of them is published."),
    },
}


@click.group(cls=LazyGroup, sections=_COMMANDS, prefix="campaign.")
def campaign() -> None:
    """Let people rate systems by a protocol: blind, balanced, with links for volunteers; then rank the systems.

    \b
    Examples:
      duologue campaign protocols
      duologue campaign start spoken --systems a=A.json --systems b=B.json --input T.json --n 50
      duologue campaign link CAMPAIGN --n 5
      duologue campaign results CAMPAIGN
    """


@click.command()
@click.argument("word", metavar="[CAMPAIGN]", default="")
@options.workspace_option
@options.database_option
@options.json_option
def status(*, word: str, workspace: Path, address: str | None, as_json: bool) -> None:
    """Show all campaigns; of one CAMPAIGN (its id, or how that begins) progress, norming and each volunteer.

    \b
    Examples:
      duologue campaign status
      duologue campaign status 3f2a
    """
    from duologue.arena.campaigns.campaign import all_campaigns, find_campaign, status_of
    from duologue.arena.campaigns.norm_round import all_rounds
    from duologue.arena.campaigns.volunteers import quality_of
    from duologue.arena.storage import open_database

    with open_database(workspace, address) as database, database.reading() as connection:
        found = [find_campaign(connection, word)] if word else all_campaigns(connection)
        told = [
            {
                "id": one.id,
                "title": one.title,
                "protocol": one.protocol.name,
                "status": one.status,
                "systems": list(one.systems),
                **status_of(connection, one)._asdict(),
            }
            for one in found
        ]
        quality = quality_of(connection, found[0]) if word else ()
        rounds = all_rounds(connection, found[0]) if word else ()
    if as_json:
        more = {"volunteers_each": [{**one._asdict(), "careless": one.careless} for one in quality]} if word else {}
        console.as_json([{**one, **more} for one in told])
        return
    if not told:
        console.line("There is no campaign yet; `duologue campaign start` begins one.")
    for one, kept in zip(found, told, strict=True):
        console.line(f"{one.id}  {one.title}: {one.protocol.name}, {one.status}", bold=True)
        console.line(f"  {kept['rated']:,} of {kept['wanted']:,} ratings, {kept['leased']:,} being made")
        if kept["dialogues"]:
            console.line(f"  {kept['talked']:,} of {kept['dialogues']:,} dialogues finished")
        if word:
            each = ", ".join(f"{name} {count:,}" for name, count in kept["by_system"].items())
            console.line(f"  ratings by system: {each}")
    for norm in rounds:
        console.line(f"  norming round {norm.number}: {norm.state}, {amount(len(norm.units), 'item')}")
    for who in quality:
        seconds = "-" if who.median_seconds is None else f"{who.median_seconds:.0f} s"
        apart = "-" if who.apart is None else f"{who.apart:.2f}"
        left = "; left out of the results: too many attention checks failed" if who.careless else ""
        console.line(
            f"  {who.code}: {who.rated:,} rated, {seconds} each, checks {who.checks_passed}/{who.checks}, "
            f"from the others {apart}{left}"
        )


@click.command()
@click.argument("word", metavar="CAMPAIGN")
@click.option("--n", type=options.CountNumber(min=1), default=None, help="Open a round with so many items.")
@click.option("--next", "goes_on", is_flag=True, help="Bring the round on: discuss, vote again, close.")
@options.workspace_option
@options.database_option
def norm(*, word: str, n: int | None, goes_on: bool, workspace: Path, address: str | None) -> None:
    """Open a norming round of CAMPAIGN, or bring it on: blind vote, votes shown and discussed, second vote.

    Its items are taken out of those that are rated otherwise. `results` tells the agreement before and after.

    \b
    Examples:
      duologue campaign norm 3f2a --n 5
      duologue campaign norm 3f2a --next
    """
    from duologue.arena.campaigns.campaign import find_campaign
    from duologue.arena.campaigns.norm_round import NormRound, advance, current_round, open_round
    from duologue.arena.storage import open_database

    if (n is None) == (not goes_on):
        raise UsageError("give --n to open a round, or --next to bring the open one on")
    with open_database(workspace, address) as database:
        with database.reading() as connection:
            found = find_campaign(connection, word)
            there = current_round(connection, found)
        if n is not None:
            asked = n
            done: NormRound = database.write(lambda c: open_round(c, found, asked, database.now()))
        elif there is None:
            raise UsageError("no norming round is open; open one with --n")
        else:
            going = there
            done = database.write(lambda c: advance(c, going, database.now()))
    console.line(f"Norming round {done.number} of {found.title}: {done.state}, {amount(len(done.units), 'item')}.")


@click.command()
@click.argument("word", metavar="CAMPAIGN")
@click.option("--again", is_flag=True, help="Let a closed campaign take ratings again.")
@options.workspace_option
@options.database_option
def close(*, word: str, again: bool, workspace: Path, address: str | None) -> None:
    """End CAMPAIGN: nobody can rate or correct any more. Of one that rates a track's final, the board gets the ranks.

    \b
    Examples:
      duologue campaign close 3f2a
      duologue campaign close 3f2a --again
    """
    from duologue.arena.campaigns.campaign import find_campaign, reopen_campaign
    from duologue.arena.finals.final_results import end_campaign
    from duologue.arena.storage import open_blobs, open_database

    kept = 0
    with open_database(workspace, address) as database:
        with database.reading() as connection:
            found = find_campaign(connection, word)
        if again:
            database.write(lambda c: reopen_campaign(c, found, database.now()))
        else:
            kept = end_campaign(database, open_blobs(workspace), found, by=None)
    console.line(f"{found.title} is {'open' if again else 'closed'}.")
    if kept:
        console.line(
            f"What people said of {amount(kept, 'team')} stands on the board: "
            f"duologue track board {found.settings.track}"
        )


@click.command(name="protocols")
@options.json_option
def list_protocols(*, as_json: bool) -> None:
    """Show the campaign protocols: who rates what, by which criteria and rule, and what of it is published.

    \b
    Examples:
      duologue campaign protocols
      duologue campaign protocols --json
    """
    import msgspec

    from duologue.arena.campaigns.campaign_protocol import campaign_protocols

    known = campaign_protocols()
    if as_json:
        console.as_json([msgspec.to_builtins(one) for one in known.values()])
        return
    for one in known.values():
        console.line(f"{one.name}: {one.task or 'any task'}", bold=True)
        console.line(f"  rated: each {one.unit}{', after a talk with the system' if one.live else ''}")
        if one.ratings:
            console.line(f"  criteria and rule: `duologue ratings protocols`, {one.ratings}")
        console.line(f"  raters of each item: {one.per_item}; onboarding items: {len(one.onboarding)}")
        console.line(f"  source: {one.source}", dim=True)
