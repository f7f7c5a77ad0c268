"""The answers of a system, held against what a system promises: a stranger's may return anything."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from duologue.core.amounts import amount
from duologue.core.errors import AnswerError, PlugInError
from duologue.core.records import Annotation, Answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from duologue.core.protocols import System
    from duologue.core.records import Sample

TAKEN_UP = "taken_up"
"""Entry of an account that says that its answer was there before, and took nothing now."""


def taken_up(account: Mapping[str, Any]) -> dict[str, Any]:
    """Return the account of an answer that was there before."""
    return {**account, TAKEN_UP: True}


def answers_of(system: System, samples: Sequence[Sample]) -> list[Answer]:
    """Return the answers of a prepared system, one per sample, in order.

    Raises `PlugInError` where the system returns something else, and what it raises itself.
    """
    with faults_of(system):
        answers: object = system.answer(list(samples))  # its own, which it may take apart
    name, promised = type(system).__name__, "a system must return a list with one Answer per sample, in order"
    if not isinstance(answers, Sequence) or isinstance(answers, str | bytes):
        raise PlugInError(f"{name} returned {_kind(answers)}; {promised}")
    if wrong := [one for one in answers if not isinstance(one, Answer)]:
        raise PlugInError(f"{name} returned {_kind(wrong[0])} as an answer; {promised}")
    if len(answers) != len(samples):
        raise PlugInError(
            f"{name} returned {amount(len(answers), 'answer')} for {amount(len(samples), 'sample')}; {promised}"
        )
    for sample, answer in zip(samples, answers, strict=True):
        if fault := _fault_in(answer):
            raise PlugInError(f"{name} answered sample '{sample.id}' with {fault}")
    return list(answers)


def _fault_in(answer: Answer) -> str:
    """Return what part of an answer is of another type than the record says: it is not looked at when it is made."""
    text: object = answer.text
    ranking: object = answer.ranking
    annotation: object = answer.annotation
    if not isinstance(text, str | None):
        return f"{_kind(text)} as its text; expected a text"
    if not isinstance(annotation, Annotation | None):
        return f"{_kind(annotation)} as its annotation; expected an `Annotation`"
    if ranking is None:
        return ""
    if not isinstance(ranking, Sequence) or isinstance(ranking, str | bytes):
        return f"{_kind(ranking)} as its ranking; expected ids of candidates in a tuple"
    if wrong := [one for one in ranking if not isinstance(one, str)]:
        return f"{_kind(wrong[0])} in its ranking; expected ids of candidates as texts"
    return ""


@contextmanager
def faults_of(system: System) -> Iterator[None]:
    """Raise `PlugInError` where a system ends the program, or its answers lack what their task writes."""
    name = type(system).__name__
    try:
        yield
    except AnswerError as error:
        raise PlugInError(f"{name} answered what the task cannot write: {error}") from error
    except SystemExit as leave:
        raise PlugInError(f"{name} called sys.exit({leave.code!r}); a system must return or raise an error") from leave


def _kind(value: object) -> str:
    return "None" if value is None else f"an object of type {type(value).__name__}"
