"""`duologue campaign results`, `judge` and `export`: what came of a campaign."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click

from duologue.core.amounts import amount
from duologue.core.disk import write_text
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("word", metavar="CAMPAIGN")
@click.option("--judge", type=options.PATH, default=None, help="A judge's scores of the same and more answers: PPI++.")
@click.option("--automatic", type=options.PATH, default=None, help="A table system,score for the final rank.")
@click.option("--out", type=options.OUT_PAGE, default=None, help="Write this HTML page, in English and Chinese.")
@options.workspace_option
@options.database_option
@options.json_option
def results(
    *,
    word: str,
    judge: Path | None,
    automatic: Path | None,
    out: Path | None,
    workspace: Path,
    address: str | None,
    as_json: bool,
) -> None:
    """Rank the systems of CAMPAIGN by the challenge's own rule: intervals, tests, agreement, quality of the raters.

    Whoever fails more than half of the attention checks is left out, and told. With --judge, or with scores that
    `duologue campaign judge` keeps, PPI++ joins a judge's scores with people's.

    \b
    Examples:
      duologue campaign results 3f2a
      duologue campaign results 3f2a --judge judge.csv --automatic scores.csv --out results.html
    """
    from duologue.arena.campaigns.campaign import find_campaign
    from duologue.arena.campaigns.campaign_results import results_of
    from duologue.arena.campaigns.kept_judge import judge_of, of_campaign
    from duologue.arena.campaigns.result_lines import result_lines
    from duologue.arena.campaigns.result_page import result_page, results_to_json
    from duologue.arena.storage import open_blobs, open_database
    from duologue.ratings.files import read_ratings, read_system_scores
    from duologue.report.ratings import render_ratings

    with open_database(workspace, address) as database, database.reading() as connection:
        found = find_campaign(connection, word)
        machine = (
            of_campaign(read_ratings(judge, found.rating, judge=True), judge.name, found)
            if judge is not None
            else judge_of(open_blobs(workspace), found)
        )
        scores = read_system_scores(automatic) if automatic is not None else None
        told = results_of(connection, found, judge=machine, automatic=scores)
    if out is not None:
        write_text(out, result_page(found, told, commands=[shlex.join(["duologue", *sys.argv[1:]])]))
    if as_json:
        console.as_json(results_to_json(told))
        return
    console.show(render_ratings(told.summary))
    for line in result_lines(told):
        console.line(line)


@click.command()
@click.argument("word", metavar="CAMPAIGN")
@click.argument("file", type=options.PATH, metavar="SCORES")
@options.workspace_option
@options.database_option
def judge(*, word: str, file: Path, workspace: Path, address: str | None) -> None:
    """Keep a judge's SCORES with CAMPAIGN, in place of former ones: its results have them beside people's (PPI++).

    The file is one that `duologue judge` writes, with the campaign's systems by their names; of a campaign that rates
    a track's final, the board has a column for the judge.

    \b
    Examples:
      duologue campaign judge 3f2a judge.csv
      duologue campaign results 3f2a
    """
    from duologue.arena.campaigns.campaign import find_campaign
    from duologue.arena.campaigns.kept_judge import keep_judge
    from duologue.arena.storage import open_blobs, open_database
    from duologue.core.disk import read_bytes

    data = read_bytes(file)
    with open_database(workspace, address) as database:
        with database.reading() as connection:
            found = find_campaign(connection, word)
        blobs = open_blobs(workspace)
        kept = keep_judge(database, blobs, found, file.name, data)
    console.line(f"{amount(kept, 'score')} of a judge are kept with {found.title}")


@click.command()
@click.argument("word", metavar="CAMPAIGN")
@click.option("--out", type=options.OUT_FILE, required=True, help="The ratings: .csv, .tsv or .jsonl.")
@options.force_option
@click.option("--everybody", is_flag=True, help="With the ratings of those who failed the attention checks.")
@options.workspace_option
@options.database_option
def export(*, word: str, out: Path, everybody: bool, workspace: Path, address: str | None) -> None:
    """Write the ratings of CAMPAIGN as a file that `duologue ratings score` reads; raters stand there by codes.

    Whoever fails more than half of the attention checks is left out, and told, as in the results.

    \b
    Examples:
      duologue campaign export 3f2a --out ratings.csv
      duologue ratings score ratings.csv --protocol spoken
    """
    from duologue.arena.campaigns.campaign import find_campaign
    from duologue.arena.campaigns.campaign_results import ratings_of
    from duologue.arena.campaigns.volunteers import careless_people
    from duologue.arena.storage import open_database
    from duologue.ratings.rows import ratings_text

    with open_database(workspace, address) as database, database.reading() as connection:
        found = find_campaign(connection, word)
        ratings = ratings_of(connection, found, everybody=everybody)
        left_out = () if everybody else sorted(careless_people(connection, found))
    write_text(out, ratings_text(ratings, out))
    console.line(
        f"{amount(len(ratings), 'rating')} in {out}; duologue ratings score {out} --protocol {found.rating.name}"
    )
    if left_out:
        console.line(f"left out, since they failed attention checks: {', '.join(left_out)} (--everybody: with theirs)")
