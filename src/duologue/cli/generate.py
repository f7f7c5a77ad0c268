"""`duologue generate`: data from a task's simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import msgspec

from duologue.core.amounts import amount
from duologue.core.capabilities import lacking_capability
from duologue.core.locks import writing_folder
from duologue.core.manifest import demand_as_written
from duologue.core.optional_protocols import Simulated
from duologue.core.plugins import load_sharing_task
from duologue.core.recipe import resolve
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@options.task_argument
@click.option("--out", type=options.OUT_FOLDER, required=True, help="Folder for the files.")
@options.seed_option
@click.option("--part", default=None, help="Only this part: train, tst1, tst2, tst3 or tst4 (restaurant).")
@click.option(
    "--subtask", type=options.CountNumber(min=1), default=None, help="Only this subtask: 1 to 5 (restaurant)."
)
@click.option(
    "--n",
    type=options.CountNumber(min=1),
    default=None,
    help="Dialogues per file (mobilecs: annotated ones in all), instead of the recipe's sizes.",
)
@options.workers_option
@options.recipe_file_option
@options.set_option
@options.quiet_option
def generate(
    *,
    task: str,
    out: Path,
    seed: int,
    part: str | None,
    subtask: int | None,
    n: int | None,
    workers: int,
    recipe: Path | None,
    overrides: tuple[str, ...],
    quiet: bool,
) -> None:
    """Make official data files with the simulator of TASK, with the truth beside the test files.

    A challenge's name stands for its tasks where they share their data. mobilecs: --n annotated dialogues (without it
    8,975 as in the challenge), and --set unlabelled_ratio=R bare ones for each (9.8).

    The same seed gives the same bytes, with any number of workers. A stopped run goes on where it was, and of the
    restaurant's, parts are added to their corpus; a folder with a corpus of another seed, recipe or version is refused,
    and so is one with files in the places of these that are not as they were written.

    \b
    Examples:
      duologue generate restaurant --seed 1 --out data
      duologue generate restaurant --seed 7 --part tst1 --subtask 1 --n 1000 --out data
      duologue generate restaurant --set release=b --out data-b
      duologue generate mobilecs --seed 1 --n 900 --set profile=crowd --set argument_rate=0.4 --out calls
    """
    simulated = load_sharing_task(task, "Generation")
    if not isinstance(simulated, Simulated):
        raise lacking_capability(task, "Simulated")
    known = {one.encode_name for one in msgspec.structs.fields(simulated.Generation)}
    wanted = {"part": part, "subtask": subtask, "n": n}
    options.refuse(f"the simulator of {task} has no such choice", *(wanted.keys() - known))
    narrowed = [f"{key}={value!r}".replace("'", '"') for key, value in wanted.items() if value is not None]
    plan = resolve(simulated.Generation, file=recipe, overrides=(*overrides, *narrowed))
    with writing_folder(out), options.progress_bar(quiet=quiet) as progress:
        demand_as_written(out)
        paths = simulated.generate(plan, seed, out, workers=workers, progress=progress)
    console.line(f"{amount(len(paths), 'file')} in {out}")
