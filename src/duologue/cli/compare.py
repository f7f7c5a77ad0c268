"""`duologue compare`: whether two result files really differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from duologue.cli.old_names import RenamedOptions
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
    from collections.abc import Sequence


@click.command(cls=RenamedOptions, renamed={"--pred": "RESULT"})
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
    "--most", type=click.IntRange(min=0), default=10, show_default=True, help="Items to name that differ most."
)
@options.seed_option
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
    most: int,
    seed: int,
    as_json: bool,
) -> None:
    """Test whether two systems differ on the same items: paired approximate randomisation.

    Takes a task with the result files A and B, or two reports that `duologue score --out` saved. Dialogues are swapped
    at random between the two, in all ways where few differ. The score that ranks is a family of its own, so that its
    verdict is that of `board` on the same files; the other scores are corrected among themselves. Shown are also wins
    and losses item by item, and the items that differ most.

    \b
    Examples:
      duologue compare restaurant a.pred.json b.pred.json --gold TRUTH.json
      duologue compare a.report.json b.report.json
    """
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


def _two(words: Sequence[str], what: str) -> list[Path]:
    if len(words) != 2:
        raise UsageError(f"two {what} are compared, {len(words)} given; `duologue board` tests any number")
    return [Path(word) for word in words]
