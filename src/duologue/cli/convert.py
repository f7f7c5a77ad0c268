"""`duologue convert`: one official form of a task's data made from another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.cli import options
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.plugins import load_task
from duologue.core.protocols import Convertible

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@options.task_argument
@click.option("--from", "source", required=True, metavar="FORM", help="The form of IN.")
@click.option("--to", "target", required=True, metavar="FORM", help="The form of OUT.")
@click.argument("path", type=options.PATH, metavar="IN")
@click.argument("out", type=options.PATH, metavar="OUT")
def convert(*, task: str, source: str, target: str, path: Path, out: Path) -> None:
    """Turn a data file of TASK from one official form into another, as the official tools do.

    Where one form is made of several files, OUT names the first or the folder; all written files are listed.

    \b
    Examples:
      duologue convert proactive --from session --to sample dev.txt samples.txt
      duologue convert mobilecs/dialogue --from raw --to track2 dialogs.json processed.json
    """
    loaded = load_task(task)
    if not isinstance(loaded, Convertible):
        raise UsageError(f"the data of task '{task}' has one form only; there is nothing to convert")
    for form in (source, target):
        if form not in loaded.forms:
            raise UsageError(f"task '{task}' has no form '{form}'{did_you_mean(form, loaded.forms)}")
    for written in loaded.convert(source, target, path, out):
        click.echo(written)
