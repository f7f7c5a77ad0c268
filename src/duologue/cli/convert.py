"""`duologue data convert`: one official form of a task's data made from another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.capabilities import lacking_capability
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.optional_protocols import Convertible
from duologue.core.plugins import load_task
from duologue.run.evaluate import choices_in
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@options.task_argument
@click.argument("path", type=options.PATH, metavar="FILE")
@click.option("--from", "source", required=True, metavar="FORM", help="The form of FILE.")
@click.option("--to", "target", required=True, metavar="FORM", help="The form to be written.")
@click.option("--out", type=options.OUT_FILE, required=True, help="The file to write.")
@options.force_option
@click.option(
    "--option",
    "chosen",
    type=options.ASSIGNMENT,
    multiple=True,
    metavar="NAME=VALUE",
    help="A choice of the conversion; may be repeated.",
)
def convert(*, task: str, path: Path, source: str, target: str, out: Path, chosen: tuple[str, ...]) -> None:
    """Turn a data FILE of TASK from one official form into another, as the official tools do.

    proactive: session, sample, model-text, topics; matcher-text (from samples with candidates) and its
    dictionary; generated, whose slots become names again in replies; duconv, the folder of that corpus. mobilecs: raw,
    track2. spoken: dialogues, samples, gold; graph, sqlite; kdconv, the folder of that corpus. FILE may be packed; what
    is written is where its name ends in .gz. All files written are listed.

    \b
    Examples:
      duologue data convert proactive dev.txt --from session --to sample --out samples.txt
      duologue data convert proactive samples.txt --from sample --to model-text --option generalise=no --out model.txt
      duologue data convert proactive out.txt --from generated --to replies --option topics=topics.txt --out replies.txt
      duologue data convert mobilecs/dialogue dialogs.json --from raw --to track2 --out processed.json
      duologue data convert proactive duconv --from duconv --to session --option split=dev --out dev.txt
      duologue data convert spoken KdConv --from kdconv --to dialogues --option split=train --out train.json
      duologue data convert spoken KdConv --from kdconv --to graph --out kg.json
      duologue data convert spoken kg.json.gz --from graph --to sqlite --out kg.sqlite
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
