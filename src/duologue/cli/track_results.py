"""`duologue track phase`, `board`, `report` and `export`: who comes in, and who stands where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.cli.track import opened
from duologue.core.amounts import amount
from duologue.core.errors import UsageError
from duologue.core.locks import writing_folder
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.competition.track_board import BoardColumn, TrackBoard
    from duologue.arena.competition.track_file import TrackDefinition
    from duologue.arena.database.database import Database

track_argument = click.argument("name", metavar="TRACK")
phase_argument = click.argument("phase_name", metavar="PHASE")


@click.command()
@track_argument
@phase_argument
@click.option("--fill", is_flag=True, help="Let the first of the phase before come in now, before it is over.")
@click.option("--select", "chosen", multiple=True, metavar="TEAM", help="Select this finalist; may be repeated.")
@click.option("--select-best", is_flag=True, help="Select those whom people rated best, as many as the track says.")
@options.workspace_option
@options.database_option
def phase(
    *, name: str, phase_name: str, fill: bool, chosen: tuple[str, ...], select_best: bool, workspace: Path,
    address: str | None,
) -> None:  # fmt: skip
    """Show who is in PHASE of TRACK; fill it early; select finalists.

    A phase is filled by itself when the one before is over. Teams with the very score of the last one that comes in
    come in too.

    \b
    Examples:
      duologue track phase booking final
      duologue track phase booking final --fill
      duologue track phase booking final --select-best
    """
    if chosen and select_best:
        raise UsageError("finalists are selected by name or by people's ratings; leave one of the two out")
    with opened(workspace, address) as (found, _):
        from duologue.arena.competition.tracks import find_track

        with found.reading() as connection:
            track = find_track(connection, name)
        if fill:
            _fill(found, track, phase_name)
        if chosen or select_best:
            _select(found, track, phase_name, chosen)
        _print_phase(found, track, phase_name)


def _fill(database: Database, track: TrackDefinition, phase_name: str) -> None:
    from duologue.arena.competition.phases import advance

    if not track.phase(phase_name).takes_entries:
        raise UsageError(f"no entries move into the phase '{phase_name}': teams hand in there")
    filled = database.write(lambda connection: advance(connection, track, database.now(), early=phase_name))
    if phase_name not in filled:
        raise UsageError(f"'{phase_name}' is filled already, or entries of the phase before are not ended")


def _select(database: Database, track: TrackDefinition, phase_name: str, chosen: tuple[str, ...]) -> None:
    """Select finalists by name, or where none is named those whom people rated best."""
    from duologue.arena.competition.phases import proposed, select_finalists
    from duologue.arena.competition.teams import find_team

    one = track.phase(phase_name)
    if one.kind != "human":
        raise UsageError(f"the phase '{phase_name}' is not rated by people; nobody is selected there")
    with database.reading() as connection:
        picked = [find_team(connection, track.name, word).id for word in chosen] or proposed(connection, track, one)
    if not picked:
        raise UsageError("people have rated no finalist yet; see duologue track ratings")
    now = database.now()
    database.write(lambda connection: select_finalists(connection, track, one, picked, now=now, by=None))


def _print_phase(database: Database, track: TrackDefinition, phase_name: str) -> None:
    from duologue.arena.competition.entries import entries_of
    from duologue.arena.competition.phases import finalists_of
    from duologue.arena.competition.teams import teams_of

    track.phase(phase_name)
    with database.reading() as connection:
        names = {team.id: team.name for team in teams_of(connection, track.name)}
        inside = finalists_of(connection, track.name, phase_name)
        entered = entries_of(connection, track.name, phase=phase_name)
    for finalist in inside:
        console.line(f"{finalist.place}. {finalist.name}{', selected' if finalist.selected else ''}")
    for entry in entered:
        console.line(f"{names[entry.team]}: {entry.name}, {entry.state}")
    if not inside and not entered:
        console.line(f"nobody is in the phase '{phase_name}' yet")


_public_option = click.option("--public", is_flag=True, help="Only what everybody may see now.")


@click.command()
@track_argument
@_public_option
@options.workspace_option
@options.database_option
@options.json_option
def board(*, name: str, public: bool, workspace: Path, address: str | None, as_json: bool) -> None:
    """Print the board of TRACK: the phases, with intervals, tiers and the ranks that the tests leave open.

    \b
    Examples:
      duologue track board booking
      duologue track board booking --public --json
    """
    with opened(workspace, address) as (found, _):
        from duologue.arena.competition.entry_view import board_to_json
        from duologue.arena.competition.track_board import Viewer, board_for
        from duologue.arena.competition.tracks import find_track

        with found.reading() as connection:
            track = find_track(connection, name)
            made = board_for(connection, track, Viewer(organiser=not public), found.now())
    if as_json:
        console.as_json(board_to_json(made))
        return
    for column in made.columns:
        _print_column(made, column)


def _print_column(board: TrackBoard, column: BoardColumn) -> None:
    from duologue.arena.competition.score_shapes import ranking_score
    from duologue.report.numbers import figure, interval, points

    console.line(f"{column.phase.title or column.phase.name} ({column.time})", bold=True)
    names = dict(board.teams)
    for finalist in column.finalists.values():
        rating = column.ratings.get(("human", finalist.team))
        said = f", people {rating.value:.3f} (place {rating.rank_best})" if rating else ""
        judged = column.ratings.get(("judge", finalist.team))
        said += f", judge {judged.value:.3f} (place {judged.rank_best})" if judged else ""
        console.line(f"  {finalist.place}. {finalist.name}{said}{', selected' if finalist.selected else ''}")
    rank_by = column.board["rank_by"] if column.board else ""
    for team, cell in column.cells.items():
        score = ranking_score(cell.scores, rank_by)
        low, high = cell.ranks or (0, 0)
        ranks = str(low) if low == high else f"{low}-{high}"
        tier = "" if cell.tier is None else f", tier {cell.tier}"
        shown = figure(score["value"], score["percent"])
        between = interval(score["low"], score["high"], of_one=score["percent"])
        console.line(f"  {ranks}. {names.get(team, team)}: {score['name']} {shown} ({between}){tier}")
    if column.board and column.board["detectable"] is not None:
        console.line(f"  could be detected: {points(column.board['detectable'], column.percent).lstrip('+')}")
    if column.stale:
        console.line("  what counts has changed since; the board is being computed (duologue track work)")
    if not column.cells and not column.finalists:
        console.line("  nothing yet" if column.shown else "  scores are not shown now")


@click.command()
@click.argument("entry_id", metavar="ENTRY")
@click.option("--out", type=options.OUT_FILE, required=True, help="The report: NAME.report.json.")
@options.force_option
@options.workspace_option
@options.database_option
def report(*, entry_id: str, out: Path, workspace: Path, address: str | None) -> None:
    """Write the full report of ENTRY (`duologue track show` lists ids), from which `duologue verify` scores anew.

    It says which items were right: on the site, teams get it when the phase is over.

    \b
    Example:
      duologue track report 3f2a... --out team-a.report.json
    """
    from duologue.core.disk import write_bytes

    with opened(workspace, address) as (found, blobs):
        from duologue.arena.competition.entries import find_entry
        from duologue.arena.competition.entry_report import report_of

        with found.reading() as connection:
            entry = find_entry(connection, entry_id)
        write_bytes(out, report_of(blobs, entry))
    console.line(f"{out}; duologue verify {out} --in FOLDER scores anew")


@click.command()
@track_argument
@click.option("--out", type=options.OUT_FOLDER, required=True, help="Folder for the pages.")
@_public_option
@options.workspace_option
@options.database_option
def export(*, name: str, out: Path, public: bool, workspace: Path, address: str | None) -> None:
    """Write the board of TRACK as pages that open from the disk, in English and Chinese, and as JSON.

    Pages that were exported there before are replaced; a folder where one of these names is another file is refused.

    \b
    Example:
      duologue track export booking --public --out board
    """
    with opened(workspace, address) as (found, blobs):
        from duologue.arena.competition.static_board import export_board
        from duologue.arena.competition.track_board import Viewer
        from duologue.arena.competition.tracks import find_track

        with found.reading() as connection:
            track = find_track(connection, name)
        with writing_folder(out):
            written = export_board(found, blobs, track, Viewer(organiser=not public), out)
    console.line(f"{amount(len(written), 'file')} in {out}; open {out / 'index.html'}")
