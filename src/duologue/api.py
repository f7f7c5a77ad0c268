"""Duologue in a notebook: what the verbs of the command line do, as functions over paths, records and plain data.

`import duologue` offers these names lazily. Paths may be strings. Where a verb takes an official file, the function
takes plain data too: a list of replies, of rankings (candidate ids, best first), of an official file's own rows, or a
mapping from sample ids to one of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from duologue.core.capabilities import lacking_capability
from duologue.core.errors import UsageError
from duologue.core.notebook import data_frame, html_table, text_table
from duologue.core.optional_protocols import Grounded
from duologue.core.plain_lists import as_list, as_whole_number, demand_one_order
from duologue.core.plugins import load_task as _load_task
from duologue.core.protocols import Task
from duologue.core.records import Answer, Example, Report
from duologue.metrics.significance import SEED
from duologue.report import Comparison, Leaderboard, rank_all
from duologue.report import compare as compare_reports
from duologue.run import evaluate, plain_data
from duologue.run.predict import answer_all, demand_unread, in_world, predict_file
from duologue.run.saved import formulas_of, read_report
from duologue.run.systems import open_system
from duologue.run.train import train as train_system

if TYPE_CHECKING:
    from duologue.core.protocols import System, World
    from duologue.core.records import Problem
    from duologue.run.plain_data import Predictions, References

PathLike: TypeAlias = str | Path
TaskLike: TypeAlias = str | Task
"""The name of a task, or what `load_task` gave."""
Table: TypeAlias = Mapping[str, object]
"""Recipe entries by name."""


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
        return text_table(self._title, self.columns, self.rows(), below=filter(None, [self[0].caution if self else ""]))

    def _repr_html_(self) -> str:
        return html_table(self._title, self.columns, self.rows(), below=filter(None, [self[0].caution if self else ""]))

    @property
    def _title(self) -> str:
        return f"{self[0].a} against {self[0].b}, {self[0].n} items" if self else "nothing was compared"


def load_task(name: str) -> Task:
    """Return the task of a name, such as `"proactive"`; `duologue list` shows them. Raises `UsageError` for others."""
    return _task(name)


def load_system(
    task: TaskLike, name: PathLike, *, kb: PathLike | None = None, seed: int = SEED, recipe: Table | None = None
) -> System:
    """Return a registered system, or the model in a folder, ready to answer samples of a task.

    `kb` is the task's knowledge base, `recipe` has entries of a registered system's recipe. Raises `UsageError` for a
    system that does not serve the task and for wrong entries, `MissingExtraError` where it needs a library.
    """
    loaded = _task(task)
    system = open_system(loaded, str(name), overrides=_overrides(recipe))
    world = _world(loaded, kb)
    system.prepare(loaded.info, _seed(seed), {} if world is None else {world.name: world})
    return system


def load_data(task: TaskLike, *paths: PathLike) -> list[Example]:
    """Return the samples of data files with their references. Raises `FormatError` with all problems of a file."""
    return list(_task(task).load_files(_paths(paths)))


def predict(
    task: TaskLike,
    system: System | PathLike,
    data: PathLike | Iterable[Example],
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
    loaded, seed = _task(task), _seed(seed)
    world = _world(loaded, kb)
    if out is not None and isinstance(system, str | Path) and isinstance(data, str | Path):
        named = open_system(loaded, str(system))
        given = None if kb is None else Path(kb)
        predict_file(loaded, named, Path(data), Path(out), name=str(system), world=world, kb=given, seed=seed)
        return dict(loaded.answers(loaded.read(Path(out)), load_data(task, data)))
    if out is not None and Path(out).exists():
        raise UsageError(f"{out} is there already; choose another `out`, or remove it first")
    ready = load_system(task, system, kb=kb, seed=seed) if isinstance(system, str | Path) else _system(system)
    if isinstance(data, str | Path):
        demand_unread(ready, Path(data))
    examples = load_data(task, data) if isinstance(data, str | Path) else _examples(data)
    answers = answer_all(loaded, ready, in_world(examples, world))
    if out is not None:
        loaded.write(examples, answers, Path(out))
    return dict(answers)


def check(
    task: TaskLike, predictions: Predictions, data: PathLike | None = None, *, variant: str | None = None
) -> tuple[Problem, ...]:
    """Return all that is wrong with a result, held against its data file where one is given; nothing: `()`."""
    loaded, said = _task(task), plain_data.listed(predictions, "predictions")
    source = _path(data) if data is not None else None
    examples = loaded.load_files([source]) if source is not None else None
    with plain_data.as_file(loaded, said, examples or plain_data.bare_samples(said)) as path:
        chosen = evaluate.pick_variant(loaded, variant)
        return evaluate.check(loaded, path, source, chosen)[1]


def score(
    task: TaskLike,
    predictions: Predictions,
    references: References | None = None,
    *,
    variant: str | None = None,
    options: Mapping[str, str] | None = None,
    system: str = "",
) -> Report:
    """Return the scores of predictions against references: `duologue.score("proactive", ["..."], ["..."])`.

    Both are a file, or plain data: of lists the n-th prediction belongs to the n-th reference. A reference is a text,
    several texts where the task's scores look at them, the id of the right candidate, or an official row. `references`
    may be left out where the result file has them itself. Raises `FormatError` with all problems of what is refused,
    `UsageError` where the numbers differ.

    >>> report = score("proactive", ["ni hao", "wo hao"], ["ni hao a", "wo hen hao"])
    >>> round(report.scores[0].value, 4)
    0.8333
    """
    loaded, said = _task(task), plain_data.listed(predictions, "predictions")
    demand_one_order(predictions, references, "predictions and references")
    chosen = _entries(options, "options")
    how = evaluate.scoring(loaded, variant, options=[f"{name}={value}" for name, value in chosen.items()])
    if references is None:
        if not isinstance(said, Path):
            raise UsageError("plain predictions need references beside them: score(task, predictions, references)")
        report = evaluate.score(loaded, [], said, how)
    elif isinstance(references, str | Path) and isinstance(said, Path):
        report = evaluate.score(loaded, [Path(references)], said, how)
    else:
        truth = plain_data.truth_of(loaded, plain_data.listed(references, "references"))
        plain_data.demand_as_many(said, truth)
        with plain_data.as_file(loaded, said, truth) as path:
            report = loaded.score(truth, loaded.read(path), how)
    return msgspec.structs.replace(report, system=str(system)) if system else report


def compare(a: Report | PathLike, b: Report | PathLike, *, seed: int = SEED) -> ComparisonTable:
    """Return paired tests of two reports over the same items, on every score that both have, corrected as one family.

    Raises `UsageError` where they are not of the same items.
    """
    first, second = _report(a), _report(b)
    return ComparisonTable(compare_reports(first, second, metrics=formulas_of(first), seed=_seed(seed)))


def leaderboard(reports: Iterable[Report | PathLike] | Report | PathLike, *, seed: int = SEED) -> Leaderboard:
    """Return reports on one test set ranked, with tiers of systems that no test tells apart.

    Raises `UsageError` for reports of different tasks, variants or truth.
    """
    several = [reports] if isinstance(reports, Report | str | Path) else as_list(reports, "reports")
    return rank_all([_report(one) for one in several], formulas=formulas_of, seed=_seed(seed))


def train(
    task: TaskLike,
    system: str,
    out: PathLike,
    *,
    data: Iterable[PathLike] | PathLike = (),
    held_out: Iterable[PathLike] | PathLike = (),
    unlabelled: Iterable[PathLike] | PathLike = (),
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

    loaded = _task(task)
    demand_fit(system, loaded.info)
    world = _world(loaded, kb)
    parts = read_training_parts(
        loaded,
        world,
        data=_paths(data),
        held_out=_paths(held_out),
        unlabelled=_paths(unlabelled),
    )
    train_system(
        loaded,
        system,
        recipe_of(system, None, _overrides(recipe)),
        _seed(seed),
        Path(out),
        **parts._asdict(),
        worlds={} if world is None else {world.name: world},
        kb=None if kb is None else Path(kb),
    )
    return Path(out)


def show(
    task: TaskLike, path: PathLike, *, gold: Iterable[PathLike] | PathLike = (), data: PathLike | None = None
) -> str:
    """Return a data file as plain text, every dialogue with its answer, as `duologue show` prints it.

    With `gold` it is a result file: each sample with what was wanted and what was answered; `data` is the file that it
    answers, where the truth has no dialogues. Raises `UsageError` for a task whose files cannot be shown.
    """
    parts: list[str] = []
    given = None if data is None else _path(data)
    evaluate.dump(_task(task), _path(path), parts.append, golds=_paths(gold), data=given)
    return "".join(parts)


def _task(given: TaskLike) -> Task:
    """Return a task, given by its name or as `load_task` gave it."""
    if isinstance(given, str):
        return _load_task(given)
    if isinstance(given, Task):
        return given
    raise UsageError(f"{given!r:.80} is no task; give its name, such as 'proactive'")


def _system(given: System) -> System:
    if hasattr(given, "answer"):
        return given
    raise UsageError(f"{given!r:.80} is no system; give its name, the folder of a model, or what `load_system` gave")


def _examples(given: Iterable[Example]) -> list[Example]:
    listed = as_list(given, "examples")
    unfit = [one for one in listed if not isinstance(one, Example)]
    if unfit:
        raise UsageError(f"{unfit[0]!r:.80} is no `Example`; give one data file, or what `load_data` gave")
    return listed


def _paths(given: Iterable[PathLike] | PathLike) -> list[Path]:
    return [_path(given)] if isinstance(given, str | Path) else [_path(one) for one in as_list(given, "files")]


def _path(given: object) -> Path:
    if isinstance(given, str | Path):
        return Path(given)
    raise UsageError(f"{given!r:.80} is no path of a file; give each file as a text or a `Path`")


def _seed(given: int) -> int:
    seed = as_whole_number(given, "seed")
    if seed < 0:
        raise UsageError(f"seed is {seed}; expected a whole number from 0")
    return seed


def _report(given: Report | PathLike) -> Report:
    if isinstance(given, Report):
        return given
    if isinstance(given, str | Path):
        return read_report(Path(given))
    raise UsageError(f"{given!r:.80} is no report; give what `score` returned, or the path of a report")


def _world(task: Task, kb: PathLike | None) -> World | None:
    if kb is None:
        return None
    if not isinstance(task, Grounded):
        raise lacking_capability(task.info.name, "Grounded", "leave `kb` out")
    return task.world(Path(kb))


def _overrides(recipe: Table | None) -> list[str]:
    """Return recipe entries as the command line takes them: `name=value`."""
    try:
        entries = msgspec.to_builtins(_entries(recipe, "recipe"), builtin_types=())
    except TypeError as error:
        raise UsageError(f"the recipe has a value that no recipe has: {error}") from None
    return [
        f"{name}={value if isinstance(value, str) else msgspec.json.encode(value).decode()}"
        for name, value in entries.items()
    ]


def _entries(given: Mapping[str, object] | None, what: str) -> Mapping[str, object]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise UsageError(f"{what} is {given!r:.80}; expected a mapping from names to values")
    return given
