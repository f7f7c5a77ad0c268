"""`duologue score`: a result file against the truth."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import click
import msgspec

from duologue.cli.old_names import RenamedOptions
from duologue.core.errors import DuologueError, FormatError, UsageError
from duologue.core.plugins import load_task
from duologue.core.problems import total
from duologue.report import render, render_whole, to_json
from duologue.run import evaluate
from duologue.run.contamination import demand_unseen, warnings_of_training
from duologue.run.saved import save_report
from duologue.run.whole import WholeTruth, is_whole
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from duologue.core.protocols import Task
    from duologue.core.records import Example, Mistake, Report, Scoring, Submission
    from duologue.run.whole import Marks

_TOTAL = "total"
"""What the report of all test sets is called."""


@click.command(cls=RenamedOptions, renamed={"--pred": "RESULT"})
@options.task_argument
@click.argument("pred", type=options.PATH, metavar="RESULT")
@options.gold_option
@options.input_option
@options.variant_option
@options.choice_option
@options.samples_option
@click.option("--by", multiple=True, metavar="CUT", help="Cut the scores by this only; may be repeated.")
@options.partial_option
@options.model_option
@options.unseen_option
@click.option(
    "--out", type=options.OUT_REPORT, default=None, help="Save the whole report as JSON, for compare, board and verify."
)
@click.option("--test-set", default=None, help="What reports call the test set (default: told by the file's name).")
@click.option(
    "--errors",
    is_flag=True,
    help="restaurant: also count mistakes by what they are; needs --input with the candidates.",
)
@options.json_option
def score(
    *,
    task: str,
    pred: Path,
    gold: tuple[Path, ...],
    data: Path | None,
    variant: str | None,
    chosen: tuple[str, ...],
    samples: str | None,
    by: tuple[str, ...],
    partial: bool,
    models: tuple[Path, ...],
    require_unseen: bool,
    out: Path | None,
    test_set: str | None,
    errors: bool,
    as_json: bool,
) -> None:
    """Score the result file of TASK against the truth, with 95 % intervals and a signature.

    `--variant official` prints exactly the lines of the official program, quirks included. Several truth files
    are several references, in an order that is part of the signature. A file that has its references itself
    (S_REF and S_HYP) needs no truth.

    A whole submission is a folder or an archive (.tgz, .zip) of result files in folders of the test sets' names, and
    --gold then a folder or an archive of truth files: every file, the total of each test set and the total of all are
    printed, and --out is a folder of reports.

    Where the truth was in the training data of the model that `duologue run` answered with, a warning says so.

    \b
    Examples:
      duologue score restaurant FILE.pred.json --gold TRUTH.json
      duologue score restaurant FILE.pred.json --gold TRUTH.json --variant official
      duologue score restaurant FILE.pred.json --gold TRUTH.json --input FILE.json --out FILE.report.json
      duologue score restaurant FILE.pred.json --gold TRUTH.json --input FILE.json --errors
      duologue score restaurant team.tgz --gold truth
    """
    loaded = load_task(task)
    how = evaluate.scoring(loaded, variant, options=chosen, samples=samples, by=by, partial=partial)
    if is_whole([pred, *gold]):
        if data is not None or test_set is not None or errors:
            raise UsageError(
                "a whole submission has its data beside its truth and names of its own; leave --input, --test-set and "
                "--errors out"
            )
        _score_whole(loaded, gold, pred, how, models, out, require_unseen=require_unseen, as_json=as_json)
        return

    truth = cache(lambda: evaluate.Truth.of(loaded, gold, data))
    read = cache(loaded.read)  # a refused file is scored again, as if with --partial, to see whether that is of use

    def scored(way: Scoring) -> Report:
        return evaluate.score_against(loaded, truth(), pred, way, test_set=test_set, models=models, read=read)

    try:
        report = scored(how)
    except FormatError as error:
        _refused(error, task, how, scored if _can_be_read_again([pred, *gold]) else None, as_json=as_json)
        raise click.exceptions.Exit(1) from error
    if require_unseen:
        demand_unseen(report)
    if out is not None:
        save_report(report, out)
    mistakes = _mistakes(loaded, read(pred), truth().examples) if errors else None
    if as_json and mistakes is not None:
        told = {"errors": [msgspec.to_builtins(one) for one in mistakes]}
        console.as_json({**to_json(report), **told})
        return
    _print(report, as_json=as_json)
    for one in mistakes or ():
        share = f"{one.n} of {one.of}, {100 * one.n / one.of:.1f} %"
        console.line(f"{one.purpose}: {one.kind} ({share})")
    if mistakes is not None and not mistakes:
        console.line("no mistakes")


def _mistakes(task: Task, submission: Submission, examples: Sequence[Example]) -> Sequence[Mistake]:
    """Return the kinds of mistakes. Raises `UsageError` for a task that tells none, and without the candidates."""
    found = task.mistakes(submission, examples)
    if found is None:
        raise UsageError(f"task '{task.info.name}' does not tell kinds of mistakes; leave --errors out")
    if not any(one.sample.candidates for one in examples):
        raise UsageError("--errors reads what was said among the candidates; give the data file: --input FILE")
    return found


def _score_whole(
    task: Task,
    golds: tuple[Path, ...],
    pred: Path,
    how: Scoring,
    models: tuple[Path, ...],
    out: Path | None,
    *,
    require_unseen: bool,
    as_json: bool,
) -> None:
    """Score a folder or an archive of result files against a folder or an archive of truth files."""
    truth = WholeTruth.of(task, golds)

    def scored(way: Scoring) -> Marks:
        return truth.score(pred, way, models=models, unseen=require_unseen)

    try:
        marks = scored(how)
    except FormatError as error:
        _refused(error, task.info.name, how, scored if _can_be_read_again([pred]) else None, as_json=as_json)
        raise click.exceptions.Exit(1) from error
    several = len(marks.test_sets) > 1
    if several and any(report.meta["test_set"] == _TOTAL for report in marks.test_sets):
        raise UsageError(f"a test set is called '{_TOTAL}', as what is scored of all is; rename its folder")
    if out is not None:
        for report in marks.test_sets:
            save_report(report, out / f"{report.meta['test_set']}.report.json")
        if several:
            save_report(marks.total, out / f"{_TOTAL}.report.json")
    if as_json:
        told = {str(report.meta["test_set"]): to_json(report) for report in (*marks.files, *marks.test_sets)}
        console.as_json({_TOTAL: to_json(marks.total), "test_sets": told})
        return
    console.show(render_whole(marks.files, marks.test_sets, marks.total))


def _refused(
    error: FormatError, task: str, how: Scoring, scored: Callable[[Scoring], object] | None, *, as_json: bool
) -> None:
    """Print why a result is refused, and advise `--partial` where it helps; `scored` tries that, `None` cannot."""
    if as_json:
        told = {"total": total(error.problems), "problems": [msgspec.to_builtins(one) for one in error.problems]}
        console.as_json({"task": task, "variant": how.variant, **told})
        return
    official = how.variant.startswith("official")
    for line in error.transcript if official else ():
        console.exact(line)
    console.block(str(error), err=True)
    console.line("Nothing was scored.", err=True)
    if scored is None or how.partial or official:
        return
    if _is_scored(scored, msgspec.structs.replace(how, partial=True)):
        console.line("Mend the file, or score what is there with --partial.", err=True)


def _can_be_read_again(paths: Sequence[Path]) -> bool:
    """Tell whether all paths are files and folders: a pipe gives what it has once, and then waits for ever."""
    return all(path.is_file() or path.is_dir() for path in paths)


def _is_scored(scored: Callable[[Scoring], object], how: Scoring) -> bool:
    try:
        scored(how)
    except DuologueError:
        return False
    return True


def _print(report: Report, *, as_json: bool) -> None:
    """Print a report: for people, as JSON, or the lines of the official program with doubts on standard error."""
    if as_json or report.transcript:  # elsewhere they stand among the figures
        for line in evaluate.doubts_in([report]):
            console.line(line, err=True)
    if as_json:
        console.as_json(to_json(report))
    elif report.transcript:
        for line in report.transcript:
            console.exact(line)
        for line in warnings_of_training([report]):
            console.line(line, err=True)
        console.line(str(report.signature), err=True)
    else:
        console.show(render(report))
