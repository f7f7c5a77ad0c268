"""`duologue report`: saved scores as one page."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click

from duologue.report import find_error_examples, write_page
from duologue.run.context import context_of
from duologue.run.saved import formulas_of, read_report
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Report
    from duologue.report import ErrorExamples


@click.command()
@click.argument("reports", type=options.PATH, nargs=-1, required=True, metavar="FILE.report.json...")
@click.option("--out", type=options.OUT_PAGE, required=True, help="The HTML page to write.")
@click.option("--title", default="Duologue", show_default=True, help="Heading of the page.")
@click.option(
    "--in", "folders", type=options.PATH, multiple=True, help="Where the scored files are looked for; may be repeated."
)
@click.option("--most", type=click.IntRange(min=0), default=5, show_default=True, help="Best and worst items to show.")
def report(*, reports: tuple[Path, ...], out: Path, title: str, folders: tuple[Path, ...], most: int) -> None:
    """Join reports that `duologue score --out` saved into one HTML page.

    The page opens without a network, in English and Chinese: scores with intervals, scores per answer type,
    paired tests between systems, distributions, signatures, and what data each system saw. Where the scored files
    are still there and unchanged (beside the report, below --in FOLDER or the current folder), the best and the worst
    items are shown with their context.

    \b
    Example:
      duologue report a.report.json b.report.json --out report.html
    """
    command = "duologue " + shlex.join(sys.argv[1:])
    found = [read_report(path) for path in reports]
    cases = {number: _showcase(*pair, folders, most) for number, pair in enumerate(zip(found, reports, strict=True))}
    write_page(out, found, title=title, commands=[command], formulas=formulas_of, showcases=cases)
    console.line(f"{len(reports)} report{'s' * (len(reports) > 1)} in {out}")


def _showcase(report: Report, path: Path, folders: tuple[Path, ...], most: int) -> ErrorExamples:
    """Return the best and worst items of a saved report; none, with a word about it, where its files cannot be read."""
    if not most:
        return find_error_examples(report, (), (), {})
    context = context_of(report, path, folders)
    if context.missing:
        console.line(f"{path}: no items are shown: {context.missing}", err=True)
    return find_error_examples(report, formulas_of(report), context.examples, context.answers, most=most)
