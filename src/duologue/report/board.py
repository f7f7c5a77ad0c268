"""Reports put in order for a page: by task and variant, then test sets x systems, with ranks and ties."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.errors import UsageError
from duologue.metrics.significance import ROUNDS, SEED
from duologue.report.comparison import compare_all, named_in_order, rank_value, set_name
from duologue.report.leaderboard import ranks
from duologue.report.notes import notes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Problem, Report, Score
    from duologue.report.comparison import Comparison, Formulas


class Cell(NamedTuple):
    """One system on one test set."""

    report: Report
    score: Score | None
    """The score that ranks; `None` when the report lacks it or nothing was scored."""
    rank: int | None
    """Rank in the test set, shared by ties; `None` without a score."""
    tied: bool

    def named(self, name: str) -> Score | None:
        """Return one of the report's scores, or `None` when it lacks it."""
        return next((score for score in self.report.scores if score.name == name), None)


class TestSet(NamedTuple):
    """One test set with all systems that were scored on it."""

    name: str
    n: int
    cells: dict[str, Cell]
    """By system, the best first."""

    def slices(self, by: str) -> list[tuple[str, int, dict[str, float]]]:
        """Return the parts of one cut: name, number of answers, and the ranking score per system."""
        found: dict[str, tuple[int, dict[str, float]]] = {}
        for system, cell in self.cells.items():
            for part in cell.report.slices:
                values = {score.name: score.value for score in part.scores}
                if part.by == by and cell.report.rank_by in values:
                    found.setdefault(part.value, (part.n, {}))[1][system] = values[cell.report.rank_by]
        return [(name, n, row) for name, (n, row) in sorted(found.items())]


class SystemRow(NamedTuple):
    """One system over all test sets of a board."""

    name: str
    number: int
    """Place in the board from 0, for its colour and mark."""
    background: Report
    """One of its reports, for what that says of its training."""
    sets: int
    """Test sets that it was scored on."""
    mean: float | None
    """Mean of the ranking score over all test sets; `None` unless it was scored on each."""
    lowest: tuple[str, float] | None
    """The test set with its lowest score."""


@dataclass(frozen=True)
class Board:
    """All reports of one task scored by one variant."""

    task: str
    variant: str
    score: str
    """Name of the score that ranks."""
    systems: tuple[SystemRow, ...]
    """The best mean first."""
    sets: tuple[TestSet, ...]
    """In the order given."""
    comparisons: tuple[Comparison, ...]
    """One family of tests."""

    @property
    def percent(self) -> bool:
        """Whether the score that ranks is a fraction."""
        found = (cell.score for one in self.sets for cell in one.cells.values() if cell.score is not None)
        return all(score.percent for score in found)

    @property
    def caution(self) -> str:
        """Why intervals and tests may be wrong; empty where all dialogues are known."""
        found = (cell.report.caution for one in self.sets for cell in one.cells.values())
        return next(filter(None, found), "")

    @property
    def n(self) -> int:
        """Scored answers in all."""
        return sum(cell.report.n for one in self.sets for cell in one.cells.values())

    @property
    def notes(self) -> dict[str, str]:
        """What scores say of themselves, by name."""
        return notes_of(cell.report for one in self.sets for cell in one.cells.values())

    def score_names(self) -> list[str]:
        """Return the names of all scores, in order of first appearance."""
        return list(
            dict.fromkeys(
                score.name for one in self.sets for cell in one.cells.values() for score in cell.report.scores
            )
        )

    def cuts(self) -> list[str]:
        """Return what the reports are sliced by."""
        return list(
            dict.fromkeys(part.by for one in self.sets for cell in one.cells.values() for part in cell.report.slices)
        )

    def problems(self) -> list[tuple[str, str, Problem]]:
        """Return all problems with test set and system."""
        return [
            (one.name, name, problem)
            for one in self.sets
            for name, cell in one.cells.items()
            for problem in cell.report.problems
        ]

    def commands(self) -> list[str]:
        """Return the commands that the reports say they were made with, each once."""
        return list(
            dict.fromkeys(
                str(command)
                for one in self.sets
                for cell in one.cells.values()
                for command in cell.report.meta.get("commands", ())
            )
        )


def boards(
    reports: Sequence[Report],
    *,
    formulas: Formulas | None = None,
    seed: int = SEED,
    resamples: int = ROUNDS,
) -> list[Board]:
    """Return one board per task and variant, in order of first appearance.

    Reports with the same `meta["test_set"]`, or without one but with the same item ids, share a test set.
    `formulas` is as for `compare_all`. Raises `UsageError` for no reports, or reports of one test
    set over different items.
    """
    if not reports:
        raise UsageError("there are no reports to show; score a result file first and save its report")
    return [_board(group, formulas, seed, resamples) for group in _by_task(reports)]


def test_sets_of(reports: Sequence[Report]) -> list[list[Report]]:
    """Return the reports that are of one task, variant and test set, in order of first appearance."""
    return [group for together in _by_task(reports) for group in _test_sets(together).values()]


def _by_task(reports: Sequence[Report]) -> list[list[Report]]:
    """Return the reports of each task and variant."""
    groups: dict[tuple[str, str], list[Report]] = {}
    for report in reports:
        groups.setdefault((report.task, report.variant), []).append(report)
    return list(groups.values())


def _board(reports: Sequence[Report], formulas: Formulas | None, seed: int, resamples: int) -> Board:
    test_sets = _test_sets(reports)
    comparisons = compare_all(test_sets, formulas=formulas, seed=seed, resamples=resamples)
    sets = tuple(
        _test_set(name, group, [one for one in comparisons if one.test_set == name])
        for name, group in test_sets.items()
    )
    return Board(
        task=reports[0].task,
        variant=reports[0].variant,
        score=reports[0].rank_by,
        systems=_systems(sets),
        sets=sets,
        comparisons=comparisons,
    )


def _test_sets(reports: Sequence[Report]) -> dict[str, list[Report]]:
    unnamed: dict[object, str] = {}
    found: dict[str, list[Report]] = {}
    for report in reports:
        name = set_name(report)
        if name is None:
            key = frozenset(item for item, _ in report.items) or str(report.signature)
            name = unnamed.setdefault(key, f"set {len(unnamed) + 1}")
        found.setdefault(name, []).append(report)
    return found


def _test_set(name: str, reports: Sequence[Report], comparisons: Sequence[Comparison]) -> TestSet:
    ordered = named_in_order(reports)
    places = ranks([system for system, _ in ordered], comparisons)
    cells = {}
    for (system, report), place in zip(ordered, places, strict=True):
        value = rank_value(report)
        known = value is not None and not math.isnan(value)
        score = next((score for score in report.scores if score.name == report.rank_by), None) if known else None
        cells[system] = Cell(report, score, place if known else None, places.count(place) > 1)
    return TestSet(name, max(report.n for report in reports), cells)


def _systems(sets: Sequence[TestSet]) -> tuple[SystemRow, ...]:
    names = list(dict.fromkeys(name for one in sets for name in one.cells))
    rows = []
    for name in names:
        scored = [(one.name, one.cells[name].score) for one in sets if name in one.cells]
        values = [(where, score.value) for where, score in scored if score is not None]
        background = next(one.cells[name].report for one in sets if name in one.cells)
        mean = math.fsum(value for _, value in values) / len(sets) if len(values) == len(sets) else None
        lowest = min(values, key=lambda pair: pair[1]) if values else None
        rows.append((name, background, len(values), mean, lowest))
    rows.sort(key=lambda row: (row[3] is None, -(row[3] or 0.0)))
    return tuple(
        SystemRow(name, number, background, count, mean, lowest)
        for number, (name, background, count, mean, lowest) in enumerate(rows)
    )
