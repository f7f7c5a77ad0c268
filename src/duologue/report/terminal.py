"""A report and comparisons as tables for the terminal; they read the same without colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from duologue.report.comparison import ALPHA
from duologue.report.numbers import interval, percent, points, probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from duologue.core.records import Report, Slice
    from duologue.report.comparison import Comparison

MOST_PROBLEMS = 20
"""Problems printed before the rest is only counted."""


def render(report: Report) -> Group:
    """Return a report for `rich.console.Console.print`: scores in percent with 95 % intervals, slices, signature."""
    parts: list[RenderableType] = [_title(report), _scores(report)]
    parts.extend(_slices(report, by) for by in dict.fromkeys(part.by for part in report.slices))
    if any(score.low == score.high == score.value and report.n for score in report.scores):
        parts.append(Text("An interval without width: all items agree, so there is nothing to draw from.", "dim"))
    for problem in report.problems[:MOST_PROBLEMS]:
        place = f"{problem.place}: " if problem.place else ""
        parts.append(Text(f"{problem.severity}: {place}{problem.message} [{problem.rule}]", "yellow"))
    if len(report.problems) > MOST_PROBLEMS:
        parts.append(Text(f"... and {len(report.problems) - MOST_PROBLEMS} more problems"))
    parts.append(Text(report.signature, "dim"))
    return Group(*parts)


def render_comparisons(comparisons: Sequence[Comparison]) -> Group:
    """Return paired comparisons for `Console.print`: difference in points, interval, p-values, and who is better.

    One pair of systems is named above the table, with both values and both p-values in its rows; several pairs
    are named in the rows, with what decides.
    """
    single = len({(one.test_set, one.a, one.b) for one in comparisons}) == 1
    parts: list[RenderableType] = []
    if single:
        first = comparisons[0]
        where = f" on {first.test_set}" if first.test_set else ""
        parts.append(Text(f"A = {first.a}, B = {first.b}{where}, {first.n} items"))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in () if single else ("test set", "A", "B"):
        table.add_column(name)
    table.add_column("score", no_wrap=True)
    for name in (*(("A %", "B %") if single else ()), "A - B", "95 % interval"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in (*(("p boot",) if single else ()), "p rand", "p Holm"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("better", no_wrap=True)
    for one in comparisons:
        table.add_row(*_comparison(one, single=single))
    parts.append(table)
    families = sorted({one.family for one in comparisons})
    parts.append(
        Text(
            f"{'p boot: paired bootstrap; ' if single else ''}p rand: paired approximate randomisation; "
            f"p Holm: p rand corrected for {' or '.join(map(str, families)) or 'no'} tests. Better: p Holm below "
            f"{ALPHA}. A tie means that no difference is shown, not that there is none.",
            "dim",
        )
    )
    return Group(*parts)


def _comparison(one: Comparison, *, single: bool) -> list[str]:
    tested = one.tested
    names = [escape(one.test_set), escape(one.a), escape(one.b)]
    return [
        *([] if single else names),
        escape(tested.name),
        *([percent(tested.a), percent(tested.b)] if single else []),
        points(tested.difference),
        f"{points(tested.low)} to {points(tested.high)}",
        *([probability(tested.p_bootstrap)] if single else []),
        probability(tested.p_randomisation),
        probability(one.p_holm),
        f"[bold green]{one.better.upper()}[/]" if one.better else "tie",
    ]


def _title(report: Report) -> Text:
    title = Text(report.task, "bold")
    title.append(f" ({report.variant}), {report.n} items", "not bold")
    if report.system:
        title.append(f", system {report.system}", "not bold")
    if report.seen:
        title.append(f"\ndata seen in training: {report.seen}", "not bold")
    return title


def _scores(report: Report) -> Table:
    table = Table()
    table.add_column("score")
    table.add_column("%", justify="right")
    table.add_column("95 % interval", justify="right")
    table.add_column("")
    for score in report.scores:
        ranks = score.name == report.rank_by
        table.add_row(
            escape(score.name),
            percent(score.value),
            interval(score.low, score.high),
            "ranks systems" if ranks else "",
            style="bold" if ranks else "",
        )
    return table


def _slices(report: Report, by: str) -> Table:
    """Return one cut: the ranking score with its interval, the other scores without."""
    parts: list[Slice] = [part for part in report.slices if part.by == by]
    names = [score.name for score in report.scores if any(score.name == one.name for one in parts[0].scores)]
    table = Table()
    table.add_column(f"by {escape(by)}")
    table.add_column("n", justify="right")
    for name in names:
        table.add_column(f"{escape(name)} %", justify="right")
        if name == report.rank_by:
            table.add_column("95 % interval", justify="right")
    for part in parts:
        scores = {score.name: score for score in part.scores}
        cells = [escape(part.value), str(part.n)]
        for name in names:
            score = scores.get(name)
            cells.append(percent(score.value if score else None))
            if name == report.rank_by:
                cells.append(interval(score.low, score.high) if score else "")
        table.add_row(*cells)
    return table
