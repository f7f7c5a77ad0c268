"""`duologue track`: a competition as data: phases, teams, entries, the final, the board."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from duologue.cli.lazy_group import LazyGroup
from duologue.cli.site import site_database
from duologue.core.amounts import amount
from duologue.core.errors import UsageError
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from duologue.arena.competition.entries import TrackEntry
    from duologue.arena.competition.teams import Team
    from duologue.arena.competition.track_file import TrackDefinition
    from duologue.arena.database.blobs import Blobs
    from duologue.arena.database.database import Database

_COMMANDS = {
    "The track": {
        "new": ("duologue.cli.track:new", "Make a track from a TOML file, or change one."),
        "list": ("duologue.cli.track:list_tracks", "Show all tracks."),
        "show": ("duologue.cli.track:show", "Show a track with its phases, teams and entries."),
        "team": ("duologue.cli.track:team", "Register a team, approve it or refuse it."),
        "work": ("duologue.cli.track:work", "Score what teams hand in, beside or instead of the site."),
    },
    "The ranking": {
        "phase": (
            "duologue.cli.track_results:phase",
            "Show who is in a phase; fill it; select finalists.",
        ),
        "campaign": (
            "duologue.cli.track_final:campaign",
            "Let people rate the finalists: start a campaign, or link one.",
        ),
        "ratings": ("duologue.cli.track_final:ratings", "Take what people or a judge said of the finalists."),
        "board": ("duologue.cli.track_results:board", "Print the board."),
        "report": ("duologue.cli.track_results:report", "Write the full report of an entry, for `duologue verify`."),
        "export": ("duologue.cli.track_results:export", "Write the board as pages that open from the disk."),
    },
}


@click.group(cls=LazyGroup, sections=_COMMANDS, prefix="track.")
def track() -> None:
    """Run a competition: a track is a TOML file with phases, test sets, dates, quotas and rules.

    \b
    Examples:
      duologue track new booking/track.toml
      duologue track team booking "Team A" --agree
      duologue submit result.json --track booking --team "Team A"
      duologue track work --once
      duologue track board booking
    """


@contextmanager
def opened(workspace: Path, address: str | None) -> Iterator[tuple[Database, Blobs]]:
    """Open the database of a workspace and the files beside it."""
    with site_database(workspace, address) as found:
        from duologue.arena.storage import open_blobs

        yield found, open_blobs(workspace)


@click.command()
@click.argument("file", type=options.PATH, metavar="TRACK.toml")
@click.option("--change", is_flag=True, help="Change the track of that name: dates, rules, phases to come.")
@options.workspace_option
@options.database_option
def new(*, file: Path, change: bool, workspace: Path, address: str | None) -> None:
    """Make the track that TRACK.toml says; truth, data and knowledge base are taken from its folder and kept.

    What entries have been scored with (task, variant, truth) can no more be changed.

    \b
    Examples:
      duologue track new booking/track.toml
      duologue track new booking/track.toml --change
    """
    with opened(workspace, address) as (found, blobs):
        from duologue.arena.competition.tracks import read_source, save_track

        source = read_source(file)
        found.write(lambda connection: save_track(connection, blobs, source, found.now(), change=change))
    name, phases = source.definition.name, len(source.definition.phases)
    done = "changed" if change else "made"
    console.line(f"track '{name}' is {done}: {amount(phases, 'phase')}, {amount(len(source.files), 'file')} kept")


@click.command(name="list")
@options.workspace_option
@options.database_option
@options.json_option
def list_tracks(*, workspace: Path, address: str | None, as_json: bool) -> None:
    """Show all tracks, the newest first, with the phase that is open.

    \b
    Example:
      duologue track list
    """
    with opened(workspace, address) as (found, _):
        from duologue.arena.competition.entry_view import track_to_json
        from duologue.arena.competition.tracks import find_track, track_names

        with found.reading() as connection:
            tracks = [find_track(connection, name) for name in track_names(connection)]
        told = [track_to_json(one, found.now()) for one in tracks]
    if as_json:
        console.as_json({"tracks": told})
        return
    for one in told:
        now = next(
            (f"{phase['name']} is open" for phase in one["phases"] if phase["time"] == "open"), "nothing is open"
        )
        console.line(f"{one['name']}: {one['title']} ({one['task']}), {now}")
    if not told:
        console.line("there is no track yet; make one with duologue track new TRACK.toml")


@click.command()
@click.argument("name", metavar="TRACK")
@options.workspace_option
@options.database_option
@options.json_option
def show(*, name: str, workspace: Path, address: str | None, as_json: bool) -> None:
    """Show TRACK as its organiser sees it: phases, teams, and all entries with their states and reasons.

    \b
    Example:
      duologue track show booking
    """
    with opened(workspace, address) as (found, _):
        from duologue.arena.competition.entries import entries_of
        from duologue.arena.competition.entry_view import entry_to_json, track_to_json
        from duologue.arena.competition.teams import teams_of
        from duologue.arena.competition.tracks import find_track

        with found.reading() as connection:
            one = find_track(connection, name)
            teams = teams_of(connection, name)
            entries = entries_of(connection, name)
        told = track_to_json(one, found.now())
        names = {team.id: team.name for team in teams}
        if as_json:
            listed = [entry_to_json(entry, organiser=True) | {"team": names[entry.team]} for entry in entries]
            console.as_json({**told, "teams": [team._asdict() for team in teams], "entries": listed})
        else:
            _print_track(one, told, teams, [(names[entry.team], entry) for entry in entries])


def _print_track(
    one: TrackDefinition, told: dict[str, Any], teams: Sequence[Team], entries: Sequence[tuple[str, TrackEntry]]
) -> None:
    """Print what `show` shows; `entries` with their teams' names."""
    console.line(f"{one.title} ({one.task}), dates of {one.zone}", bold=True)
    for phase, state in zip(one.phases, told["phases"], strict=True):
        console.line(f"  {phase.name}: {phase.opens} to {phase.closes}, {state['time']}")
    console.line(f"{len(teams)} team{'s' * (len(teams) != 1)}", bold=True)
    for team in teams:
        declared = ", ".join(team.external) or "no external resources"
        console.line(f"  {team.name}: {team.state}; {declared}")
    console.line(amount(len(entries), "entry"), bold=True)
    for name, entry in entries:
        console.line(f"  {name}: {describe_entry(one, entry)}")
        if entry.details:
            console.line(f"      {entry.details.strip().splitlines()[-1]}")


@click.command()
@click.argument("name", metavar="TRACK")
@click.argument("team_name", metavar="TEAM")
@click.option("--agree", is_flag=True, help="The team has accepted the agreement of the track.")
@click.option("--external", multiple=True, help="An external resource that it uses; may be repeated.")
@click.option("--affiliation", default="", help="Where it comes from.")
@click.option(
    "--member",
    "members",
    multiple=True,
    metavar="PERSON",
    help="A person of the site who acts for it; may be repeated.",
)
@click.option("--approve", is_flag=True, help="Approve a team that has registered.")
@click.option("--refuse", is_flag=True, help="Refuse a team that has registered.")
@options.workspace_option
@options.database_option
def team(
    *, name: str, team_name: str, agree: bool, external: tuple[str, ...], affiliation: str,
    members: tuple[str, ...], approve: bool, refuse: bool, workspace: Path, address: str | None,
) -> None:  # fmt: skip
    """Register TEAM for TRACK; with --approve or --refuse, decide on one that has registered itself.

    With --member people of the site act for it, who see its entries and hand in; a team that there is gets one more.

    \b
    Examples:
      duologue track team booking "Team A" --agree --external "BERT base"
      duologue track team booking "Team A" --approve
      duologue track team booking "Team A" --member 0123456789abcdef
    """
    if approve and refuse:
        raise UsageError("a team is approved or refused; leave one of the two out")
    with opened(workspace, address) as (found, _):
        from duologue.arena.competition.teams import add_member, find_team, judge_team, register, teams_of
        from duologue.arena.competition.tracks import find_track

        with found.reading() as connection:
            one = find_track(connection, name)
            there = members and team_name in {other.name for other in teams_of(connection, name)}
            known = find_team(connection, name, team_name) if approve or refuse or there else None
        if known is not None:
            options.refuse(f"'{team_name}' has registered already", "agree", "external", "affiliation")
        if known is not None and (approve or refuse):
            state, its = "approved" if approve else "refused", known.id
            found.write(lambda connection: judge_team(connection, its, state, now=found.now(), by=None))
            console.line(f"team '{team_name}' is {state}")
        made = known or found.write(
            lambda connection: register(
                connection, one, team_name, found.now(), agreed=agree, external=external, affiliation=affiliation,
                approved=True,
            )
        )  # fmt: skip
        for person in members:
            found.write(partial(add_member, team=made, person_id=person, now=found.now(), by=None))
    if known is None:
        console.line(f"team '{made.name}' may hand in for track '{name}'")
    if members:
        more = "person more acts" if len(members) == 1 else "people more act"
        console.line(f"{len(members)} {more} for team '{made.name}'")


@click.command()
@click.option("--once", is_flag=True, help="End when nothing waits any more.")
@options.workspace_option
@options.database_option
def work(*, once: bool, workspace: Path, address: str | None) -> None:
    """Score what teams have handed in, one after the other, each in a child process with limits.

    The site does this itself; a worker more, on this machine or another with the same files, takes its share.
    Stopped or killed, it loses nothing: what it was scoring goes to the next one.

    \b
    Examples:
      duologue track work --once
      duologue track work --database postgresql://duologue@localhost/duologue
    """
    with opened(workspace, address) as (found, blobs):
        from duologue.arena.competition.track_worker import track_worker

        worker = track_worker(found, blobs)
        if once:
            ended = worker.drain()
            console.line(f"{ended} job{'s' * (ended != 1)} done; nothing waits")
            return
        console.line("waiting for entries (Ctrl-C stops)")
        worker.run(threading.Event())


def describe_entry(track: TrackDefinition, entry: TrackEntry) -> str:
    """Return an entry as one line."""
    from duologue.arena.competition.phase_clock import local
    from duologue.report.numbers import figure

    value = ""
    if entry.value is not None and (ranking := entry.ranking):
        value = f", {ranking['name']} {figure(ranking['value'], ranking['percent'])}"
    when = local(entry.submitted_at, track.zone).strftime("%Y-%m-%d %H:%M")
    reason = f": {entry.reason}" if entry.reason else ""
    chosen = ", chosen" if entry.chosen else ""
    return f"{entry.id} {entry.phase} {when} {entry.name}, {entry.state}{value}{chosen}{reason}"
