"""Reports and comparisons as terminal tables, readable without colour."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from duologue.core.amounts import amount
from duologue.core.escapes import one_line
from duologue.metrics.significance import ALPHA
from duologue.report.background import TRAINING_RULES, doubts, external_data, overlap_with_training
from duologue.report.comparison import system_names
from duologue.report.notes import in_lines, notes_of
from duologue.report.numbers import NOTHING, figure, interval, points, probability
from duologue.report.responsive_table import Column, ResponsiveTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from duologue.core.records import Report, Score, Slice
    from duologue.report.comparison import Comparison, Gap
    from duologue.report.leaderboard import Leaderboard

CAUTION_MARK = "\N{DAGGER}"
"""Stands beside every interval and test that may be wrong, since dialogues are not known."""
_NAME = 12
"""Cells in which the name of a score can be read, folded."""
MAX_PROBLEMS = 20
"""Problems printed before the rest is only counted."""


def render(report: Report) -> Group:
    """Return a report for `rich.console.Console.print`: scores in percent with 95 % intervals, slices, signature."""
    parts: list[RenderableType] = [_title(report), _scores(report)]
    parts += _notes(notes_of([report]))
    parts.extend(_slices(report, by) for by in dict.fromkeys(part.by for part in report.slices))
    parts += _caution(report.caution)
    for problem in report.problems[:MAX_PROBLEMS]:
        place = f"{problem.place}: " if problem.place else ""
        parts.append(_line(f"{problem.severity}: {place}{problem.message} [{problem.rule}]", "yellow"))
    if len(report.problems) > MAX_PROBLEMS:
        parts.append(_line(f"... and {amount(len(report.problems) - MAX_PROBLEMS, 'more problem')}"))
    if left_out := report.meta.get("not computed"):
        parts.append(_line(f"not computed: {left_out}", "dim"))
    parts.append(_line(str(report.signature), "dim"))
    return Group(*parts)


def render_comparisons(comparisons: Sequence[Comparison]) -> Group:
    """Return paired comparisons for `Console.print`: difference in points, interval, p-values, and who is better.

    A table per test set. One pair of systems is named above it, with both values in its rows; several pairs are named
    in the rows.
    """
    single = len({(one.test_set, one.a, one.b) for one in comparisons}) == 1
    parts: list[RenderableType] = []
    for name in dict.fromkeys(one.test_set for one in comparisons):
        rows = [one for one in comparisons if one.test_set == name]
        heading = f"{name or 'same items'}, {amount(rows[0].n, 'item')}"
        parts += [
            _line(f"A = {rows[0].a}, B = {rows[0].b}; {heading}" if single else heading),
            _tests(rows, single=single),
        ]
    parts += _notes({one.tested.name: one.note for one in comparisons if one.note})
    told = [(one.tested.name, one.win_loss) for one in comparisons if one.win_loss]
    if single and told:
        items = ", ".join(f"{name} {one.wins}/{one.losses}/{one.ties}" for name, one in told)
        parts.append(_line(f"Items on which A is better/worse/equal: {items}."))
    least = [
        f"{one.tested.name} {figure(one.tested.detectable, one.percent)}"
        for one in comparisons
        if math.isfinite(one.tested.detectable) and one.tested.detectable > 0
    ]
    if single and least:
        parts.append(_line(f"True differences that are found here with a chance of 80 %: {', '.join(least)}."))
    for family, swaps, lone in dict.fromkeys((one.family, one.swaps, bool(one.caution)) for one in comparisons):
        parts.append(_line(f"Family: {family}; {swaps} of {'single items' if lone else 'whole dialogues'}.", "dim"))
    parts.append(
        _line(
            f"p: paired approximate randomisation. p adj.: corrected over its family (step-down maximum statistic). "
            f"Better: p adj. below {ALPHA}. A tie means that no difference is shown, not that there is none.",
            "dim",
        )
    )
    parts += _caution(next((one.caution for one in comparisons if one.caution), ""))
    return Group(*parts)


def render_whole(files: Sequence[Report], test_sets: Sequence[Report], total: Report) -> Group:
    """Return a whole submission for `Console.print`: a row per file, per test set and in total, never pooled unsaid."""
    rows = [*files, *(test_sets if len(files) > len(test_sets) else ()), *([total] if len(test_sets) > 1 else ())]
    scores = [{score.name: score for score in report.scores} for report in rows]
    ranking = [row[total.rank_by] for row in scores]
    others = [score.name for score in total.scores if score.name != total.rank_by]
    table = ResponsiveTable(
        [
            Column("test set", [str(report.meta.get("test_set", "")) for report in rows], words=True),
            Column("n", [str(report.n) for report in rows]),
            _figures(total.rank_by, ranking),
            _intervals(ranking, total.caution),
        ],
        [_figures(name, [row.get(name) for row in scores]) for name in others],
        box.SIMPLE_HEAD,
    )
    heading = _line(f"{total.task} ({total.variant}), {total.system}: {amount(len(files), 'file')}", "bold")
    problems = [
        _line(f"{one.severity}: {one.place}{': ' if one.place else ''}{one.message} [{one.rule}]", "yellow")
        for one in total.problems
    ]
    more = (
        [_line(f"... and {amount(len(problems) - MAX_PROBLEMS, 'more problem')}")]
        if len(problems) > MAX_PROBLEMS
        else []
    )
    external = _line(f"external data: {external_data(total)}")
    return Group(
        heading,
        external,
        table,
        *_notes(notes_of(rows)),
        *problems[:MAX_PROBLEMS],
        *more,
        *_caution(total.caution),
        _line(str(total.signature), "dim"),
    )


def render_test_sets(test_sets: Sequence[Sequence[Report]], order: Sequence[str]) -> ResponsiveTable:
    """Return the ranking score of systems by test set, for `Console.print`; `test_sets` has the reports on each."""
    columns = []
    for reports in test_sets:
        rank_by = reports[0].rank_by
        scores = {one.system: next((score for score in one.scores if score.name == rank_by), None) for one in reports}
        columns.append(_figures(f"{reports[0].meta.get('test_set', '')} {rank_by}", [scores[name] for name in order]))
    return ResponsiveTable([Column("system", list(order), words=True), *columns], [], box.SIMPLE_HEAD)


def render_external(reports: Sequence[Report]) -> Text:
    """Return a line for `Console.print` that says which external data the systems declare."""
    names = system_names(reports)
    told = [f"{name}: {external_data(report)}" for name, report in zip(names, reports, strict=True)]
    return _line(f"External data: {'; '.join(told)}.")


def render_gaps(score: str, gaps: Sequence[Gap], *, of_one: bool = True) -> Table:
    """Return the items on which two systems differ most, for `Console.print`; `of_one` as for `numbers.figure`."""
    title = _line(f"Items that differ most in {score}{', in %' if of_one else ''}")
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, title=title)
    table.title_justify = "left"
    table.add_column("item", overflow="fold")
    for name in ("A", "B", "A - B"):
        table.add_column(name, justify="right", no_wrap=True)
    for gap in gaps:
        table.add_row(_line(gap.id), figure(gap.a, of_one), figure(gap.b, of_one), points(gap.a - gap.b, of_one))
    return table


def render_leaderboard(found: Leaderboard) -> Group:
    """Return a board of many systems for `Console.print`: tier, range of ranks, the ranking score with its interval."""
    scores = [{score.name: score for score in place.report.scores} for place in found.places]
    ranks = [
        str(place.best) if place.best == place.worst else f"{place.best} to {place.worst}" for place in found.places
    ]
    ranking = [row[found.rank_by] for row in scores]
    family = next((one.family for one in found.comparisons), "no pair")
    table = ResponsiveTable(
        [
            Column("tier", [str(place.tier) for place in found.places]),
            Column("ranks", ranks),
            Column("system", [place.system for place in found.places], words=True, least=8),
            _figures(found.rank_by, ranking),
            _intervals(ranking, found.caution),
            Column("external data", [external_data(place.report) for place in found.places], words=True, least=8),
        ],
        [_figures(name, [row.get(name) for row in scores]) for name in found.score_names if name != found.rank_by],
        box.SIMPLE_HEAD,
    )
    parts: list[RenderableType] = [
        _line(f"{found.task} ({found.variant}), {found.test_set or 'one test set'}, {amount(found.n, 'item')}", "bold"),
        table,
        *_notes(found.notes),
        _line(
            f"Within a tier no system is shown to be worse than its first (5 % over the family: {family}). Ranks: what "
            f"the tests leave open.",
            "dim",
        ),
    ]
    if found.detectable is not None:
        least = figure(found.detectable, ranking[0].percent)
        behind = f"{least}{' points' if ranking[0].percent else ''} from the first in {found.rank_by}"
        parts.append(_line(f"A true difference of {behind} is found with a chance of 80 %."))
    parts += _caution(found.caution)
    parts += [
        _line(f"warning: {problem.message}", "yellow")
        for place in found.places
        for problem in place.report.problems
        if problem.rule in TRAINING_RULES
    ]
    parts += [
        _line(f"warning: {place.system}: {problem.message}; {problem.advice}", "yellow")
        for place in found.places
        for problem in doubts(place.report)
    ]
    parts += [_line(f"{one.system}: scored on other items, not compared", "yellow") for one in found.unpaired]
    parts += [
        _line(f"{name}: refused ({amount(count, 'problem')}): {first}", "yellow")
        for name, count, first in found.refused
    ]
    return Group(*parts)


def _tests(comparisons: Sequence[Comparison], *, single: bool) -> ResponsiveTable:
    """Return one table; narrow enough for 80 columns with one pair.

    Where some scores are printed in percent and others are not, the sign stands beside the names of the first.
    """
    tested = [one.tested for one in comparisons]
    kinds = {one.percent for one in comparisons}
    mark = CAUTION_MARK if any(one.caution for one in comparisons) else ""
    names = [f"{one.tested.name} %" if one.percent and len(kinds) > 1 else one.tested.name for one in comparisons]
    intervals = [
        f"{points(one.tested.low, one.percent)} to {points(one.tested.high, one.percent)}"
        if one.has_interval
        else NOTHING
        for one in comparisons
    ]
    values = [
        Column(
            f"{side} %" if kinds == {True} else side,
            [figure(getattr(one.tested, side.lower()), one.percent) for one in comparisons],
        )
        for side in ("A", "B")
    ]
    systems = [Column(side, [getattr(one, side.lower()) for one in comparisons], words=True) for side in ("A", "B")]
    columns = [
        *(() if single else systems),
        Column("score", names, words=True, least=_NAME),
        *(values if single else ()),
        Column("A - B", [points(one.tested.difference, one.percent) for one in comparisons]),
        Column(f"95 % interval{mark}", intervals),
        Column(f"p{mark}", [probability(one.p) for one in tested]),
        Column(f"p adj.{mark}", [probability(one.p_adjusted) for one in tested]),
        Column("better", [_better(one) for one in comparisons], words=True, least=len("tested")),
    ]
    return ResponsiveTable(columns, [], box.SIMPLE_HEAD, padding=0 if single else 1)


def _better(one: Comparison) -> Text:
    if one.better:
        return Text(one.better.upper(), "bold green")
    return Text("tie" if one.is_tested else "not tested")


def _notes(found: dict[str, str]) -> list[Text]:
    """Return what scores of a table say of themselves."""
    return [_line(line) for line in in_lines(found)]


def _caution(told: str) -> list[Text]:
    """Return the warning that a mark beside intervals and tests stands for."""
    return [_line(f"{CAUTION_MARK} warning: {told}.", "yellow")] if told else []


def _line(text: str, style: str = "") -> Text:
    """Return text without markup, as one line whatever it holds."""
    return Text(one_line(text), style)


def _title(report: Report) -> Group:
    title = _line(report.task, "bold")
    title.append(one_line(f" ({report.variant}), {amount(report.n, 'item')}"), "not bold")
    if report.system:
        title.append(one_line(f", system {report.system}"), "not bold")
    overlap = overlap_with_training(report)
    return Group(
        title,
        *([_line(f"data seen in training: {report.seen}")] if report.seen else []),
        *([_line(f"truth seen in training: {overlap}")] if overlap else []),
        _line(f"external data: {external_data(report)}"),
    )


def _scores(report: Report) -> ResponsiveTable:
    remarks = [
        ", ".join(
            [*(["ranks systems"] if score.name == report.rank_by else []), *([] if score.percent else ["not in %"])]
        )
        for score in report.scores
    ]
    return ResponsiveTable(
        [
            Column("score", [score.name for score in report.scores], words=True, least=_NAME),
            Column(
                "%" if any(score.percent for score in report.scores) else "value",
                [figure(score.value, score.percent) for score in report.scores],
            ),
            _intervals(report.scores, report.caution),
            Column("", remarks, words=True, least=len("systems"), enough=len("systems")),
        ],
        styles=["bold" if score.name == report.rank_by else "" for score in report.scores],
    )


def _slices(report: Report, by: str) -> ResponsiveTable:
    """Return one cut: the ranking score with its interval, then the other scores without, as many as fit."""
    parts: list[Slice] = [part for part in report.slices if part.by == by]
    found = [{score.name: score for score in part.scores} for part in parts]
    names = [score.name for score in report.scores if any(score.name in scores for scores in found)]
    kept = [
        Column(f"by {by}", [part.value for part in parts], words=True),
        Column("n", [str(part.n) for part in parts]),
    ]
    others = []
    for name in names:
        column = _figures(name, [scores.get(name) for scores in found])
        if name == report.rank_by:
            kept += [column, _intervals([scores.get(name) for scores in found], report.caution)]
        else:
            others.append(column)
    return ResponsiveTable(kept, others)


def _figures(name: str, found: Sequence[Score | None]) -> Column:
    """Return the values of one score, with the sign in the heading where they are printed in percent."""
    of_one = all(score.percent for score in found if score)
    cells = [figure(score.value, score.percent) if score else NOTHING for score in found]
    return Column(f"{name} %" if of_one else name, cells)


def _intervals(found: Sequence[Score | None], caution: str) -> Column:
    cells = [interval(score.low, score.high, of_one=score.percent) if score else "" for score in found]
    return Column(f"95 % interval{CAUTION_MARK if caution else ''}", cells)
