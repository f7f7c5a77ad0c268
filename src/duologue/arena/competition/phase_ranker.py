"""Ranks the entries that count in a phase, in a child process: the board of `duologue board`, as data and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.arena.competition.kept_score import kept_score
from duologue.core.disk import write_text
from duologue.core.errors import UsageError
from duologue.core.records import Record
from duologue.core.typed import convert
from duologue.report.comparison import in_order, rank_value
from duologue.report.html import leaderboard_page, page
from duologue.report.leaderboard import leaderboard_to_json, rank_all
from duologue.report.serialize import json_number
from duologue.run.saved import formulas_of, read_report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.arena.competition.score_shapes import BoardRow, PhaseBoard
    from duologue.core.records import Report


class RankOrder(Record, frozen=True, kw_only=True):
    """What is to be ranked."""

    title: str
    reports: dict[str, str]
    """By team, its saved report."""
    page: str = ""
    """Where the page goes; empty: none is written."""


def rank_phase(payload: dict[str, Any]) -> PhaseBoard | None:
    """Return the board of a phase, written as a page too, without the counts per item; `None` where nothing counts."""
    order = convert(payload, RankOrder)
    if not order.reports:
        return None
    reports = {team: read_report(Path(path)) for team, path in sorted(order.reports.items())}
    return board_of(reports, title=order.title, out=Path(order.page) if order.page else None)


def board_of(reports: dict[str, Report], *, title: str, out: Path | None = None) -> PhaseBoard:
    """Return the board of reports by team: rows in order, with tier, ranks that the tests leave open, and scores.

    Where the score that ranks is no sum over items, no test can be made: then equals share a rank, and no tier is told.
    """
    teams = {id(report): team for team, report in reports.items()}
    listed = [msgspec.structs.replace(report, problems=(), exposure=None) for report in reports.values()]
    for old, new in zip(reports.values(), listed, strict=True):
        teams[id(new)] = teams[id(old)]
    first = listed[0]
    board: PhaseBoard = {
        "n": first.n,
        "rank_by": first.rank_by,
        "variant": first.variant,
        "caution": first.caution,
        "untested": "",
        "detectable": None,
        "comparisons": [],
        "rows": [],
    }
    try:
        found = rank_all(listed, formulas=formulas_of)
    except UsageError as error:
        if out is not None:
            write_text(out, page(listed, title=title, formulas=formulas_of))
        board["untested"] = str(error)
        board["rows"] = [_row(teams[id(one)], one, None, ranks) for one, ranks in zip(*_untested(listed), strict=True)]
        return board
    if out is not None:
        write_text(out, leaderboard_page(found, title=title))
    board["rows"] = [_row(teams[id(one.report)], one.report, one.tier, (one.best, one.worst)) for one in found.places]
    board["detectable"] = json_number(found.detectable)
    board["comparisons"] = leaderboard_to_json(found)["comparisons"]
    return board


def _untested(reports: Sequence[Report]) -> tuple[list[Report], list[tuple[int, int]]]:
    """Return reports in order with the ranks of each: equals share theirs."""
    ordered = in_order(reports)
    values = [rank_value(one) for one in ordered]
    ranks = [(values.index(one) + 1, len(values) - values[::-1].index(one)) for one in values]
    return ordered, ranks


def _row(team: str, report: Report, tier: int | None, ranks: tuple[int, int]) -> BoardRow:
    return {
        "team": team,
        "tier": tier,
        "rank": ranks,
        "value": json_number(rank_value(report)),
        "scores": [kept_score(score) for score in report.scores],
        "slices": [
            {
                "by": part.by,
                "value": part.value,
                "n": part.n,
                "score": next((json_number(one.value) for one in part.scores if one.name == report.rank_by), None),
            }
            for part in report.slices
        ],
        "signature": str(report.signature),
    }
