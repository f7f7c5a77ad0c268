"""`duologue run`: a system answers a data file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.cli.forecast import tell_forecast
from duologue.cli.old_names import RenamedOptions
from duologue.core.amounts import amount
from duologue.core.disk import is_stream
from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.core.result_note import provenance_path
from duologue.run.contamination import told
from duologue.run.forecast import forecast_file
from duologue.run.predict import predict_file
from duologue.run.systems import open_system
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command(name="run", cls=RenamedOptions, renamed={"--input": "DATA"})
@options.task_argument
@click.argument("data", type=options.PATH, metavar="DATA")
@options.system_option
@options.kb_option("conversation, mobilecs/dialogue, restaurant, spoken")
@click.option("--out", type=options.OUT_OWN_FILE, required=True, help="The result file to write.")
@click.option("--force", is_flag=True, help="Write over a file at --out that `duologue run` did not write.")
@click.option(
    "--dry-run", is_flag=True, help="Say what a system that is paid by the call would ask, and ask and write nothing."
)
@options.seed_option
@options.recipe_option
@options.set_option
@options.json_option
@options.quiet_option
def run(
    *,
    task: str,
    data: Path,
    name: str,
    kb: Path | None,
    out: Path,
    force: bool,
    dry_run: bool,
    seed: int,
    recipe: Path | None,
    overrides: tuple[str, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """Answer the file DATA of TASK (.gz is fine) with a system and write the official result file.

    Beside it stands a note, FILE.pred.run.toml: system, recipe, seed, hashes of input, knowledge base, model and of
    the result itself. A stopped run goes on where it was and gives the same file. A file at --out that this command
    did not write is left alone, since it may be the truth.

    \b
    Examples:
      duologue run restaurant FILE.json.gz --system solver --kb KB.txt.gz --out FILE.pred.json
      duologue run restaurant FILE.json --system model --kb KB.txt --out FILE.pred.json
      duologue run restaurant FILE.json --system endpoint --set url=http://127.0.0.1:8080/v1 --set model=M --out P.json
    """
    if as_json and not dry_run and is_stream(out):
        raise UsageError(f"--json prints one object and nothing else, and {out} is a stream; give --out a file")
    loaded = load_task(task)
    system = open_system(loaded, name, recipe, overrides)
    world = options.world_of(loaded, kb)
    if dry_run:
        planned = forecast_file(loaded, system, data, out, name=name, world=world, kb=kb, seed=seed)
        tell_forecast(planned, as_json=as_json)
        return
    with options.progress_bar(quiet=quiet) as progress:
        made = predict_file(
            loaded, system, data, out,
            name=name, world=world, kb=kb, seed=seed, force=force, say=console.remark, progress=progress,
        )  # fmt: skip
    warning = told(made.note.exposure, made.note.system) if made.note.exposure is not None else None
    if warning is not None:
        console.line(f"warning: {warning.message}", err=True)
    if as_json:
        told_of = {"note": str(provenance_path(out)), "seed": seed, "usage": made.note.usage}
        console.as_json({"result": str(out), "answers": made.answers, **told_of})
        return
    console.line(f"{amount(made.answers, 'answer')} in {out}", err=is_stream(out))
    for line in made.remarks:
        console.line(line, err=is_stream(out))
