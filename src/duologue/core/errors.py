"""The exceptions of duologue, under one root.

A message says what was found, where, what was expected and what to do. `assert` is for our own
mistakes only; whatever a user's file, option or disk can cause is one of these.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from duologue.core.amounts import amount
from duologue.core.escapes import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Problem


class DuologueError(Exception):
    """The root. The command line prints its message without a traceback and exits with `exit_code`."""

    exit_code = 1

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes as it is: Python would make a copy from the message alone."""
        return _revived, (type(self), self.args), self.__dict__


def _revived(kind: type[DuologueError], args: tuple[object, ...]) -> DuologueError:
    return kind.__new__(kind, *args)


class UsageError(DuologueError):
    """The call is wrong: an unknown name, an option that does not fit, a recipe key that does not exist."""

    exit_code = 2


class NotFoundError(UsageError):
    """What is named is not there, or not for whoever asks."""


class AnswerError(UsageError):
    """An answer lacks what its task writes; where a system gave it, that is the fault of the system."""


class FormatError(DuologueError):
    """A file is not what it should be. Carries all its problems, not only the first."""

    def __init__(self, path: object, problems: Sequence[Problem], *, transcript: Sequence[str] = ()) -> None:
        self.path = str(path)
        self.problems = tuple(problems)
        self.transcript = tuple(transcript)
        super().__init__(describe_problems(self.path, self.problems))


class TruthError(FormatError):
    """The truth is not what it should be, whatever is scored against it; `files` are those that it was read from."""

    def __init__(self, problems: Sequence[Problem], files: Sequence[str] = ()) -> None:
        super().__init__(" ".join(("the truth", ", ".join(files))).rstrip(), problems)


class StorageError(DuologueError):
    """The disk refuses: a folder in place of a file, no permission, no space left."""


class NoSpaceError(StorageError):
    """The disk is full, or a quota is used up: nothing is wrong with what was to be written, and it can be again."""


class BusyError(StorageError):
    """Another process is writing there."""


class MissingExtraError(DuologueError):
    """An optional library is needed and not installed; the message names the extra."""


class BotError(DuologueError):
    """A bot of the user's own is down, too slow, or answers what is no answer; what it answered before is good."""


class RequestError(DuologueError):
    """A request to a served system lacks what its task needs; whoever asked is told the message as it is."""


class PlugInError(DuologueError):
    """An installed plug-in cannot be loaded or does not keep its contract."""


def describe_problems(path: str, problems: Sequence[Problem], *, limit: int = 20) -> str:
    """Return the problems of a file as plain text, one line each, cut after `limit` lines; it says how many in all."""
    total = sum(problem.stands_for for problem in problems)
    lines = [f"{one_line(path)} has {amount(total, 'problem')}:"]
    for problem in problems[:limit]:
        place = f"{problem.place}: " if problem.place else ""
        advice = f"; {problem.advice}" if problem.advice else ""
        mark = "(warning) " if problem.severity == "warning" else ""
        lines.append(one_line(f"  {mark}{place}{problem.message}{advice} [{problem.rule}]"))
    if len(problems) > limit:
        more = total - sum(problem.stands_for for problem in problems[:limit])
        told = len(problems) - (problems[-1].stands_for > 1)
        which = "all of them" if total == len(problems) else f"the first {told:,}"
        lines.append(f"  ... and {more:,} more ({which} with --json)")
    return "\n".join(lines)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `"; did you mean 'x'?"` for a near miss, else the list of what is known, else nothing.

    >>> did_you_mean("widht", ["width", "depth"])
    "; did you mean 'width'?"
    """
    names = sorted(known)
    close = get_close_matches(str(word), names, n=1)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; known are {', '.join(names)}" if names else ""
