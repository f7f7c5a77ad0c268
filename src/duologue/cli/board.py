"""`duologue board`: result files or saved scores as a ranking and as one page."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from duologue.core.disk import write_text
from duologue.core.errors import DuologueError, UsageError
from duologue.core.plugins import load_task, names
from duologue.report import (
    find_error_examples,
    leaderboard_page,
    leaderboard_to_json,
    rank_all,
    render,
    render_leaderboard,
    render_test_sets,
    test_sets_of,
    to_json,
)
from duologue.report import (
    page as make_page,
)
from duologue.run import evaluate
from duologue.run.contamination import demand_unseen
from duologue.run.context import context_of
from duologue.run.folder import is_result, score_folder
from duologue.run.saved import formulas_of, read_report
from duologue.run.whole import is_whole, score_teams, teams
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duologue.core.records import Report
    from duologue.report import ErrorExamples, Leaderboard
    from duologue.run.folder import RefusedFile, ScoredFolder
    from duologue.run.whole import ScoredTeams

_SHOWN = 3
"""Systems, from the first of a ranking, whose dialogues its page shows."""
_MAX_ITEMS = 20_000
"""Items of a test set beyond which its files are not read again for the page."""
_SAVED = "*.report.json"


class _Wanted(NamedTuple):
    """How a ranking is made and where it goes."""

    out: Path | None
    title: str
    limit: int
    seed: int
    resamples: int
    as_json: bool

    def tell(self, told: dict[str, Any], page: Callable[[], str], *shown: object) -> None:
        """Write page and JSON where they are wanted, and print the ranking."""
        if self.out is not None:
            write_text(self.out, page())
            write_text(self.out.with_suffix(".json"), json.dumps(told, ensure_ascii=False) + "\n")
        if self.as_json:
            console.as_json(told)
        else:
            console.show(*shown)


_title_option = click.option("--title", default="Duologue", show_default=True, help="Heading of the page.")
_in_option = click.option(
    "--in",
    "folders",
    type=options.FOLDER,
    multiple=True,
    help="Saved scores: where the scored files are looked for; may be repeated.",
)
_most_option = click.option(
    "--limit",
    type=options.CountNumber(min=0),
    default=5,
    show_default=True,
    help="Best and worst items of a system on the page.",
)


@click.command()
@click.argument(
    "words", type=options.TASK_OR_PATH, nargs=-1, required=True, metavar="[TASK FOLDER | FILE.report.json...]"
)
@options.gold_option
@options.input_option
@options.variant_option
@options.choice_option
@options.samples_option
@options.partial_option
@options.model_option
@options.unseen_option
@_in_option
@options.resamples_option
@click.option(
    "--out", type=options.OUT_BOARD, default=None, help="Write this HTML page, and the same as JSON beside it."
)
@_title_option
@_most_option
@options.seed_option
@options.json_option
@options.quiet_option
def board(
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
    folders: tuple[Path, ...],
    resamples: int,
    out: Path | None,
    title: str,
    limit: int,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Rank systems, with intervals and tiers of those that cannot be told apart, and write the ranking as a page.

    TASK FOLDER: all result files of TASK in FOLDER are scored against --gold as they would be sent in; those that are
    refused are listed with their first problem. Folders or archives (.tgz, .zip) in FOLDER are teams: their files are
    scored by test set against --gold, one truth file or a folder or archive of them, and totalled; the board ranks the
    totals and shows each test set beside.

    FILE.report.json...: scores that `duologue score --out` saved, or folders of them, of any tasks and test sets, are
    ranked by test set and joined into one page: scores by answer type, tests of all pairs, distributions, signatures,
    what data each system saw.

    A page opens without a network, in English and Chinese. It shows the best and the worst items with their context
    where the scored files are there and unchanged (beside a report, below --in FOLDER or the current folder). Shown is
    also the smallest difference that a test set could find.

    \b
    Examples:
      duologue board restaurant results --gold TRUTH.json
      duologue board restaurant results --gold TRUTH.json --out board.html
      duologue board spoken teams --gold TRUTH.json
      duologue board a.report.json b.report.json --out page.html
      duologue board reports --in results --in data --out page.html
    """
    wanted = _Wanted(out, title, limit, seed, resamples, as_json)
    if words[0] not in names("tasks"):
        options.demand_file_or_task(words[0])
        options.refuse_scoring_options()
        _refuse_of_page(out, "title", "limit", "folders")
        _board_of_saved(_saved(words), folders, wanted, unseen=require_unseen)
        return
    if len(words) != 2:
        raise UsageError(f"one FOLDER of result files follows the task, {len(words) - 1} given")
    if folders:
        raise UsageError("--in is for saved scores, whose files lie elsewhere; leave it out")
    _refuse_of_page(out, "title", "limit")
    loaded, folder = load_task(words[0]), Path(words[1])
    how = evaluate.scoring(loaded, variant, options=chosen, samples=samples, partial=partial)
    whole = is_whole(gold) or _holds_teams(folder)
    if whole:
        options.refuse("whole submissions are ranked by their totals, and no item is shown", "limit")
    if whole and data is not None:
        raise UsageError("data files of whole submissions stand beside their truth files; leave --input out")
    with options.progress_bar(quiet=quiet) as progress:
        if whole:
            _board_of_teams(
                score_teams(loaded, gold, folder, how, models=models, unseen=require_unseen, progress=progress),
                folder,
                wanted,
            )
            return
        scored = score_folder(
            loaded, gold, folder, how, data=data, models=models, unseen=require_unseen, progress=progress
        )
    _board_of_files(scored, folder, [*gold, *([data] if data else [])], wanted)


def _refuse_of_page(out: Path | None, *names: str) -> None:
    """Raise `UsageError` for options of the page where none is written."""
    if out is None:
        options.refuse("without --out no page is written", *names)


def _holds_teams(folder: Path) -> bool:
    """Tell whether a folder holds whole submissions, and no result file."""
    return folder.is_dir() and bool(teams(folder)) and not any(map(is_result, folder.iterdir()))


@click.command(hidden=True)
@click.argument("reports", type=options.PATH, nargs=-1, required=True, metavar="FILE.report.json...")
@click.option("--out", type=options.OUT_PAGE, required=True, help="The HTML page to write.")
@_title_option
@_in_option
@_most_option
def report(*, reports: tuple[Path, ...], out: Path, title: str, folders: tuple[Path, ...], limit: int) -> None:
    """Join saved scores into one HTML page, as `duologue board` does.

    \b
    Example:
      duologue board a.report.json b.report.json --out page.html
    """
    write_text(out, _join([(path, read_report(path)) for path in reports], title, folders, limit))
    console.line(f"{len(reports)} report{'s' * (len(reports) > 1)} in {out}")


def _saved(words: Sequence[str]) -> list[tuple[Path, Report]]:
    """Return the saved reports that words name, those in folders too."""
    found: list[Path] = []
    for path in map(Path, words):
        inside = sorted(path.glob(_SAVED)) if path.is_dir() else [path]
        if not inside:
            raise UsageError(
                f"{path} holds no saved scores ({_SAVED}); to rank result files name their task: "
                f"duologue board TASK {path} --gold TRUTH"
            )
        found += inside
    return [(path, read_report(path)) for path in found]


def _join(
    reports: Sequence[tuple[Path, Report]], title: str, folders: tuple[Path, ...], limit: int, **resampling: int
) -> str:
    """Return saved reports as one page; `resampling` holds seed and resamples where they are not the usual ones."""
    cases = {number: _showcase(one, path, folders, limit) for number, (path, one) in enumerate(reports)}
    joined = [one for _, one in reports]
    return make_page(joined, title=title, commands=[_command()], formulas=formulas_of, showcases=cases, **resampling)


def _showcase(report: Report, path: Path, folders: tuple[Path, ...], limit: int) -> ErrorExamples:
    """Return the best and worst items of a saved report; none, with a word about it, where its files cannot be read."""
    if not limit:
        return find_error_examples(report, (), (), {})
    context = context_of(report, path, folders)
    if context.missing:
        console.line(f"{path}: no items are shown: {context.missing}", err=True)
    return find_error_examples(
        report, formulas_of(report), context.examples, context.answers, limit=limit, names=context.names
    )


def _board_of_saved(
    reports: Sequence[tuple[Path, Report]], folders: tuple[Path, ...], wanted: _Wanted, *, unseen: bool
) -> None:
    """Rank saved scores by test set, and join them into one page."""
    if unseen:
        for _, one in reports:
            demand_unseen(one)
    told: list[dict[str, Any]] = []
    shown: list[object] = []
    for together in test_sets_of([one for _, one in reports]):
        try:
            found = rank_all(together, formulas=formulas_of, seed=wanted.seed, resamples=wanted.resamples)
        except UsageError as error:  # no test can be made of the score that ranks
            told += [to_json(one) | {"unranked": str(error)} for one in together]
            shown += [render(one) for one in together]
        else:
            told.append(leaderboard_to_json(found))
            shown.append(render_leaderboard(found))

    def page() -> str:
        return _join(reports, wanted.title, folders, wanted.limit, seed=wanted.seed, resamples=wanted.resamples)

    wanted.tell(told[0] if len(told) == 1 else {"boards": told}, page, *shown)


def _command() -> str:
    return "duologue " + shlex.join(sys.argv[1:])


def _why(refused: Sequence[RefusedFile]) -> str:
    """Return a line for each file that could not be scored, with its first problem."""
    told = (f"{one.problems} problems, the first: {one.first}" if one.problems > 1 else one.first for one in refused)
    return "".join(f"\n  {one.file}: {words}" for one, words in zip(refused, told, strict=True))


def _board_of_files(scored: ScoredFolder, folder: Path, sources: Sequence[Path], wanted: _Wanted) -> None:
    """Rank the result files of a folder."""
    if not scored.reports:
        raise DuologueError(f"no file in {folder} can be scored:{_why(scored.refused)}")
    found = _ranked(scored.reports, scored.refused, wanted)

    def page() -> str:
        shown = _showcases(found, [folder, *(path.parent for path in sources)], wanted.limit)
        return leaderboard_page(found, title=wanted.title, commands=[_command()], seed=wanted.seed, showcases=shown)

    wanted.tell(leaderboard_to_json(found), page, render_leaderboard(found))


def _ranked(reports: Sequence[Report], refused: Sequence[RefusedFile], wanted: _Wanted) -> Leaderboard:
    return rank_all(
        reports,
        formulas=formulas_of,
        seed=wanted.seed,
        resamples=wanted.resamples,
        refused=[(one.file, one.problems, one.first) for one in refused],
    )


def _showcases(found: Leaderboard, folders: list[Path], limit: int) -> dict[str, ErrorExamples]:
    """Return the best and worst items of the first systems, where the files are small enough to be read again."""
    shown = {}
    for place in found.places[:_SHOWN]:
        report = place.report
        if limit and report.items and report.n <= _MAX_ITEMS:
            context = context_of(report, None, folders)
            items = find_error_examples(
                report, formulas_of(report), context.examples, context.answers, limit=limit, names=context.names
            )
            if items.worst:
                shown[place.system] = items
    return shown


def _board_of_teams(scored: ScoredTeams, folder: Path, wanted: _Wanted) -> None:
    """Rank whole submissions by their totals, and show what each scored on each test set."""
    if not scored.marks:
        raise DuologueError(f"no submission in {folder} can be scored:{_why(scored.refused)}")
    found = _ranked([marks.total for marks in scored.marks], scored.refused, wanted)
    test_sets = list(zip(*(marks.test_sets for marks in scored.marks), strict=True))
    told = leaderboard_to_json(found) | {
        "test_sets": {
            str(reports[0].meta["test_set"]): {report.system: to_json(report) for report in reports}
            for reports in test_sets
        }
    }
    several = len(test_sets) > 1

    def page() -> str:
        if not several:
            return leaderboard_page(found, title=wanted.title, commands=[_command()], seed=wanted.seed)
        reports = [report for group in test_sets for report in group]
        return make_page(
            reports,
            title=wanted.title,
            commands=[_command()],
            formulas=formulas_of,
            seed=wanted.seed,
            resamples=wanted.resamples,
        )

    order = [place.system for place in found.places]
    wanted.tell(told, page, render_leaderboard(found), *([render_test_sets(test_sets, order)] if several else []))
