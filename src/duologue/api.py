"""Duologue in a notebook: what the verbs of the command line do, as functions over paths, records and plain data.

`import duologue` offers these names lazily. Paths may be strings. Where a verb takes an official file, the function
takes plain data too: a list of replies, of rankings (candidate ids, best first), of an official file's own rows, or a
mapping from sample ids to one of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from duologue.core import disk
from duologue.core.capabilities import lacking_capability
from duologue.core.errors import FormatError, UsageError
from duologue.core.notebook import data_frame, html_table, text_table
from duologue.core.optional_protocols import Grounded, Inspectable
from duologue.core.plugins import load_task as _load_task
from duologue.core.records import Answer, Example, Report, Sample
from duologue.metrics.significance import SEED
from duologue.report import Comparison, Leaderboard, rank_all
from duologue.report import compare as compare_reports
from duologue.run import evaluate
from duologue.run.predict import answer_all, demand_unread, in_world, predict_file
from duologue.run.saved import formulas_of, read_report
from duologue.run.systems import open_system
from duologue.run.train import train as train_system

if TYPE_CHECKING:
    from duologue.core.protocols import System, Task, World
    from duologue.core.records import Problem

PathLike: TypeAlias = str | Path
PlainAnswer: TypeAlias = str | Sequence[str] | Answer
"""A reply, a ranking of candidate ids, or an answer as a record."""
Predictions: TypeAlias = PathLike | Sequence[PlainAnswer] | Mapping[str, PlainAnswer] | Sequence[Mapping[str, Any]]
References: TypeAlias = Predictions | Sequence[Sequence[str]] | Sequence[Example]
Table: TypeAlias = Mapping[str, object]
"""Recipe entries by name."""
_SHOWN = 5
"""Ids in a message."""


class ComparisonTable(tuple[Comparison, ...]):
    """The paired tests of two systems, a score each; shows itself as a table in a notebook."""

    __slots__ = ()
    columns = ("score", "a", "b", "difference", "low", "high", "p", "better")

    def rows(self) -> list[tuple[object, ...]]:
        """Return a row for each score: both values, the difference with its 95 % interval, the corrected p-value."""
        return [
            (
                one.tested.name,
                one.tested.a,
                one.tested.b,
                one.tested.difference,
                one.tested.low,
                one.tested.high,
                one.tested.p_adjusted,
                {"a": one.a, "b": one.b}.get(one.better or "", "not shown"),
            )
            for one in self
        ]

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame. Raises `ImportError` where pandas is not installed."""
        return data_frame(self.columns, self.rows())

    def __str__(self) -> str:
        return text_table(self._title, self.columns, self.rows(), below=self[0].caution if self else "")

    def _repr_html_(self) -> str:
        return html_table(self._title, self.columns, self.rows(), below=self[0].caution if self else "")

    @property
    def _title(self) -> str:
        return f"{self[0].a} against {self[0].b}, {self[0].n} items" if self else "nothing was compared"


def load_task(name: str) -> Task:
    """Return the task of a name, such as `"proactive"`; `duologue list` shows them. Raises `UsageError` for others."""
    return _load_task(name)


def load_system(
    task: str, name: PathLike, *, kb: PathLike | None = None, seed: int = SEED, recipe: Table | None = None
) -> System:
    """Return a registered system, or the model in a folder, ready to answer samples of a task.

    `kb` is the task's knowledge base, `recipe` has entries of a registered system's recipe. Raises `UsageError` for a
    system that does not serve the task and for wrong entries, `MissingExtraError` where it needs a library.
    """
    loaded = _load_task(task)
    system = open_system(loaded, str(name), overrides=_overrides(recipe))
    world = _world(loaded, kb)
    system.prepare(loaded.info, seed, {} if world is None else {world.name: world})
    return system


def load_data(task: str, *paths: PathLike) -> list[Example]:
    """Return the samples of data files with their references. Raises `FormatError` with all problems of a file."""
    return list(_load_task(task).load_files([Path(path) for path in paths]))


def predict(
    task: str,
    system: System | PathLike,
    data: PathLike | Sequence[Example],
    *,
    out: PathLike | None = None,
    kb: PathLike | None = None,
    seed: int = SEED,
) -> dict[str, Answer]:
    """Return the answers of a system to a data file or examples, by the ids of the samples.

    `system` is a name, the folder of a model, or what `load_system` gave. With `out` the official result file is
    written too; of a named system and a data file with the note that `duologue run` leaves beside it. A file that is
    there and is not such a result is never written over. Raises as `load_system` and `load_data` do.
    """
    loaded = _load_task(task)
    world = _world(loaded, kb)
    if out is not None and isinstance(system, str | Path) and isinstance(data, str | Path):
        named = open_system(loaded, str(system))
        given = None if kb is None else Path(kb)
        predict_file(loaded, named, Path(data), Path(out), name=str(system), world=world, kb=given, seed=seed)
        return dict(loaded.answers(loaded.read(Path(out)), load_data(task, data)))
    ready = load_system(task, system, kb=kb, seed=seed) if isinstance(system, str | Path) else system
    if isinstance(data, str | Path):
        demand_unread(ready, Path(data))
    examples = load_data(task, data) if isinstance(data, str | Path) else list(data)
    answers = answer_all(loaded, ready, in_world(examples, world))
    if out is not None:
        if Path(out).exists():
            raise UsageError(f"{out} is there already; choose another `out`, or remove it first")
        loaded.write(examples, answers, Path(out))
    return dict(answers)


def check(
    task: str, predictions: Predictions, data: PathLike | None = None, *, variant: str | None = None
) -> tuple[Problem, ...]:
    """Return all that is wrong with a result, held against its data file where one is given; nothing: `()`."""
    loaded = _load_task(task)
    examples = loaded.load_files([Path(data)]) if data is not None else None
    with _as_file(loaded, predictions, examples or _samples_of(predictions)) as path:
        chosen = evaluate.pick_variant(loaded, variant)
        return evaluate.check(loaded, path, Path(data) if data is not None else None, chosen)[1]


def score(
    task: str,
    predictions: Predictions,
    references: References | None = None,
    *,
    variant: str | None = None,
    options: Mapping[str, str] | None = None,
    system: str = "",
) -> Report:
    """Return the scores of predictions against references: `duologue.score("proactive", ["..."], ["..."])`.

    Both are a file, or plain data: of lists the n-th prediction belongs to the n-th reference. A reference is a text,
    several texts, the id of the right candidate, or an official row. `references` may be left out where the result
    file has them itself. Raises `FormatError` with all problems of what is refused, `UsageError` where the numbers
    differ.

    >>> report = score("proactive", ["ni hao", "wo hao"], ["ni hao a", "wo hen hao"])
    >>> round(report.scores[0].value, 4)
    0.8333
    """
    loaded = _load_task(task)
    how = evaluate.scoring(loaded, variant, options=[f"{name}={value}" for name, value in (options or {}).items()])
    if isinstance(references, str | Path) and isinstance(predictions, str | Path):
        report = evaluate.score(loaded, [Path(references)], Path(predictions), how)
    elif references is None:
        if not isinstance(predictions, str | Path):
            raise UsageError("plain predictions need references beside them: score(task, predictions, references)")
        report = evaluate.score(loaded, [], Path(predictions), how)
    else:
        truth = _truth(loaded, references)
        _demand_as_many(predictions, truth)
        with _as_file(loaded, predictions, truth) as path:
            report = loaded.score(truth, loaded.read(path), how)
    return msgspec.structs.replace(report, system=system) if system else report


def compare(a: Report | PathLike, b: Report | PathLike, *, seed: int = SEED) -> ComparisonTable:
    """Return paired tests of two reports over the same items, on every score that both have, corrected as one family.

    Raises `UsageError` where they are not of the same items.
    """
    first, second = _report(a), _report(b)
    return ComparisonTable(compare_reports(first, second, metrics=formulas_of(first), seed=seed))


def leaderboard(reports: Iterable[Report | PathLike], *, seed: int = SEED) -> Leaderboard:
    """Return reports on one test set ranked, with tiers of systems that no test tells apart.

    Raises `UsageError` for reports of different tasks, variants or truth.
    """
    return rank_all([_report(one) for one in reports], formulas=formulas_of, seed=seed)


def train(
    task: str,
    system: str,
    out: PathLike,
    *,
    data: Sequence[PathLike] = (),
    held_out: Sequence[PathLike] = (),
    unlabelled: Sequence[PathLike] = (),
    kb: PathLike | None = None,
    seed: int = SEED,
    recipe: Table | None = None,
) -> Path:
    """Train a registered system and return the folder of the model, which `load_system` and `predict` take.

    Without `data` it learns from what the task's simulator makes. A training that was stopped goes on. Raises
    `UsageError` for a system that does not learn, or not from `unlabelled` files, and where `out` holds another model.
    """
    from duologue.core.plugins import demand_fit
    from duologue.run.systems import recipe_of
    from duologue.run.training_parts import read_training_parts

    loaded = _load_task(task)
    demand_fit(system, loaded.info)
    world = _world(loaded, kb)
    parts = read_training_parts(
        loaded,
        world,
        data=[Path(path) for path in data],
        held_out=[Path(path) for path in held_out],
        unlabelled=[Path(path) for path in unlabelled],
    )
    train_system(
        loaded,
        system,
        recipe_of(system, None, _overrides(recipe)),
        seed,
        Path(out),
        **parts._asdict(),
        worlds={} if world is None else {world.name: world},
        kb=None if kb is None else Path(kb),
    )
    return Path(out)


def show(task: str, path: PathLike) -> str:
    """Return a data file as plain text, every dialogue with its answer, as `duologue show` prints it.

    Raises `UsageError` for a task whose files cannot be shown.
    """
    loaded = _load_task(task)
    if not isinstance(loaded, Inspectable):
        raise lacking_capability(loaded.info.name, "Inspectable", "open the file in an editor")
    parts: list[str] = []
    loaded.dump(Path(path), parts.append)
    return "".join(parts)


@contextmanager
def _as_file(task: Task, predictions: Predictions, examples: Sequence[Example]) -> Iterator[Path]:
    """Give predictions as an official file: their own, or one made for as long as the block runs."""
    if isinstance(predictions, str | Path):
        yield Path(predictions)
        return
    with disk.temporary_folder() as folder, _called("the list of predictions", folder):
        path = folder / "predictions.json"
        if _are_rows(predictions):
            disk.write_bytes(path, msgspec.json.encode(predictions))
        else:
            task.write(examples, _answers(task, predictions, examples), path)
        yield path


@contextmanager
def _called(name: str, folder: Path) -> Iterator[None]:
    """Refuse plain data by a name that their owner knows, not by that of the file they pass through."""
    try:
        yield
    except FormatError as error:
        if Path(error.path).parent != folder:
            raise
        raise FormatError(name, error.problems, transcript=error.transcript) from None


def _are_rows(given: object) -> bool:
    """Whether plain data are rows of an official file."""
    return isinstance(given, Sequence) and not isinstance(given, str) and bool(given) and isinstance(given[0], Mapping)


def _answers(task: Task, given: Any, examples: Sequence[Example]) -> list[tuple[str, Answer]]:
    if isinstance(given, Mapping):
        names = [example.sample.id for example in examples]
        unknown = given.keys() - set(names)
        if unknown:
            raise UsageError(
                f"the predictions have ids that the samples do not have: {_some(unknown)}; the samples' are "
                f"{_some(names)}; name each prediction by the id of its sample"
            )
        return [(name, _answer(task, given[name])) for name in names if name in given]
    return [(example.sample.id, _answer(task, one)) for example, one in zip(examples, given, strict=True)]


def _answer(task: Task, given: PlainAnswer) -> Answer:
    if isinstance(given, Answer):
        return given
    if task.info.answers == "ranking":
        ranking = [given] if isinstance(given, str) else given
        if isinstance(ranking, Sequence) and all(isinstance(one, str) for one in ranking):
            return Answer(ranking=tuple(ranking))
        raise UsageError(f"{given!r:.80} is no prediction of {task.info.name}; expected ids of candidates, best first")
    if isinstance(given, str):
        return Answer(text=given)
    raise UsageError(f"{given!r:.80} is no prediction of {task.info.name}; expected a text or an `Answer`")


def _truth(task: Task, given: References) -> list[Example]:
    """Return references as examples; those of a list are numbered from 1."""
    if isinstance(given, str | Path):
        return list(task.load_files([Path(given)]))
    if _are_rows(given):
        with disk.temporary_folder() as folder, _called("the list of references", folder):
            path = folder / "references.json"
            disk.write_bytes(path, msgspec.json.encode(given))
            return list(task.load_files([path]))
    named: Iterable[tuple[str, Any]] = (
        given.items()
        if isinstance(given, Mapping)
        else ((str(number), one) for number, one in enumerate(given, start=1))
    )
    return [one if isinstance(one, Example) else _example(task, name, one) for name, one in named]


def _example(task: Task, name: str, given: Any) -> Example:
    several = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    if not several:
        raise UsageError(f"sample '{name}' has no reference; give at least one")
    sample = Sample(id=name, dialogue_id=name)
    return Example(sample=sample, references=tuple(_answer(task, one) for one in several))


def _samples_of(predictions: Predictions) -> list[Example]:
    """Return bare samples for predictions without data: ids of a mapping, or numbers from 1."""
    if isinstance(predictions, str | Path):
        return []
    names = predictions if isinstance(predictions, Mapping) else map(str, range(1, len(predictions) + 1))
    return [Example(sample=Sample(id=name, dialogue_id=name)) for name in names]


def _demand_as_many(predictions: Predictions, truth: Sequence[Example]) -> None:
    if isinstance(predictions, str | Path) or _are_rows(predictions):
        return
    if not truth:
        raise UsageError("there is nothing to score: no reference is given")
    if isinstance(predictions, Mapping):
        missing = {one.sample.id for one in truth} - predictions.keys()
        if missing:
            raise UsageError(f"{len(missing)} of {len(truth)} references have no prediction: {_some(missing)}")
    elif len(predictions) != len(truth):
        raise UsageError(f"{len(predictions)} predictions are given for {len(truth)} references; give one for each")


def _some(names: Iterable[str]) -> str:
    first = sorted(names)
    return ", ".join(map(repr, first[:_SHOWN])) + (" ..." if len(first) > _SHOWN else "")


def _report(given: Report | PathLike) -> Report:
    return read_report(Path(given)) if isinstance(given, str | Path) else given


def _world(task: Task, kb: PathLike | None) -> World | None:
    if kb is None:
        return None
    if not isinstance(task, Grounded):
        raise lacking_capability(task.info.name, "Grounded", "leave `kb` out")
    return task.world(Path(kb))


def _overrides(recipe: Table | None) -> list[str]:
    """Return recipe entries as the command line takes them: `name=value`."""
    if recipe is None:
        return []
    entries = msgspec.to_builtins(recipe)
    return [
        f"{name}={value if isinstance(value, str) else msgspec.json.encode(value).decode()}"
        for name, value in entries.items()
    ]
