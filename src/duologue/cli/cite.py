"""`duologue cite`: whom to cite for a task and its data, in plain text or BibTeX."""

from __future__ import annotations

import click
import msgspec

from duologue.core.citations import DUOLOGUE
from duologue.run.fetch import citations_of, data_sets_of
from duologue.terminal import console, options


@click.command()
@click.argument("task", required=False, metavar="[TASK]")
@click.option("--only", multiple=True, metavar="NAME", help="For this data set alone; may be repeated.")
@click.option("--bibtex", is_flag=True, help="Print BibTeX alone.")
@click.option("--plain", is_flag=True, help="Print plain text alone.")
@options.json_option
def cite(*, task: str | None, only: tuple[str, ...], bibtex: bool, plain: bool, as_json: bool) -> None:
    """Print what to cite for a TASK or challenge and its data sets, and for Duologue: plain text, then BibTeX.

    Without a TASK: Duologue alone. `duologue data fetch` names the data sets, and what to cite for each.

    \b
    Examples:
      duologue cite proactive
      duologue cite spoken --only kdconv --bibtex >> paper.bib
    """
    if task is None and only:
        raise click.UsageError("--only names data sets of a task; name the task")
    if bibtex and plain:
        raise click.UsageError("--bibtex and --plain: give one of the two, or none for both")
    found = [*(citations_of(data_sets_of(task, only)) if task is not None else ()), DUOLOGUE]
    if as_json:
        console.as_json([{**msgspec.to_builtins(one), "plain": one.plain(), "bibtex": one.bibtex()} for one in found])
        return
    for one in found if not bibtex else ():
        console.line(one.plain())
    for number, one in enumerate(found if not plain else ()):
        if number or not bibtex:
            console.line("")
        console.block(one.bibtex())
