"""`duologue track campaign` and `ratings`: people rate the finalists, and the board says what they said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.cli.campaign_start import invitations, show_links
from duologue.cli.track import opened
from duologue.cli.track_results import phase_argument, track_argument
from duologue.core.amounts import amount
from duologue.core.disk import temporary_folder
from duologue.core.errors import UsageError
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.arena.competition.track_file import TrackDefinition
    from duologue.arena.database.blobs import Blobs
    from duologue.arena.database.database import Database


@click.command()
@track_argument
@phase_argument
@options.count_option("--n", "Items, drawn by the seed.")
@options.count_option("--per-item", "Raters of each item.  [default: the protocol's]")
@click.option(
    "--systems", multiple=True, metavar="TEAM=SYSTEM", help="People talk: what talks with a team's bot start with."
)
@click.option("--link", "word", default=None, metavar="CAMPAIGN", help="Let this campaign rate the final.")
@click.option(
    "--volunteers", type=options.WholeNumber(0, 1000), default=0, help="Invite so many at once: a link for each."
)
@options.site_url_option
@options.seed_option
@options.workspace_option
@options.database_option
@options.json_option
def campaign(
    *, name: str, phase_name: str, n: int | None, per_item: int | None, systems: tuple[str, ...], word: str | None,
    volunteers: int, url: str, seed: int, workspace: Path, address: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Let people rate the finalists in PHASE of TRACK: start its campaign over their entries, or link one.

    Systems are the entries that brought the teams into the final, on items of their test set; with --systems, people
    talk with the teams' bots (a registered name, a model folder, an endpoint). When the campaign is closed, its ranks
    stand on the board; `duologue track ratings` puts them there before that.

    \b
    Examples:
      duologue track campaign booking final --n 30 --volunteers 5
      duologue track campaign booking final --n 30 --systems A=http://localhost:8001/v1,B=solver
      duologue track campaign booking final --link 3f2a
    """
    if (n is None) == (word is None):
        raise UsageError("give --n to start a campaign, or --link with one that there is")
    if word is not None:
        options.refuse("a campaign that is linked has its items, raters and systems", "per_item", "systems", "seed")
    with opened(workspace, address) as (found, blobs):
        from duologue.arena.campaigns.campaign import find_campaign, status_of
        from duologue.arena.competition.tracks import find_track
        from duologue.arena.finals.final_campaign import link_campaign

        with found.reading() as connection:
            track = find_track(connection, name)
            linked = find_campaign(connection, word) if word is not None else None
        if linked is not None:
            old, phase = linked, track.phase(phase_name)
            found.write(lambda connection: link_campaign(connection, old, track, phase, now=found.now()))
        campaign_id = linked.id if linked else _start(found, blobs, track, phase_name, n or 1, per_item, systems, seed)
        with found.reading() as connection:
            made = find_campaign(connection, campaign_id)
            status = status_of(connection, made)
        links = invitations(found, made, volunteers, url, 60)
    if as_json:
        console.as_json({"id": made.id, "title": made.title, **status._asdict(), "links": links})
        return
    console.line(
        f"Campaign {made.id} rates '{phase_name}' of track '{name}': {amount(status.wanted, 'rating')}", bold=True
    )
    if links:
        show_links(links)
    else:
        console.line(f"Next: duologue campaign link {made.id} --n 3")


def _start(
    database: Database, blobs: Blobs, track: TrackDefinition, phase_name: str, n: int, per_item: int | None,
    systems: Sequence[str], seed: int,
) -> str:  # fmt: skip
    from duologue.arena.campaigns.proposal import GivenSystem
    from duologue.arena.finals.final_campaign import propose_final

    words = [one.strip() for word in systems for one in word.split(",") if one.strip()]
    given = [GivenSystem.of(one) for one in words]
    live = {one.name: one.source for one in given} or None
    if len(given) > len(live or ()):
        raise UsageError("--systems gives a team twice; give each TEAM=SYSTEM once")
    with temporary_folder() as folder, database.reading() as connection:
        proposal = propose_final(
            connection,
            blobs,
            track,
            track.phase(phase_name),
            folder,
            n=n,
            per_item=per_item,
            seed=seed,
            live=live,
        )
    return proposal.start(database)


@click.command()
@track_argument
@phase_argument
@click.argument("file", type=options.PATH, metavar="[RATINGS]", required=False)
@click.option("--protocol", "word", default=None, help="The protocol, where the phase does not name it.")
@click.option("--judge", is_flag=True, help="The ratings are a judge's, not people's.")
@options.workspace_option
@options.database_option
def ratings(
    *, name: str, phase_name: str, file: Path | None, word: str | None, judge: bool, workspace: Path,
    address: str | None,
) -> None:  # fmt: skip
    """Take ratings of the teams in PHASE of TRACK onto the board: what its campaign says, or a file of RATINGS.

    A file is one that `duologue ratings score` reads; systems in it are called as the teams. Ratings replace former
    ones of the same kind. A judge's scores that are kept with the campaign are taken too.

    \b
    Examples:
      duologue track ratings booking final
      duologue track ratings booking final people.csv
      duologue track ratings booking final judge.csv --judge --protocol proactive
    """
    if file is None and (judge or word):
        raise UsageError("--judge and --protocol go with a file of RATINGS")
    with opened(workspace, address) as (found, blobs):
        from duologue.arena.competition.tracks import find_track

        with found.reading() as connection:
            track = find_track(connection, name)
        if file is None:
            kept = _take(found, blobs, track, phase_name)
        else:
            kept = _read(found, track, phase_name, file, word, judge=judge)
    console.line(f"{kept} team{'s' * (kept != 1)} rated in '{phase_name}' by {'a judge' if judge else 'people'}")


def _take(database: Database, blobs: Blobs, track: TrackDefinition, phase_name: str) -> int:
    from duologue.arena.finals.final_campaign import campaigns_of
    from duologue.arena.finals.final_results import take_results

    with database.reading() as connection:
        known = campaigns_of(connection, track.name, track.phase(phase_name).name)
    if not known:
        raise UsageError(f"no campaign rates '{phase_name}'; give a file, or see duologue track campaign")
    return take_results(database, blobs, known[0], by=None)


def _read(
    database: Database, track: TrackDefinition, phase_name: str, file: Path, word: str | None, *, judge: bool
) -> int:
    from duologue.arena.competition.ratings import keep_ratings
    from duologue.ratings.files import read_ratings
    from duologue.ratings.protocol import find_protocol
    from duologue.ratings.summary import summarise

    phase = track.phase(phase_name)
    if not (word or phase.protocol):
        raise UsageError(f"the phase '{phase_name}' names no protocol; say which with --protocol")
    protocol = find_protocol(word or phase.protocol)
    summary = summarise(read_ratings(file, protocol, judge=judge), protocol)
    return database.write(
        lambda connection: keep_ratings(
            connection, track, phase, "judge" if judge else "human", summary, database.now()
        )
    )
