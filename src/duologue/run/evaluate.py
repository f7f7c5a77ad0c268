"""Score an official result file against the truth; the file is what is ranked, never answers in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.core.disk import Source
from duologue.core.errors import FormatError, UsageError, did_you_mean
from duologue.core.lines import sha256
from duologue.core.protocols import FactChecking, Gathering, Naming
from duologue.core.recipe import read_toml
from duologue.core.records import Scoring
from duologue.run.predict import provenance_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import Task, World
    from duologue.core.records import Example, Problem, Report, Submission


def pick_variant(task: Task, variant: str | None) -> str:
    """Return the score variant asked for, or the task's default; an unknown one is a `UsageError`."""
    if variant is None:
        return task.brief.variants[0]
    if variant not in task.brief.variants:
        raise UsageError(f"{task.brief.name} has no variant '{variant}'{did_you_mean(variant, task.brief.variants)}")
    return variant


def choices_in(options: Iterable[str], known: Mapping[str, Sequence[str]], task: str) -> dict[str, str]:
    """Return `name=value` texts as a dictionary; `known` has the values of each name, none for any text.

    Raises `UsageError` for a text of another shape, and for a name or a value that the task does not have.
    """
    chosen: dict[str, str] = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            example = next((f"{one}={values[0] if values else 'FILE'}" for one, values in known.items()), "name=value")
            raise UsageError(f"--option {option}: expected name=value, such as --option {example}")
        if name not in known:
            raise UsageError(f"{task} has no option '{name}'{did_you_mean(name, known) or f'; {task} has no options'}")
        if known[name] and value not in known[name]:  # no values listed: any text, such as a path
            raise UsageError(f"option '{name}' has no value '{value}'{did_you_mean(value, known[name])}")
        chosen[name] = value
    return chosen


def scoring(
    task: Task,
    variant: str | None = None,
    *,
    options: Iterable[str] = (),
    samples: str | None = None,
    by: Iterable[str] = (),
    partial: bool = False,
) -> Scoring:
    """Return how to score, from what a user asked for: `options` are `name=value`, the rest names of the brief.

    Raises `UsageError` for a name or a value that the task does not have.
    """
    brief = task.brief
    chosen = choices_in(options, brief.options, brief.name)
    if samples is not None and samples not in brief.samples:
        raise UsageError(f"{brief.name} has no samples '{samples}'{did_you_mean(samples, brief.samples)}")
    cuts = tuple(by)
    for cut in cuts:
        if cut not in brief.slices:
            known = did_you_mean(cut, brief.slices) or f"; scores of {brief.name} are not cut"
            raise UsageError(f"{brief.name} cannot be cut by '{cut}'{known}")
    return Scoring(
        variant=pick_variant(task, variant),
        options=chosen,
        samples=samples if samples is not None else brief.samples[0],
        by=cuts,
        partial=partial,
    )


def join(data: Sequence[Example], truth: Sequence[Example]) -> list[Example]:
    """Return the truth with the samples of the data file put in, so that slices can be made.

    Truth rows that the data does not know keep their own bare sample.
    """
    samples = {example.sample.id: example.sample for example in data}
    return [
        msgspec.structs.replace(example, sample=samples.get(example.sample.id, example.sample)) for example in truth
    ]


def gather(task: Task, paths: Sequence[Path]) -> list[Example]:
    """Return the examples of several truth files: those of one id become one, with the references of all files.

    Examples that one file holds twice stay two. A task that is `Gathering` does it in its own way.
    """
    if isinstance(task, Gathering) and len(paths) > 1:
        return task.gather(paths)
    found = list(task.load(paths[0])) if paths else []
    for path in paths[1:]:
        places = {example.sample.id: place for place, example in enumerate(found)}
        for example in task.load(path):
            place = places.get(example.sample.id)
            if place is None:
                found.append(example)
            else:
                here = found[place]
                found[place] = msgspec.structs.replace(here, references=(*here.references, *example.references))
    return found


def check(
    task: Task, result: Path, data: Path | None, variant: str, world: World | None = None
) -> tuple[Submission, tuple[Problem, ...]]:
    """Return a result file as read and all its problems, measured against data file and knowledge base when given.

    Raises `UsageError` for a knowledge base that the task's check has no use for.
    """
    if world is not None and not isinstance(task, FactChecking):
        raise UsageError(f"the check of {task.brief.name} looks nothing up in a knowledge base; leave --kb out")
    submission = task.read(result)
    examples = list(task.load(data)) if data is not None else None
    if isinstance(task, FactChecking) and world is not None:
        return submission, task.check(submission, examples, variant, world=world)
    return submission, task.check(submission, examples, variant)


class Truth(NamedTuple):
    """Truth files, read once, with where they came from."""

    examples: list[Example]
    files: dict[str, list[dict[str, str]]]
    """Path and hash of each file, under `gold` and `input`."""
    test_set: str
    """Name of the test set; empty where there is no truth file."""

    @classmethod
    def of(cls, task: Task, golds: Sequence[Path], data: Path | None = None) -> Truth:
        """Read truth files, with the samples of a data file put in when there is one."""
        examples = gather(task, golds)
        if data is not None:
            examples = join(list(task.load(data)), examples)
        named = task.test_set(golds[0]) if golds and isinstance(task, Naming) else None
        files = {"gold": [_file(path) for path in golds], "input": [] if data is None else [_file(data)]}
        return cls(examples, files, named or (_stem(golds[0]) if golds else ""))


def score(
    task: Task,
    golds: Sequence[Path],
    result: Path,
    how: Scoring,
    *,
    data: Path | None = None,
    test_set: str | None = None,
) -> Report:
    """Return the report of a result file against truth files; none where the result file has its references itself.

    `data` (the data file with texts and candidates) adds slices and the check for unknown candidates. Raises as
    `score_against` does.
    """
    return score_against(task, Truth.of(task, golds, data), result, how, test_set=test_set)


def score_against(task: Task, truth: Truth, result: Path, how: Scoring, *, test_set: str | None = None) -> Report:
    """Return the report of a result file against truth that is read already.

    The report's `meta` has the name of the test set, how it was scored, and every file with its hash, so that it
    can be re-computed. Raises `FormatError` for a file that the variant does not accept, unless `how.partial`, and
    `UsageError` where truth is needed and not given.
    """
    submission = task.read(result)
    report = task.score(truth.examples, submission, how)
    if not truth.files["gold"] and not report.n:
        raise UsageError(f"{result} has no references of its own; give the truth with --gold")
    system, seen = _provenance(result)
    pred = {"path": str(result), "sha256": submission.hash or _file(result)["sha256"]}
    meta = {
        **report.meta,
        "test_set": test_set or truth.test_set or _stem(result),
        "how": msgspec.json.decode(msgspec.json.encode(how)),  # as it is read back
        "files": {**truth.files, "pred": [pred]},
    }
    slices = tuple(part for part in report.slices if not how.by or part.by in how.by)
    return msgspec.structs.replace(
        report, system=report.system or system, seen=report.seen or seen, meta=meta, slices=slices
    )


def _file(path: Path) -> dict[str, str]:
    return {"path": str(path), "sha256": sha256(Source(path))}


def _stem(path: Path) -> str:
    """Return a file's name without what every file of its kind ends in."""
    name = path.name.removesuffix(".gz")
    ending = next((one for one in (".answers.json", ".json", ".jsonl", ".txt") if name.endswith(one)), "")
    return name.removesuffix(ending) or name


def _provenance(result: Path) -> tuple[str, str]:
    """Return system and training data from the note beside a result file, or the file's name and nothing."""
    path = provenance_path(result)
    if not path.is_file():
        return _stem(result), ""
    try:
        note = read_toml(path)
    except FormatError:
        return _stem(result), ""
    return str(note.get("system", result.name)), str(note.get("seen", ""))
