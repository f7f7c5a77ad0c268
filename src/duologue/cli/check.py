"""`duologue check`: what is wrong with a result file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import msgspec

from duologue.core.disk import write_text
from duologue.core.errors import describe_problems
from duologue.core.plugins import load_task
from duologue.core.problems import total
from duologue.exports.github import of_check as annotations_of_check
from duologue.exports.junit import of_check as junit_of_check
from duologue.run import evaluate
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.records import Problem


@click.command()
@options.task_argument
@click.argument("file", type=options.PATH, metavar="RESULT")
@click.option("--input", "data", type=options.PATH, default=None, help="The data file that was answered.")
@options.kb_option("spoken")
@click.option("--variant", default=None, help="strict (default), or official: accept what the official check accepts.")
@options.junit_option
@options.github_option
@options.json_option
def check(
    *,
    task: str,
    file: Path,
    data: Path | None,
    kb: Path | None,
    variant: str | None,
    junit: Path | None,
    github: bool,
    as_json: bool,
) -> None:
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
      duologue check restaurant FILE.pred.json --junit check.xml --github
    """
    loaded = load_task(task)
    chosen = evaluate.pick_variant(loaded, variant)
    submission, problems = evaluate.check(loaded, file, data, chosen, options.world_of(loaded, kb))
    accepted = not any(problem.severity == "error" for problem in problems)
    measured = "against its data" if data is not None else "by itself"
    if junit is not None:
        made = junit_of_check(task, chosen, file, problems, hash_of_file=submission.hash, measured=measured)
        write_text(junit, made)
    if as_json:
        listed = [msgspec.to_builtins(problem) for problem in problems]
        found = {"task": task, "variant": chosen, "ok": accepted, "hash": submission.hash}
        console.as_json({**found, "total": total(problems), "problems": listed})
    elif chosen == "official" and (official := loaded.replay_check(file)) is not None:
        for line in official:
            console.exact(line)
        if problems:
            console.block(describe_problems(str(file), problems), err=True)
    else:
        _print(file, problems, f"({chosen}, checked {measured}{'' if data else '; --input holds it against its data'})")
    for line in annotations_of_check(file, problems) if github else ():
        console.line(line, err=True)
    if not accepted:
        raise click.exceptions.Exit(1)


def _print(file: Path, problems: Sequence[Problem], how: str) -> None:
    if problems:
        console.block(describe_problems(str(file), problems))
    if all(problem.severity != "error" for problem in problems):
        console.line(f"{file} is accepted {how}.")
