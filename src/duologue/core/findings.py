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


def capped(problems: Iterable[Problem], most: int = MOST) -> tuple[Problem, ...]:
    """Return the first problems and, where there are more, one that says how many; none but the first are held.

    The one that stands for the rest is a warning where the rest are warnings, so that those refuse no file.

    >>> [one.message for one in capped([Problem(rule="x", message="first"), Problem(rule="x", message="second")], 1)]
    ['first', 'and 1 more problem, an error; 2 in all']
    """
    told: list[Problem] = []
    errors = warnings = 0
    for problem in problems:
        if len(told) < most:
            told.append(problem)
        elif problem.severity == "error":
            errors += 1
        else:
            warnings += 1
    if errors or warnings:
        told.append(_rest(errors, warnings, most))
    return tuple(told)


def _rest(errors: int, warnings: int, told: int) -> Problem:
    more = errors + warnings
    if more == 1:
        which = "problem, an error" if errors else "problem, a warning"
    elif errors and warnings:
        which = f"problems, {errors:,} of them errors"
    else:
        which = "problems, all errors" if errors else "problems, all warnings"
    message = f"and {more:,} more {which}; {told + more:,} in all"
    return Problem(rule=RULE, severity="error" if errors else "warning", message=message)
