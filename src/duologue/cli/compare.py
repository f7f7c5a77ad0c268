"""`duologue compare`: whether two result files really differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from duologue.core.errors import UsageError
from duologue.core.plugins import load_task, names
from duologue.report import compare as compare_reports
from duologue.report import comparisons_to_json, render_comparisons, render_external, render_gaps, widest_gaps
from duologue.run import evaluate
from duologue.run.contamination import demand_unseen, warnings_of_training
from duologue.run.notes import has_note
from duologue.run.saved import formulas_of, read_report
from duologue.terminal import console, options

if TYPE_CHECKING:
    from duologue.core.records import Report


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="TASK | A.report.json B.report.json")
@options.gold_option
@click.option("--pred", type=options.PATH, multiple=True, help="A result file; given twice, A and then B.")
@options.input_option
@options.variant_option
@options.choice_option
@options.samples_option
@options.partial_option
@options.model_option
@options.unseen_option
@options.resamples_option
@click.option(
    "--most", type=click.IntRange(min=0), default=10, show_default=True, help="Items to name that differ most."
)
@options.seed_option
@options.json_option
def compare(
    *,
    words: tuple[str, ...],
    gold: tuple[Path, ...],
    pred: tuple[Path, ...],
    data: Path | None,
    variant: str | None,
    chosen: tuple[str, ...],
    samples: str | None,
    partial: bool,
    models: tuple[Path, ...],
    require_unseen: bool,
    resamples: int,
    most: int,
    seed: int,
    as_json: bool,
) -> None:
    """Test whether two systems differ on the same items: paired approximate randomisation.

    Takes a task with two result files, or two reports that `duologue score --out` saved. Dialogues are swapped at
    random between the two, in all ways where few differ. The score that ranks is a family of its own, so that its
    verdict is that of `board` and `report` on the same files; the other scores are corrected among themselves. Shown
    are also wins and losses item by item, and the items that differ most.

    \b
    Examples:
      duologue compare restaurant --gold TRUTH.json --pred a.pred.json --pred b.pred.json
      duologue compare a.report.json b.report.json
    """
    if pred:
        task = load_task(_task_of(words, pred))
        how = evaluate.scoring(task, variant, options=chosen, samples=samples, partial=partial)
        first, second = (
            evaluate.score(task, gold, path, how, data=data, models=models if has_note(path) else ()) for path in pred
        )
    else:
        if models:
            raise UsageError("a saved report tells already what its system was trained on; leave --model out")
        first, second = _saved(words)
    if require_unseen:
        demand_unseen(first)
        demand_unseen(second)
    formulas = formulas_of(first)
    found = compare_reports(first, second, metrics=formulas, seed=seed, resamples=resamples)
    ranking = next((one for one in formulas if one.name == first.rank_by), None)
    gaps = widest_gaps(first, second, ranking, most) if ranking is not None and most else ()
    warnings = [*evaluate.doubts_in([first, second]), *warnings_of_training([first, second])]
    if as_json:
        console.as_json(comparisons_to_json(found, first.rank_by, gaps) | {"warnings": warnings})
        return
    console.show(render_comparisons(found))
    console.show(render_external([first, second]))
    for line in warnings:
        console.line(line)
    if gaps:
        console.show(render_gaps(first.rank_by, gaps))


def _task_of(words: tuple[str, ...], pred: tuple[Path, ...]) -> str:
    if len(words) != 1:
        raise UsageError(
            f"with --pred one TASK is named, found {' '.join(words)}; known are {', '.join(names('tasks'))}"
        )
    if len(pred) != 2:
        raise UsageError(f"two result files are compared, {len(pred)} given; `duologue board` tests any number")
    return words[0]


def _saved(words: tuple[str, ...]) -> tuple[Report, Report]:
    if len(words) == 1 and words[0] in names("tasks"):
        raise UsageError("give the two result files: --pred A --pred B")
    if len(words) != 2:
        raise UsageError(f"two reports are compared, {len(words)} given; `duologue report` tests any number")
    first, second = (read_report(Path(word)) for word in words)
    return first, second
