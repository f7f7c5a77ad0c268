"""`duologue data split`: a data file cut into parts by dialogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.amounts import amount
from duologue.core.locks import writing_folder
from duologue.core.plugins import load_task
from duologue.run.split import parse_sizes
from duologue.run.split import split as split_files
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@options.task_argument
@click.argument("path", type=options.PATH, metavar="FILE")
@click.option(
    "--part",
    "parts",
    multiple=True,
    required=True,
    metavar="NAME=SIZE",
    help="A part and its size: a number of dialogues (500), a share of all (0.8 or 80%), or `rest`; may be repeated.",
)
@click.option(
    "--also",
    type=options.PATH,
    multiple=True,
    help="A file with the same dialogues, such as their truth, to be cut along the same lines; may be repeated.",
)
@click.option("--out", type=options.OUT_FOLDER, required=True, help="Folder for a folder per part.")
@options.seed_option
@options.json_option
def split(
    *, task: str, path: Path, parts: tuple[str, ...], also: tuple[Path, ...], out: Path, seed: int, as_json: bool
) -> None:
    """Cut a data FILE of TASK into parts by dialogue: no dialogue is in two parts.

    Part NAME is written to OUT/NAME, under the name of FILE, in its format and order; a packed file gives packed parts.
    Which dialogues go where is decided by their ids (where they have none, by their place) and the seed: the same seed
    gives the same parts. Samples are of one dialogue where goal and knowledge are the same (proactive), their first
    utterance (spoken), or their first line (conversation). All parts are written, or none; files that are there
    already are left alone. Dialogues that no part takes are counted.

    \b
    Examples:
      duologue data split proactive sessions.txt --part train=0.9 --part dev=0.1 --seed 1 --out parts
      duologue data split spoken train.json.gz --part train=rest --part dev=200 --part test=200 --out parts
      duologue data split restaurant FILE.json --also FILE.answers.json --part a=50% --part b=50% --out halves
    """
    sizes = parse_sizes(parts)
    loaded = load_task(task)
    with writing_folder(out):
        done = split_files(loaded, path, also, out, sizes, seed=seed)
    if as_json:
        rows = [{"path": str(one.path), "dialogues": one.dialogues, "rows": one.rows} for one in done.parts]
        console.as_json({"parts": rows, "left_out": done.left_out, "seed": seed})
        return
    for one in done.parts:
        rows_told = "" if one.rows == one.dialogues else f", {amount(one.rows, 'row')}"
        console.line(f"{one.path}: {one.dialogues:,} dialogue{'s' * (one.dialogues != 1)}{rows_told}")
    if done.left_out:
        console.line(f"left out: {done.left_out:,} dialogue{'s' * (done.left_out != 1)}")
