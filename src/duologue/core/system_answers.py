"""The answers of a system, held against what a system promises: a stranger's may return anything."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

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
    name = type(system).__name__
    if broken := unkept(answers, samples):
        raise PlugInError(f"{name} {broken}")
    return list(cast("Sequence[Answer]", answers))


def unkept(answers: object, samples: Sequence[Sample]) -> str:
    """Return what of the answers to samples is not as a system promises, after its name; empty where all is."""
    promised = "a system must return a list with one Answer per sample, in order"
    if not isinstance(answers, Sequence) or isinstance(answers, str | bytes):
        return f"returned {kind_of(answers)}; {promised}"
    if wrong := [one for one in answers if not isinstance(one, Answer)]:
        return f"returned {kind_of(wrong[0])} as an answer; {promised}"
    if len(answers) != len(samples):
        return f"returned {amount(len(answers), 'answer')} for {amount(len(samples), 'sample')}; {promised}"
    faults = ((sample.id, _fault_in(answer)) for sample, answer in zip(samples, answers, strict=True))
    return next((f"answered sample '{name}' with {fault}" for name, fault in faults if fault), "")


def _fault_in(answer: Answer) -> str:
    """Return what part of an answer is of another type than the record says: it is not looked at when it is made."""
    text: object = answer.text
    ranking: object = answer.ranking
    annotation: object = answer.annotation
    if not isinstance(text, str | None):
        return f"{kind_of(text)} as its text; expected a text"
    if not isinstance(annotation, Annotation | None):
        return f"{kind_of(annotation)} as its annotation; expected an `Annotation`"
    if ranking is None:
        return ""
    if not isinstance(ranking, Sequence) or isinstance(ranking, str | bytes):
        return f"{kind_of(ranking)} as its ranking; expected ids of candidates in a tuple"
    if wrong := [one for one in ranking if not isinstance(one, str)]:
        return f"{kind_of(wrong[0])} in its ranking; expected ids of candidates as texts"
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


def kind_of(value: object) -> str:
    """Return in words what was given in place of what was promised."""
    return "None" if value is None else f"an object of type {type(value).__name__}"
