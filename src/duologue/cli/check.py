"""`duologue check`: what is wrong with a result file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import msgspec

from duologue.core.errors import describe_problems
from duologue.core.plugins import load_task
from duologue.core.problems import total
from duologue.run import evaluate
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@options.task_argument
@click.argument("file", type=options.PATH, metavar="RESULT")
@click.option("--input", "data", type=options.PATH, default=None, help="The data file that was answered.")
@options.kb_option("spoken")
@click.option("--variant", default=None, help="strict (default), or official: accept what the official check accepts.")
@options.json_option
def check(*, task: str, file: Path, data: Path | None, kb: Path | None, variant: str | None, as_json: bool) -> None:
    """Check the result file of TASK and say all that is wrong with it, not only the first thing.

    With --input the file is also held against its data: missing and unknown dialogues and candidates.
    With --kb (or --kg), for a task that uses one, facts that are not in the knowledge base are told as well.
    The first 1,000 problems are told (20 without --json), the others counted; `total` in --json is their number.
    Exit code 0: the file is accepted; 1: it has errors. Warnings do not refuse a file.

    \b
    Examples:
      duologue check restaurant FILE.pred.json --input FILE.json
      duologue check restaurant FILE.pred.json --variant official
      duologue check spoken result.json --input test.json --kg kg.json
    """
    loaded = load_task(task)
    chosen = evaluate.pick_variant(loaded, variant)
    submission, problems = evaluate.check(loaded, file, data, chosen, options.world_of(loaded, kb))
    errors = [problem for problem in problems if problem.severity == "error"]
    if as_json:
        listed = [msgspec.to_builtins(problem) for problem in problems]
        found = {"task": task, "variant": chosen, "ok": not errors, "hash": submission.hash}
        console.as_json({**found, "total": total(problems), "problems": listed})
    elif chosen == "official" and (official := loaded.replay_check(file)) is not None:
        for line in official:
            console.exact(line)
        if problems:
            console.block(describe_problems(str(file), problems), err=True)
    else:
        if problems:
            console.block(describe_problems(str(file), problems))
        if not errors:
            measured = " against its data" if data is not None else " by itself; --input holds it against its data"
            console.line(f"{file} is accepted ({chosen}, checked{measured}).")
    if errors:
        raise click.exceptions.Exit(1)
