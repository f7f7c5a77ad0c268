"""`duologue compare`: whether two result files really differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from duologue.cli.old_names import RenamedOptions
from duologue.core.disk import write_text
from duologue.core.errors import UsageError
from duologue.core.plugins import load_task, names
from duologue.exports.github import of_gate as annotation_of_gate
from duologue.exports.junit import of_gate as junit_of_gate
from duologue.report import compare as compare_reports
from duologue.report import comparisons_to_json, render_comparisons, render_external, render_gaps, widest_gaps
from duologue.report.gate import gate
from duologue.run import evaluate
from duologue.run.contamination import demand_unseen, warnings_of_training
from duologue.run.notes import has_note
from duologue.run.saved import formulas_of, read_report
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Report
    from duologue.report.comparison import Comparison, Gap
    from duologue.report.gate import GateVerdict


@click.command(cls=RenamedOptions, renamed={"--pred": "RESULT", "--most": "--limit"})
@click.argument(
    "words", type=options.TASK_OR_PATH, nargs=-1, required=True, metavar="[TASK A B | A.report.json B.report.json]"
)
@options.gold_option
@options.input_option
@options.variant_option
@options.choice_option
@options.samples_option
@options.partial_option
@options.model_option
@options.unseen_option
@options.resamples_option
@click.option(
    "--limit", type=options.CountNumber(min=0), default=10, show_default=True, help="Items to name that differ most."
)
@options.seed_option
@click.option(
    "--fail-if-worse",
    is_flag=True,
    help="A gate: exit code 1 where B is shown to be worse than A on the score that ranks.",
)
@options.junit_option
@options.github_option
@options.json_option
def compare(
    *,
    words: tuple[str, ...],
    gold: tuple[Path, ...],
    data: Path | None,
    variant: str | None,
    chosen: tuple[str, ...],
    samples: str | None,
    partial: bool,
    models: tuple[Path, ...],
    require_unseen: bool,
    resamples: int,
    limit: int,
    seed: int,
    fail_if_worse: bool,
    junit: Path | None,
    github: bool,
    as_json: bool,
) -> None:
    """Test whether two systems differ on the same items: paired approximate randomisation.

    Takes a task with the result files A and B, or two reports that `duologue score --out` saved. Dialogues are swapped
    at random between the two, in all ways where few differ. The score that ranks is a family of its own, so that its
    verdict is that of `board` on the same files; the other scores are corrected among themselves. Shown are also wins
    and losses item by item, and the items that differ most.

    With --fail-if-worse A is what was accepted and B what is to replace it: exit code 1 says that B is worse, or that
    nothing could be tested; a difference that is not shown passes. --junit and --github tell a CI system.

    \b
    Examples:
      duologue compare restaurant a.pred.json b.pred.json --gold TRUTH.json
      duologue compare a.report.json b.report.json
      duologue compare accepted.report.json new.report.json --fail-if-worse --junit gate.xml
    """
    if (junit is not None or github) and not fail_if_worse:
        raise UsageError("--junit and --github tell what came of a gate; give --fail-if-worse with them")
    if words[0] in names("tasks"):
        task = load_task(words[0])
        how = evaluate.scoring(task, variant, options=chosen, samples=samples, partial=partial)
        first, second = (
            evaluate.score(task, gold, path, how, data=data, models=models if has_note(path) else ())
            for path in _two(words[1:], "result files")
        )
    else:
        options.demand_file_or_task(words[0])
        options.refuse_scoring_options()
        first, second = map(read_report, _two(words, "reports"))
    for report in (first, second) if require_unseen else ():
        demand_unseen(report)
    formulas = formulas_of(first)
    found = compare_reports(first, second, metrics=formulas, seed=seed, resamples=resamples)
    ranking = next((one for one in formulas if one.name == first.rank_by), None)
    gaps = widest_gaps(first, second, ranking, limit) if ranking is not None and limit else ()
    warnings = [*evaluate.doubts_in([first, second]), *warnings_of_training([first, second])]
    verdict = gate(found, first.rank_by) if fail_if_worse else None
    if as_json:
        judged = {} if verdict is None else {"gate": verdict._asdict()}
        console.as_json(comparisons_to_json(found, first.rank_by, gaps) | {"warnings": warnings} | judged)
    else:
        _print([first, second], found, gaps, warnings, of_one=ranking is None or ranking.percent)
    if verdict is not None:
        if junit is not None:
            write_text(junit, junit_of_gate(first, second, found, verdict))
        _close(verdict, github=github, as_json=as_json)


def _print(
    reports: Sequence[Report], found: Sequence[Comparison], gaps: Sequence[Gap], warnings: list[str], *, of_one: bool
) -> None:
    console.show(render_comparisons(found))
    console.show(render_external(reports))
    for line in warnings:
        console.line(line)
    if gaps:
        console.show(render_gaps(reports[0].rank_by, gaps, of_one=of_one))


def _close(verdict: GateVerdict, *, github: bool, as_json: bool) -> None:
    """Tell what came of the gate, and leave with exit code 1 where it is closed."""
    if not as_json:
        console.line(f"{'passed' if verdict.passed else 'failed'}: {verdict.reason}")
    if github:
        console.line(annotation_of_gate(verdict), err=True)
    if not verdict.passed:
        raise click.exceptions.Exit(1)


def _two(words: Sequence[str], what: str) -> list[Path]:
    if len(words) != 2:
        raise UsageError(f"two {what} are compared, {len(words)} given; `duologue board` tests any number")
    return [Path(word) for word in words]
