"""`duologue run`: a system answers a data file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from duologue.cli import options
from duologue.core.errors import UsageError
from duologue.core.plugins import CARD, load_system, load_system_class, load_task, make_system, names
from duologue.core.recipe import resolve
from duologue.run.predict import predict_file

if TYPE_CHECKING:
    from duologue.core.protocols import System


@click.command(name="run")
@options.task_argument
@click.option("--system", "name", required=True, help="A system's name (duologue list) or the folder of a model.")
@click.option("--input", "data", type=options.PATH, required=True, help="The data file (.gz is fine).")
@options.kb_option
@click.option("--out", type=options.PATH, required=True, help="The result file to write.")
@options.seed_option
@options.recipe_option
@options.set_option
@options.quiet_option
def run(
    *,
    task: str,
    name: str,
    data: Path,
    kb: Path | None,
    out: Path,
    seed: int,
    recipe: Path | None,
    overrides: tuple[str, ...],
    quiet: bool,
) -> None:
    """Answer a data file of TASK with a system and write the official result file.

    Beside it stands a note, FILE.answers.run.toml: system, recipe, seed, hashes of input, knowledge base
    and model. A stopped run goes on where it was and gives the same file.

    \b
    Examples:
      duologue run restaurant --system solver --input FILE.json.gz --kb KB.txt.gz --out FILE.answers.json
      duologue run restaurant --system model --input FILE.json --kb KB.txt --out FILE.answers.json
    """
    loaded = load_task(task)
    system = load_any(name, recipe, overrides)
    world = options.world_of(loaded, kb)
    with options.progress_bar(quiet=quiet) as progress:
        count = predict_file(loaded, system, data, out, name=name, world=world, kb=kb, seed=seed, progress=progress)
    click.echo(f"{count} answers in {out}")


def load_any(name: str, recipe: Path | None, overrides: tuple[str, ...]) -> System:
    """Return the registered system `name`, or the model in the folder `name`.

    Options belong to a registered system; a trained model has its recipe already (`UsageError`).
    """
    folder = Path(name)
    if folder.is_dir() and ((folder / CARD).is_file() or name not in names("systems")):
        if recipe is not None or overrides:
            raise UsageError(f"{folder} is a trained model with its own recipe; leave --recipe and --set out")
        return load_system(folder).system
    return make_system(name, resolve(load_system_class(name).Recipe, file=recipe, overrides=overrides))
