"""`duologue convert`: one official form of a task's data made from another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.capabilities import lacking_capability
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.plugins import load_task
from duologue.core.protocols import Convertible
from duologue.run.evaluate import choices_in
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@options.task_argument
@click.option("--from", "source", required=True, metavar="FORM", help="The form of IN.")
@click.option("--to", "target", required=True, metavar="FORM", help="The form of OUT.")
@click.argument("path", type=options.PATH, metavar="IN")
@click.argument("out", type=options.OUT_FILE, metavar="OUT")
@click.option(
    "--option",
    "chosen",
    type=options.ASSIGNMENT,
    multiple=True,
    metavar="NAME=VALUE",
    help="A choice of the conversion; may be repeated.",
)
def convert(*, task: str, source: str, target: str, path: Path, out: Path, chosen: tuple[str, ...]) -> None:
    """Turn a data file of TASK from one official form into another, as the official tools do.

    proactive: session, sample, model-text, topics; matcher-text (from samples with candidates) and its
    dictionary; generated, whose slots become names again in replies. mobilecs: raw, track2. IN may be packed, an
    OUT that ends in .gz is. All files written are listed.

    \b
    Examples:
      duologue convert proactive --from session --to sample dev.txt samples.txt
      duologue convert proactive --from sample --to model-text --option generalise=no samples.txt model.txt
      duologue convert proactive --from generated --to replies --option topics=topics.txt out.txt replies.txt
      duologue convert mobilecs/dialogue --from raw --to track2 dialogs.json processed.json
      duologue convert mobilecs/dialogue --from raw --to track2 --option variant=strict dialogs.json processed.json
    """
    loaded = load_task(task)
    if not isinstance(loaded, Convertible):
        raise lacking_capability(task, "Convertible")
    for form in (source, target):
        if form not in loaded.forms:
            raise UsageError(f"task '{task}' has no form '{form}'{did_you_mean(form, loaded.forms)}")
    choices = choices_in(chosen, loaded.choices, f"converting {task}")
    for written in loaded.convert(source, target, path, out, choices):
        console.line(str(written))
