"""Self-contained HTML page of reports: no network, two languages, light and dark, printable."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from duologue.core.disk import write_text
from duologue.core.version import __version__
from duologue.metrics.significance import ROUNDS, SEED
from duologue.report.background import doubts
from duologue.report.board import boards
from duologue.report.comparison import ranking_formulas, set_name, system_names
from duologue.report.error_examples import distributions
from duologue.report.figures import Axis, line, mark, scale, score_axis
from duologue.report.numbers import figure, interval, percent, points, probability, thousands
from duologue.report.phrases import background
from duologue.report.policy import allowed, length, shade
from duologue.report.words import Term, both, name_in, said

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from jinja2 import Template

    from duologue.core.records import Report, Score
    from duologue.report.board import Board
    from duologue.report.comparison import Formulas
    from duologue.report.error_examples import Distribution, ErrorExamples
    from duologue.report.leaderboard import Leaderboard


def page(
    reports: Sequence[Report],
    *,
    title: str | None = None,
    commands: Sequence[str] = (),
    formulas: Formulas | None = None,
    showcases: Mapping[int, ErrorExamples] | None = None,
    seed: int = SEED,
    resamples: int = ROUNDS,
) -> str:
    """Return an HTML page: scores with ranks and ties, intervals, slices, paired tests, signatures, commands.

    `title` replaces the heading. `commands` stand before those that the reports carry in `meta["commands"]`.
    `meta["test_set"]` names a report's test set. `formulas` is as for `compare_all`. `showcases` holds
    the best and worst items by the place of the report in `reports`. The same reports give the same bytes: no date,
    no chance besides `seed`. Raises `UsageError` for no reports, and for reports that name the same test set but
    hold different items.
    """
    found = boards(reports, formulas=formulas, seed=seed, resamples=resamples)
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            title=title,
            boards=found,
            displays=_displays(reports, formulas or ranking_formulas, showcases or {}),
            score_axes=[_score_axis(board) for board in found],
            commands=list(dict.fromkeys([*commands, *(command for board in found for command in board.commands())])),
            systems=len({row.name for board in found for row in board.systems}),
            sets=sum(len(board.sets) for board in found),
            n=sum(board.n for board in found),
            seed=seed,
            version=__version__,
        )
    )


class Display(NamedTuple):
    """What stands behind the scores of one report."""

    name: str
    report: Report
    distributions: tuple[Distribution, ...]
    showcase: ErrorExamples | None

    @property
    def percent(self) -> bool:
        """Whether the score that ranks is a fraction."""
        score = _named(self.report, self.report.rank_by)
        return score is None or score.percent


def _displays(reports: Sequence[Report], formulas: Formulas, showcases: Mapping[int, ErrorExamples]) -> list[Display]:
    found = []
    for number, (report, name) in enumerate(zip(reports, system_names(reports), strict=True)):
        where = set_name(report)
        title = f"{name}, {where}" if where else name
        found.append(Display(title, report, distributions(report, formulas(report)), showcases.get(number)))
    return found


def leaderboard_page(
    found: Leaderboard,
    *,
    title: str,
    commands: Sequence[str] = (),
    seed: int = SEED,
    showcases: Mapping[str, ErrorExamples] | None = None,
) -> str:
    """Return a board of many systems as an HTML page; the same board gives the same bytes.

    `showcases` holds the best and worst items by system; they are shown in the order of the board.
    """
    shown = showcases or {}
    displays = [
        Display(place.system, place.report, (), shown[place.system]) for place in found.places if place.system in shown
    ]
    ranking = [_named(place.report, found.rank_by) for place in found.places]
    known = [score for score in ranking if score is not None]
    ends = [value for score in known for value in (score.low, score.value, score.high) if value is not None]
    return (
        _environment()
        .get_template("leaderboard.html.j2")
        .render(
            title=title,
            leaderboard=found,
            displays=displays,
            named=_named,
            doubts=doubts,
            axis=score_axis(ends, of_one=all(score.percent for score in known)),
            tiers=found.places[-1].tier,
            commands=list(commands),
            seed=seed,
            version=__version__,
        )
    )


def _named(report: Report, name: str) -> Score | None:
    return next((score for score in report.scores if score.name == name), None)


def template(name: str) -> Template:
    """Return a template of the reports, with the words, number formats and figures that it may use."""
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    """Return the templates with the words, number formats and figures that they use; each is compiled once."""
    environment = Environment(
        loader=PackageLoader("duologue.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": percent,
        "figure": figure,
        "interval": interval,
        "points": _points,
        "probability": probability,
        "thousands": thousands,
    }
    environment.globals |= {
        "t": both,
        "name_in": name_in,
        "said": said,
        "background": background,
        "term": Term,
        "line": line,
        "scale": scale,
        "mark": mark,
    }
    environment.globals |= {"shade": shade, "length": length, **allowed()._asdict()}
    return environment


def write_page(path: Path, reports: Sequence[Report], **options: Any) -> None:
    """Write `page(reports, **options)` as one file. Raises `StorageError` for what the disk refuses."""
    write_text(path, page(reports, **options))


def _points(difference: float, of_one: bool = True) -> str:  # noqa: FBT001, FBT002  # a template filter
    """Return a difference with a true minus sign."""
    return points(difference, of_one).replace("-", "\N{MINUS SIGN}")


def _score_axis(board: Board) -> Axis:
    scores = [cell.score for one in board.sets for cell in one.cells.values() if cell.score is not None]
    ends = [value for score in scores for value in (score.low, score.value, score.high) if value is not None]
    return score_axis(ends, of_one=board.percent)
