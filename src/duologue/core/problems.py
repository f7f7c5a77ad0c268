"""The problems of a file: all are counted and the first thousand kept, so that memory stays bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

PROBLEM_LIMIT = 1_000
"""Problems of one file that are reported."""
RULE = "too-many-problems"
RULE_SAYS = "1,000 problems are told, the others counted (a warning where none of those is an error)"


class ProblemCollector:
    """Collects the problems of a file: keeps the first thousand, errors before warnings, and counts the rest."""

    def __init__(self, problems: Iterable[Problem] = (), limit: int | None = None) -> None:
        self._limit = PROBLEM_LIMIT if limit is None else limit
        self._kept: list[Problem] = []
        self._warnings = 0
        """How many of those kept are warnings."""
        self._more = {"error": 0, "warning": 0}
        for problem in problems:
            self.add(problem)

    def add(self, problem: Problem) -> None:
        """Add a problem."""
        grave = problem.severity == "error"
        if len(self._kept) < self._limit:
            self._kept.append(problem)
            self._warnings += not grave
        elif grave and self._warnings:
            last = max(place for place, one in enumerate(self._kept) if one.severity != "error")
            self._more["warning"] += self._kept.pop(last).stands_for
            self._warnings -= 1
            self._kept.append(problem)
        else:
            self._more["error" if grave else "warning"] += problem.stands_for

    def problems(self) -> tuple[Problem, ...]:
        """Return the problems kept and, where there are more, one problem that stands for the rest.

        That one is a warning where the rest are warnings, so that those refuse no file.
        """
        errors, warnings = self._more["error"], self._more["warning"]
        if not errors and not warnings:
            return tuple(self._kept)
        return (*self._kept, _rest(errors, warnings, total(self._kept)))


def capped(problems: Iterable[Problem], limit: int | None = None) -> tuple[Problem, ...]:
    """Return the first problems and, where there are more, one that says how many; none but the first are held.

    Errors come before warnings where there is no room for all.

    >>> [one.message for one in capped([Problem(rule="x", message="first"), Problem(rule="x", message="second")], 1)]
    ['first', 'and 1 more problem, an error; 2 in all']
    """
    return ProblemCollector(problems, limit).problems()


def total(problems: Iterable[Problem]) -> int:
    """Return how many problems there are, with those that are only counted."""
    return sum(problem.stands_for for problem in problems)


def _rest(errors: int, warnings: int, told: int) -> Problem:
    more = errors + warnings
    if more == 1:
        which = "problem, an error" if errors else "problem, a warning"
    elif errors and warnings:
        which = f"problems, {errors:,} of them errors"
    else:
        which = "problems, all errors" if errors else "problems, all warnings"
    message = f"and {more:,} more {which}; {told + more:,} in all"
    return Problem(rule=RULE, severity="error" if errors else "warning", message=message, stands_for=more)
