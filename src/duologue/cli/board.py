"""`duologue board`: a folder of result files as one ranking."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING

import click

from duologue.core.disk import write_text
from duologue.core.errors import DuologueError, UsageError
from duologue.core.plugins import load_task
from duologue.report import (
    find_error_examples,
    leaderboard_page,
    leaderboard_to_json,
    rank_all,
    render_leaderboard,
    render_test_sets,
    to_json,
    write_page,
)
from duologue.run import evaluate
from duologue.run.context import context_of
from duologue.run.folder import is_result, score_folder
from duologue.run.saved import formulas_of
from duologue.run.whole import is_whole, score_teams, teams
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.report import ErrorExamples
    from duologue.report.leaderboard import Leaderboard
    from duologue.run.whole import ScoredTeams

_SHOWN = 3
"""Systems, from the first of the board, whose dialogues its page shows."""
_ITEMS = 3
"""Of each so many good items and bad ones."""
_MOST_ITEMS = 20_000
"""Items of a test set beyond which its files are not read again for the page."""


@click.command()
@options.task_argument
@click.argument("folder", type=options.PATH)
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
    "--out", type=options.OUT_BOARD, default=None, help="Write this HTML page, and the same as JSON beside it."
)
@click.option("--title", default="Duologue", show_default=True, help="Heading of the page.")
@options.seed_option
@options.json_option
@options.quiet_option
def board(
    *,
    task: str,
    folder: Path,
    gold: tuple[Path, ...],
    data: Path | None,
    variant: str | None,
    chosen: tuple[str, ...],
    samples: str | None,
    partial: bool,
    models: tuple[Path, ...],
    require_unseen: bool,
    resamples: int,
    out: Path | None,
    title: str,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Rank all result files of TASK in FOLDER: intervals, tiers of systems that cannot be told apart.

    With folders or archives (.tgz, .zip) in FOLDER each is a team: its files are scored by test set against --gold, one
    truth file or a folder or archive of them, and totalled; the board ranks the totals and shows each test set beside.

    Every file is read as it would be sent in; files that are refused are listed with their first problem. Shown
    is also the smallest difference that the test set could find.

    \b
    Examples:
      duologue board restaurant results --gold TRUTH.json
      duologue board restaurant results --gold TRUTH.json --out board.html
      duologue board spoken teams --gold TRUTH.json
    """
    loaded = load_task(task)
    how = evaluate.scoring(loaded, variant, options=chosen, samples=samples, partial=partial)
    if is_whole(gold) or (folder.is_dir() and teams(folder) and not any(map(is_result, folder.iterdir()))):
        if data is not None:
            raise UsageError("data files of whole submissions stand beside their truth files; leave --input out")
        with options.progress_bar(quiet=quiet) as progress:
            found_teams = score_teams(
                loaded, gold, folder, how, models=models, unseen=require_unseen, progress=progress
            )
        _board_of_teams(found_teams, folder, resamples, out, title, seed, as_json=as_json)
        return
    with options.progress_bar(quiet=quiet) as progress:
        scored = score_folder(
            loaded, gold, folder, how, data=data, models=models, unseen=require_unseen, progress=progress
        )
    if not scored.reports:
        lines = "\n".join(f"  {one.file}: {one.problems} problems, the first: {one.first}" for one in scored.refused)
        raise DuologueError(f"no file in {folder} can be scored:\n{lines}")
    found = rank_all(
        scored.reports,
        formulas=formulas_of,
        seed=seed,
        resamples=resamples,
        refused=[(one.file, one.problems, one.first) for one in scored.refused],
    )
    told = leaderboard_to_json(found)
    if out is not None:
        command = "duologue " + shlex.join(sys.argv[1:])
        shown = _showcases(found, [folder, *(path.parent for path in (*gold, *([data] if data else [])))])
        page = leaderboard_page(found, title=title, commands=[command], seed=seed, showcases=shown)
        write_text(out, page)
        write_text(out.with_suffix(".json"), json.dumps(told, ensure_ascii=False) + "\n")
    if as_json:
        console.as_json(told)
        return
    console.show(render_leaderboard(found))


def _showcases(found: Leaderboard, folders: list[Path]) -> dict[str, ErrorExamples]:
    """Return the best and worst items of the first systems, where the files are small enough to be read again."""
    shown = {}
    for place in found.places[:_SHOWN]:
        report = place.report
        if report.items and report.n <= _MOST_ITEMS:
            context = context_of(report, None, folders)
            items = find_error_examples(report, formulas_of(report), context.examples, context.answers, most=_ITEMS)
            if items.worst:
                shown[place.system] = items
    return shown


def _board_of_teams(
    scored: ScoredTeams, folder: Path, resamples: int, out: Path | None, title: str, seed: int, *, as_json: bool
) -> None:
    """Rank whole submissions by their totals, and show what each scored on each test set."""
    if not scored.marks:
        lines = "\n".join(f"  {one.file}: {one.problems} problems, the first: {one.first}" for one in scored.refused)
        raise DuologueError(f"no submission in {folder} can be scored:\n{lines}")
    found = rank_all(
        [marks.total for marks in scored.marks],
        formulas=formulas_of,
        seed=seed,
        resamples=resamples,
        refused=[(one.file, one.problems, one.first) for one in scored.refused],
    )
    test_sets = list(zip(*(marks.test_sets for marks in scored.marks), strict=True))
    told = leaderboard_to_json(found) | {
        "test_sets": {
            str(reports[0].meta["test_set"]): {report.system: to_json(report) for report in reports}
            for reports in test_sets
        }
    }
    if out is not None:
        command = "duologue " + shlex.join(sys.argv[1:])
        if len(test_sets) > 1:
            reports = [report for group in test_sets for report in group]
            write_page(out, reports, title=title, commands=[command], formulas=formulas_of, seed=seed)
        else:
            write_text(out, leaderboard_page(found, title=title, commands=[command], seed=seed))
        write_text(out.with_suffix(".json"), json.dumps(told, ensure_ascii=False) + "\n")
    if as_json:
        console.as_json(told)
        return
    console.show(render_leaderboard(found))
    if len(test_sets) > 1:
        console.show(render_test_sets(test_sets, [place.system for place in found.places]))
