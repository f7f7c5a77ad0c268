"""Python errors with which the official scorers end, reported as such."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator


class OfficialError(Exception):
    """The official program ends with an uncaught Python error: its class is `kind`, its message `detail`."""

    def __init__(self, program: str, kind: str, detail: str) -> None:
        self.program, self.kind, self.detail = program, kind, detail
        super().__init__(f"the official {program} ends with {kind}: {detail}")

    def problem(self) -> Problem:
        """Return the error as a problem of the file."""
        return Problem(rule="official-crash", message=str(self), advice="see all problems with variant strict")


@contextmanager
def official_errors(program: str) -> Iterator[None]:
    """Turn Python errors that odd files cause in a replay of an official program into `OfficialError`."""
    try:
        yield
    except (LookupError, TypeError, AttributeError, ArithmeticError, ValueError, RecursionError) as error:
        raise OfficialError(program, type(error).__name__, str(error)) from error
