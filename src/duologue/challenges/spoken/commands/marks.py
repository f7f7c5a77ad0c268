"""`duologue data marks`: what share of an exam's questions a result file answers rightly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("exam", type=options.PATH)
@click.option(
    "--pred", "result", type=options.PATH, required=True, help="A result file of `duologue run spoken` on the exam."
)
def marks(*, exam: Path, result: Path) -> None:
    """Mark a result file on EXAM, a folder that `duologue data exam` wrote: right answers by kind of question.

    An answer is right when it has exactly the triples of the truth, and its reply names the answer (of things that
    are compared, before the others). A missing answer is wrong. A result with the bytes of the truth is doubted, unless
    the note that `duologue run` writes beside a result is of this one.

    \b
    Examples:
      duologue data marks exam --pred result.json
    """
    from duologue.challenges.spoken.commands.exam import GOLD, KEY
    from duologue.challenges.spoken.scoring import checker
    from duologue.challenges.spoken.simulator.exam import marks as marked
    from duologue.challenges.spoken.simulator.exam import read_key
    from duologue.challenges.spoken.task import SpokenTask
    from duologue.core.disk import Source, regular
    from duologue.core.errors import FormatError, UsageError
    from duologue.core.lines import sha256
    from duologue.core.result_note import is_of_a_run

    questions, gold = read_key(regular(exam / KEY)), exam / GOLD
    if gold.is_file() and result.exists() and result.samefile(gold):
        raise UsageError(f"{result} is the truth itself; give the result file of a system in its place")
    task = SpokenTask()
    submission = task.read(result)
    problems = checker.check(submission, None, "strict", None)
    if any(problem.severity == "error" for problem in problems):
        raise FormatError(result, problems)
    if gold.is_file() and sha256(Source(gold)) == submission.hash and not is_of_a_run(result, submission.hash):
        console.remark(f"the result has the very bytes of the truth {gold}: this marks the truth, not a system")
    found = marked(questions, task.answers(submission, []))
    for kind, (right, asked) in found.items():
        console.line(f"{kind:<12}{100 * right / asked:6.1f} %  ({right:,} of {asked:,})")
    right, asked = (sum(pair[at] for pair in found.values()) for at in (0, 1))
    console.line(f"{'all':<12}{100 * right / asked:6.1f} %  ({right:,} of {asked:,})")
