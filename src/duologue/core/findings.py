"""Problems of a file, all counted and the first thousand told: ten million faults must not fill the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 1_000
"""Problems of one file that are told."""
RULE = "too-many-problems"
RULE_SAYS = "1,000 problems are told, the others counted (a warning where none of those is an error)"


class Findings:
    """Takes problems as they are found, and holds the first thousand; an error takes the place of a warning."""

    def __init__(self, problems: Iterable[Problem] = (), most: int | None = None) -> None:
        self._most = MOST if most is None else most
        self._told: list[Problem] = []
        self._warnings = 0
        """How many of those told are warnings."""
        self._more = {"error": 0, "warning": 0}
        for problem in problems:
            self.add(problem)

    def add(self, problem: Problem) -> None:
        """Take a problem."""
        grave = problem.severity == "error"
        if len(self._told) < self._most:
            self._told.append(problem)
            self._warnings += not grave
        elif grave and self._warnings:
            last = max(place for place, one in enumerate(self._told) if one.severity != "error")
            self._more["warning"] += self._told.pop(last).stands_for
            self._warnings -= 1
            self._told.append(problem)
        else:
            self._more["error" if grave else "warning"] += problem.stands_for

    def problems(self) -> tuple[Problem, ...]:
        """Return what is told, and where there is more, one problem that stands for the rest.

        That one is a warning where the rest are warnings, so that those refuse no file.
        """
        errors, warnings = self._more["error"], self._more["warning"]
        if not errors and not warnings:
            return tuple(self._told)
        return (*self._told, _rest(errors, warnings, total(self._told)))


def capped(problems: Iterable[Problem], most: int | None = None) -> tuple[Problem, ...]:
    """Return the first problems and, where there are more, one that says how many; none but the first are held.

    Errors come before warnings where there is no room for all.

    >>> [one.message for one in capped([Problem(rule="x", message="first"), Problem(rule="x", message="second")], 1)]
    ['first', 'and 1 more problem, an error; 2 in all']
    """
    return Findings(problems, most).problems()


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
