"""`duologue train`: a model from data or from the task's simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.cli import options
from duologue.cli.several import SeveralFiles
from duologue.core.plugins import load_system_class, load_task
from duologue.core.protocols import Gathering, Teaching
from duologue.core.recipe import resolve
from duologue.run.predict import in_world
from duologue.run.train import train as train_system

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.protocols import Task
    from duologue.core.records import Example


@click.command(cls=SeveralFiles)
@options.task_argument
@click.option("--system", "name", required=True, help="Name of a system that learns (duologue list).")
@click.option("--out", type=options.PATH, required=True, help="Folder for the model.")
@click.option(
    "--input",
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
@options.kb_option
@options.seed_option
@options.recipe_option
@options.set_option
@options.quiet_option
def train(
    *,
    task: str,
    name: str,
    out: Path,
    data: tuple[Path, ...],
    held_out: tuple[Path, ...],
    kb: Path | None,
    seed: int,
    recipe: Path | None,
    overrides: tuple[str, ...],
    quiet: bool,
) -> None:
    """Train a system for TASK and save the model with its recipe, seed and data hash.

    Without --train (or --input, which is the same) the system practises on dialogues that the task's simulator
    makes. With --kg (or --kb) the system has the knowledge base at hand while it learns; it is given one again when it
    answers. A stopped training goes on from its last checkpoint and ends in the same weights.

    \b
    Examples:
      duologue train restaurant --system ranker --set regime=closed --seed 1 --out model
      duologue train restaurant --system ranker --input trn.json --held-out dev.json --out model
      duologue train proactive --system planner --train sessions.jsonl --train more.jsonl.gz --seed 1 --out model
      duologue train spoken --system grounded --train train.json.gz more.json.gz --kg kg.json.gz --seed 1 --out model
    """
    loaded = load_task(task)
    resolved = resolve(load_system_class(name).Recipe, file=recipe, overrides=overrides)
    world = options.world_of(loaded, kb)
    examples = in_world(_examples(loaded, data), world) if data else None
    kept_back = in_world(_examples(loaded, held_out), world)
    with options.progress_bar(quiet=quiet) as progress:
        made = train_system(
            loaded,
            name,
            resolved,
            seed,
            out,
            examples=examples,
            held_out=kept_back,
            worlds={} if world is None else {world.name: world},
            progress=progress,
        )
    click.echo(f"model saved in {out}" if made else f"{out} holds this very model already; nothing to do")


def _examples(task: Task, paths: tuple[Path, ...]) -> list[Example]:
    """Return the examples of all files as the task reads them for training; where it can, their ids stay apart."""
    if isinstance(task, Teaching):
        return task.lessons(paths)
    if len(paths) > 1 and isinstance(task, Gathering):
        return task.gather(paths)
    return [example for path in paths for example in task.load(path)]
