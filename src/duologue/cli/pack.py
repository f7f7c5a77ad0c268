"""`duologue pack`: a system as a package whose `run.py`, without arguments, makes the result files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

import click

from duologue.core.amounts import amount
from duologue.core.errors import DuologueError, UsageError
from duologue.core.plugins import load_task
from duologue.run.package import answer_package, pack
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command(name="pack")
@options.task_argument
@options.system_option
@options.kb_option("conversation, mobilecs/dialogue, restaurant, spoken")
@click.option(
    "--input", "inputs", type=options.PATH, multiple=True, help="A data file to put into the package; may be repeated."
)
@click.option(
    "--external",
    multiple=True,
    metavar="NAME",
    help="Declare external data that the system learned from, or none; may be repeated. Trained models say it already.",
)
@click.option("--out", type=options.OUT_FOLDER, required=True, help="The package's folder, to be made.")
@options.seed_option
@options.recipe_option
@options.set_option
def pack_system(
    *,
    task: str,
    name: str,
    kb: Path | None,
    inputs: tuple[Path, ...],
    external: tuple[str, ...],
    out: Path,
    seed: int,
    recipe: Path | None,
    overrides: tuple[str, ...],
) -> None:
    """Pack a system of TASK for organisers, who make its result files with one command without arguments.

    The folder holds the model, the knowledge base where the task has one, a card (what the system is, what data it saw,
    external data as declared), requirements and `run.py`. Whoever has the test data puts them into `input` and runs
    `python run.py`: the official result files appear in `output`, checked. A part that was changed is told and refused.
    With --input test data are in the package already: mind the agreement under which you have them.

    \b
    Examples:
      duologue pack mobilecs/dialogue --system model --out entry
      duologue pack restaurant --system model --kb extendedkb1.txt --external none --out entry
    """
    if "none" in external and len(external) > 1:
        raise UsageError("--external none says that there are no external data; leave the other ones out, or it")
    named = None if not external else [one for one in external if one != "none"]
    card = pack(
        load_task(task), name, out,
        recipe=recipe, overrides=overrides, kb=kb, inputs=inputs, external=named, seed=seed,
    )  # fmt: skip
    told = ", ".join(card.external) or "none"
    console.line(f"{card.system} packed in {out}; external data: {told}{f' ({card.track})' if card.track else ''}")
    console.line(f"python {out / 'run.py'} makes the result file of each data file in {out / 'input'}")


def run_package(folder: Path) -> NoReturn:
    """Make the result files of a package and leave with the exit code: 1 for an error, or a result that has any."""
    try:
        with options.progress_bar(quiet=not sys.stderr.isatty()) as progress:
            made = answer_package(folder, say=console.remark, progress=progress)
    except DuologueError as error:
        console.block(f"duologue: {error}", err=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        console.remark("stopped; the same command goes on where it was")
        sys.exit(130)
    for one in made:
        verdict = "accepted" if not one.errors else f"{amount(one.errors, 'error')}; see `duologue check`"
        console.line(f"{amount(one.answers, 'answer')} in {one.path}: {verdict}")
    sys.exit(any(one.errors for one in made))
