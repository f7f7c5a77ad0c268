"""`duologue combine`: system combination by minimum Bayes risk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.amounts import amount
from duologue.core.plugins import load_task
from duologue.metrics.minimum_risk import UTILITIES
from duologue.run import combine as subject
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@options.task_argument
@click.argument("results", type=options.PATH, nargs=-1, required=True, metavar="RESULT...")
@click.option("--input", "data", type=options.PATH, required=True, help="The data file that was answered.")
@click.option("--out", type=options.OUT_OWN_FILE, required=True, help="The result file to write.")
@click.option(
    "--utility",
    type=click.Choice(list(UTILITIES)),
    default="f1",
    show_default=True,
    help="How texts agree: F1 of their tokens, of tokens and pairs of them, sentence BLEU-4, or chrF2.",
)
@click.option("--force", is_flag=True, help="Write over a file that no command of duologue wrote.")
@options.json_option
@options.quiet_option
def combine(
    *,
    task: str,
    results: tuple[Path, ...],
    data: Path,
    out: Path,
    utility: str,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Combine the RESULT files of several systems for TASK: each answer is the one that agrees most with the others.

    This is minimum Bayes risk over systems: every file has one vote, and of the texts for a sample the one with the
    highest mean agreement with all of them is taken, whole. Ties go to the file that is named first; two files cannot
    outvote each other, so by F1 all of their answers are ties. Words are what white space divides, characters in
    Chinese. No truth is looked at: choose files and utility on development data. The note beside the result names the
    files and what their systems saw; scores warn where one of them saw the truth.

    \b
    Examples:
      duologue combine conversation a.txt b.txt c.txt --input eval.txt --out combined.txt
      duologue combine proactive a.txt b.txt c.txt --input samples.txt --utility bleu --out combined.txt
    """
    with options.progress_bar(quiet=quiet) as progress:
        done = subject.combine(load_task(task), results, data, out, utility=utility, force=force, progress=progress)
    if as_json:
        chosen = {str(path): count for path, count in zip(results, done.chosen, strict=True)}
        found = {"out": str(out), "answers": done.answers, "chosen": chosen, "unanswered": done.silent}
        console.as_json({**found, "undecided": done.undecided})
        return
    console.line(f"{out}: {amount(done.answers, 'answer')}")
    for path, count in zip(results, done.chosen, strict=True):
        console.line(f"  {count:,} of {path}")
    if done.silent:
        console.line(f"  {amount(done.silent, 'sample')} that no file answers")
    if done.undecided:
        console.line(
            f"  {amount(done.undecided, 'tie')}, where the file named first was taken; of two files "
            "neither agrees more than the other by F1"
        )
