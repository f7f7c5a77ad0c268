"""A report and comparisons as tables for the terminal; they read the same without colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    """Return paired comparisons for `Console.print`: difference in points, interval, p-values, and who is better."""
    table = Table(title=f"Paired tests over the same items ({ALPHA:.0%} level)", title_justify="left")
    for name, justify in (
        ("test set", "left"),
        ("A", "left"),
        ("B", "left"),
        ("score", "left"),
        ("A %", "right"),
        ("B %", "right"),
        ("A - B", "right"),
        ("95 % interval", "right"),
        ("p boot", "right"),
        ("p rand", "right"),
        ("p Holm", "right"),
        ("better", "left"),
    ):
        if name != "test set" or any(one.test_set for one in comparisons):
            table.add_column(name, justify="right" if justify == "right" else "left")
    for one in comparisons:
        cells = [
            escape(one.test_set),
            escape(one.a),
            escape(one.b),
            one.tested.name,
            percent(one.tested.a),
            percent(one.tested.b),
            points(one.tested.difference),
            f"{points(one.tested.low)} to {points(one.tested.high)}",
            probability(one.tested.p_bootstrap),
            probability(one.tested.p_randomisation),
            probability(one.p_holm),
            {"a": f"[bold green]{escape(one.a)}[/]", "b": f"[bold green]{escape(one.b)}[/]", None: "tie"}[one.better],
        ]
        table.add_row(*(cells if len(cells) == len(table.columns) else cells[1:]))
    family = comparisons[0].family if comparisons else 0
    return Group(
        table,
        Text(
            f"p boot: paired bootstrap; p rand: paired approximate randomisation; p Holm: p rand corrected for "
            f"{family} tests. A tie means that no difference is shown, not that there is none.",
            "dim",
        ),
    )


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
