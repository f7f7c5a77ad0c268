"""Predictions and references as plain data: lists, mappings from sample ids, rows of an official file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from duologue.core import disk
from duologue.core.errors import FormatError, UsageError
from duologue.core.plain_lists import as_list, is_list
from duologue.core.records import Answer, Example, Sample

if TYPE_CHECKING:
    from duologue.core.protocols import Task

PlainAnswer: TypeAlias = str | Sequence[str] | Answer
"""A reply, a ranking of candidate ids, or an answer as a record."""
Predictions: TypeAlias = str | Path | Iterable[PlainAnswer] | Mapping[str, PlainAnswer] | Iterable[Mapping[str, Any]]
References: TypeAlias = Predictions | Iterable[Sequence[str]] | Iterable[Example]
Listed: TypeAlias = dict[str, Any] | list[Any]
"""Plain data when it was looked at: answers by ids, or a list."""
_SHOWN = 5
"""Ids in a message."""


def listed(given: object, what: str) -> Path | Listed:
    """Return predictions or references as a path, a dictionary or a list. Raises `UsageError` for what is none."""
    if isinstance(given, str | Path):
        return Path(given)
    if not isinstance(given, Mapping):
        return as_list(given, what)
    unfit = [name for name in given if not isinstance(name, str | Integral)]
    if unfit:
        raise UsageError(f"{unfit[0]!r:.80} is no id of a sample; ids are texts or whole numbers")
    named = {str(name): one for name, one in given.items()}
    if len(named) < len(given):
        raise UsageError("ids of samples are texts, and two of these are the same text; give each sample one")
    return named


@contextmanager
def as_file(task: Task, predictions: Path | Listed, examples: Sequence[Example]) -> Iterator[Path]:
    """Give predictions as an official file: their own, or one made for as long as the block runs."""
    if isinstance(predictions, Path):
        yield predictions
        return
    with disk.temporary_folder() as folder, _called("the list of predictions", folder):
        path = folder / "predictions.json"
        if _are_rows(predictions):
            disk.write_bytes(path, _encoded(predictions, "predictions"))
        else:
            task.write(examples, _answers(task, predictions, examples), path)
        yield path


def truth_of(task: Task, references: Path | Listed) -> list[Example]:
    """Return references as examples; those of a list are numbered from 1."""
    if isinstance(references, Path):
        return list(task.load_files([references]))
    if _are_rows(references):
        with disk.temporary_folder() as folder, _called("the list of references", folder):
            path = folder / "references.json"
            disk.write_bytes(path, _encoded(references, "references"))
            return list(task.load_files([path]))
    named: Iterable[tuple[str, Any]] = (
        references.items()
        if isinstance(references, dict)
        else ((str(number), one) for number, one in enumerate(references, start=1))
    )
    found = [one if isinstance(one, Example) else _example(task, name, one) for name, one in named]
    task.info.expect_one_reference(found)
    return found


def bare_samples(predictions: Path | Listed) -> list[Example]:
    """Return bare samples for predictions without data: ids of a mapping, or numbers from 1."""
    if isinstance(predictions, Path):
        return []
    names = predictions if isinstance(predictions, dict) else map(str, range(1, len(predictions) + 1))
    return [Example(sample=Sample(id=name, dialogue_id=name)) for name in names]


def demand_as_many(predictions: Path | Listed, truth: Sequence[Example]) -> None:
    """Raise `UsageError` where predictions are not as many as references, or have other ids."""
    if isinstance(predictions, Path) or _are_rows(predictions):
        return
    if not truth:
        raise UsageError("there is nothing to score: no reference is given")
    if isinstance(predictions, dict):
        missing = {one.sample.id for one in truth} - predictions.keys()
        if missing:
            raise UsageError(f"{len(missing)} of {len(truth)} references have no prediction: {_some(missing)}")
    else:
        _demand_one_for_each(predictions, len(truth), "references")


def _demand_one_for_each(predictions: Listed, number: int, what: str) -> None:
    if len(predictions) != number:
        raise UsageError(f"{len(predictions)} predictions are given for {number} {what}; give one for each")


@contextmanager
def _called(name: str, folder: Path) -> Iterator[None]:
    """Refuse plain data by a name that their owner knows, not by that of the file they pass through."""
    try:
        yield
    except FormatError as error:
        if Path(error.path).parent != folder:
            raise
        raise FormatError(name, error.problems, transcript=error.transcript) from None


def _are_rows(given: Listed) -> bool:
    """Whether plain data are rows of an official file."""
    return isinstance(given, list) and bool(given) and isinstance(given[0], Mapping)


def _encoded(rows: Listed, what: str) -> bytes:
    try:
        return msgspec.json.encode(rows)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"the rows of {what} cannot be written as JSON: {error}") from None


def _answers(task: Task, given: Listed, examples: Sequence[Example]) -> list[tuple[str, Answer]]:
    names = [example.sample.id for example in examples]
    if isinstance(given, dict):
        unknown = given.keys() - set(names)
        if unknown:
            raise UsageError(
                f"the predictions have ids that the samples do not have: {_some(unknown)}; the samples' are "
                f"{_some(names)}; name each prediction by the id of its sample"
            )
        return [
            (name, _answer(task, given[name], f"the prediction of sample '{name}'")) for name in names if name in given
        ]
    _demand_one_for_each(given, len(names), "samples")
    return [
        (name, _answer(task, one, f"the prediction of sample '{name}'")) for name, one in zip(names, given, strict=True)
    ]


def _answer(task: Task, given: Any, what: str) -> Answer:
    if isinstance(given, Answer):
        return given
    if task.info.answers == "ranking":
        ranking = [given] if isinstance(given, str) else list(given) if is_list(given) else [None]
        if all(isinstance(one, str) for one in ranking):
            return Answer(ranking=tuple(map(str, ranking)))
        raise UsageError(f"{what} is {given!r:.80}; expected ids of candidates as texts, best first")
    if isinstance(given, str):
        return Answer(text=str(given))
    raise UsageError(f"{what} is {given!r:.80}; expected a text or an `Answer`")


def _example(task: Task, name: str, given: Any) -> Example:
    several = list(given) if is_list(given) else [given]
    if not several:
        raise UsageError(f"sample '{name}' has no reference; give at least one")
    sample = Sample(id=name, dialogue_id=name)
    return Example(
        sample=sample, references=tuple(_answer(task, one, f"a reference of sample '{name}'") for one in several)
    )


def _some(names: Iterable[str]) -> str:
    first = sorted(names)
    return ", ".join(map(repr, first[:_SHOWN])) + (" ..." if len(first) > _SHOWN else "")
