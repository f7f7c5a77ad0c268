"""`duologue train`: a model from data or from the task's simulator."""

from __future__ import annotations

from pathlib import Path

import click

from duologue.cli.old_names import RenamedOptions
from duologue.cli.several import SeveralFiles
from duologue.core.errors import UsageError
from duologue.core.plugins import demand_fit, load_task, make_logger, make_system
from duologue.run.systems import recipe_of
from duologue.run.train import demand_folder
from duologue.run.train import train as train_system
from duologue.run.training_parts import read_training_parts
from duologue.terminal import console, options


class _Train(RenamedOptions, SeveralFiles):
    """Takes several files behind an option, by its old name too."""


@click.command(cls=_Train, renamed={"--input": "--train"})
@options.task_argument
@click.option(
    "--system",
    "name",
    required=True,
    help="Name of a system that learns (duologue list).",
    shell_complete=options.complete_system,
)
@click.option("--out", type=options.OUT_FOLDER, required=True, help="Folder for the model.")
@click.option(
    "--train",
    "data",
    type=options.PATH,
    multiple=True,
    help="Training data with answers (.gz is fine); one file or several, may be repeated.",
)
@click.option(
    "--held-out",
    type=options.PATH,
    multiple=True,
    help="Data for early stopping; one file or several, may be repeated.",
)
@click.option(
    "--unlabelled",
    type=options.PATH,
    multiple=True,
    help="Data without labels, for systems that learn from such, too; one file or several, may be repeated.",
)
@click.option(
    "--external",
    type=options.ASSIGNMENT,
    multiple=True,
    metavar="NAME[=FILE]",
    help="Data that are not the challenge's own: declared by this name on the model's card, and trained on too where a "
    "FILE is given. `none` declares that there are no such data. May be repeated.",
)
@options.kb_option("conversation, mobilecs/dialogue, restaurant, spoken")
@options.seed_option
@options.recipe_option
@options.set_option
@click.option(
    "--log",
    "loggers",
    multiple=True,
    metavar="NAME",
    help="Write metrics into the model's folder as it trains: csv, tensorboard, mlflow or wandb (offline); may be "
    "repeated.",
)
@options.quiet_option
def train(
    *,
    task: str,
    name: str,
    out: Path,
    data: tuple[Path, ...],
    held_out: tuple[Path, ...],
    unlabelled: tuple[Path, ...],
    external: tuple[str, ...],
    kb: Path | None,
    seed: int,
    recipe: Path | None,
    overrides: tuple[str, ...],
    loggers: tuple[str, ...],
    quiet: bool,
) -> None:
    """Train a system for TASK and save the model with its recipe, seed and data hash.

    Without --train the system learns from dialogues that the task's simulator makes. With --kg (or --kb) the system
    has the knowledge base at hand while it learns; it is given one again when it answers. A stopped training goes on
    from its last checkpoint and ends in the same weights; with another system, recipe, seed, data or version of
    duologue the same --out is refused, and so is a folder with other files and no model. What is held out decides
    when to stop, and nothing else. Beside the model lies a sketch of its training data (hashes, no text), by which
    `duologue score` tells when the truth was among them.

    \b
    Examples:
      duologue train restaurant --system ranker --set regime=closed --seed 1 --out model
      duologue train restaurant --system ranker --train trn.json --held-out dev.json --out model
      duologue train conversation --system retriever --train train.txt --external sgd=sgd.txt --out model
      duologue train proactive --system planner --train sessions.jsonl --train more.jsonl.gz --seed 1 --out model
      duologue train spoken --system grounded --train train.json.gz more.json.gz --kg kg.json.gz --seed 1 --out model
    """
    names, files = _external(external)
    data = (*data, *files)
    loaded = load_task(task)
    demand_fit(name, loaded.info)
    resolved = recipe_of(name, recipe, overrides)
    for logger in loggers:
        make_logger(logger, out, {})  # what it lacks is said before the data is read, too
    demand_folder(out)
    make_system(name, resolved)  # what it lacks is said before the data is read
    world = options.world_of(loaded, kb)
    parts = read_training_parts(loaded, world, data=data, held_out=held_out, unlabelled=unlabelled)
    with options.progress_bar(quiet=quiet) as progress:
        made = train_system(
            loaded,
            name,
            resolved,
            seed,
            out,
            **parts._asdict(),
            worlds={} if world is None else {world.name: world},
            kb=kb,
            external=names,
            loggers=loggers,
            progress=progress,
        )
    console.line(f"model saved in {out}" if made else f"{out} holds this very model already; nothing to do")


def _external(declared: tuple[str, ...]) -> tuple[list[str] | None, list[Path]]:
    """Return the names of external data and the files to train on; no names where nothing is declared."""
    if not declared:
        return None, []
    named = [one.partition("=") for one in declared]
    if ("none", "", "") in named:
        if len(named) > 1:
            raise UsageError("--external none says that there are no external data; leave the other ones out, or it")
        return [], []
    for name, equals, file in named:
        if not name.strip() or (equals and not file):
            raise UsageError(
                f"--external {name}{equals}{file}: expected NAME or NAME=FILE, such as --external sgd=sgd.txt"
            )
    return [name.strip() for name, _, _ in named], [Path(file) for _, _, file in named if file]
