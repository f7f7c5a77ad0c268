"""Score an official result file against the truth; the file is what is ranked, never answers in memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.core.capabilities import lacking_capability
from duologue.core.dialogue_view import plain_lines
from duologue.core.errors import FormatError, PlugInError, TruthError, UsageError, did_you_mean
from duologue.core.optional_protocols import FactChecking, Inspectable
from duologue.core.records import Problem, Report, Scoring
from duologue.core.result_note import is_of_a_run
from duologue.core.system_answers import kind_of
from duologue.run.contamination import exposure_of, told
from duologue.run.mismatch import OTHER_TASK, expect_own_task, expect_own_truth, folded
from duologue.run.notes import OTHER_NOTE, note_of
from duologue.run.prompt_marks import SYSTEM, one_line, with_prompts
from duologue.run.saved import how_to_save
from duologue.run.stored import stored
from duologue.run.usage import USAGE, unread_answers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from duologue.core.dialogue_view import DialogueView
    from duologue.core.protocols import Task, World
    from duologue.core.records import Example, Submission


_EQUAL = "result-equals-truth"


def pick_variant(task: Task, variant: str | None) -> str:
    """Return the score variant asked for, or the task's default; an unknown one is a `UsageError`."""
    if variant is None:
        return task.info.variants[0]
    task.info.expect_variant(variant)
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
    """Return how to score, from what a user asked for: `options` are `name=value`, the rest names of the task info.

    Raises `UsageError` for a name or a value that the task does not have.
    """
    info = task.info
    chosen = choices_in(options, info.options, info.name)
    if samples is not None and samples not in info.samples:
        raise UsageError(f"{info.name} has no samples '{samples}'{did_you_mean(samples, info.samples)}")
    cuts = tuple(by)
    for cut in cuts:
        if cut not in info.slices:
            known = did_you_mean(cut, info.slices) or f"; scores of {info.name} are not cut"
            raise UsageError(f"{info.name} cannot be cut by '{cut}'{known}")
    return Scoring(
        variant=pick_variant(task, variant),
        options=chosen,
        samples=samples if samples is not None else info.samples[0],
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


def check(
    task: Task, result: Path, data: Path | None, variant: str, world: World | None = None
) -> tuple[Submission, tuple[Problem, ...]]:
    """Return a result file as read and all its problems, measured against data file and knowledge base when given.

    Raises `UsageError` for a knowledge base that the task's check has no use for.
    """
    if world is not None:
        if not isinstance(task, FactChecking):
            raise lacking_capability(task.info.name, "FactChecking", "leave --kb out")
        task = task.with_world(world)
    submission = task.read(result)
    examples = task.load_files([data]) if data is not None else None
    found: object = task.check(submission, examples, variant)
    if not isinstance(found, Sequence) or not all(isinstance(one, Problem) for one in found):
        told = kind_of(found)
        raise PlugInError(f"the task '{task.info.name}' checked with {told}; `check` must return a tuple of Problems")
    return submission, tuple(found)


class Truth(NamedTuple):
    """Truth files, read once, with where they came from."""

    examples: Sequence[Example]
    files: dict[str, list[dict[str, str]]]
    """Path and hash of each file, under `gold` and `input`."""
    test_set: str
    """Name of the test set; empty where there is no truth file."""

    @classmethod
    def of(cls, task: Task, golds: Sequence[Path], data: Path | None = None) -> Truth:
        """Read truth files, with the samples of a data file put in when there is one.

        Raises `UsageError` where one truth is given twice, by whatever names: its references would count twice.
        """
        examples = task.load_files(golds)
        if data is not None:
            examples = join(list(task.load(data)), examples)
        names = [task.test_set(path) or _stem(path) for path in golds]
        files = {"gold": [stored(path) for path in golds], "input": [] if data is None else [stored(data)]}
        _demand_different(files["gold"])
        return cls(examples, files, " + ".join(dict.fromkeys(names)))

    def names_and_hashes(self) -> list[tuple[str, str]]:
        """Return name and hash of each file."""
        return [(Path(one["path"]).name, one["sha256"]) for group in self.files.values() for one in group]


def on_truth(task: Task, golds: Sequence[Path], result: Path, *, data: Path | None = None) -> Iterator[DialogueView]:
    """Yield what a result file answers, laid over its truth (`show --gold`). Raises as `Truth.of` and `laid_over`."""
    return task.laid_over(task.read(result), Truth.of(task, golds, data).examples)


def dump(
    task: Task, path: Path, write: Callable[[str], object], *, golds: Sequence[Path] = (), data: Path | None = None
) -> None:
    """Write a data file as plain text, or with truth files a result on its truth, a line at a time.

    Raises `UsageError` for a task whose files cannot be shown, and as `on_truth` does.
    """
    if golds:
        for line in plain_lines(on_truth(task, golds, path, data=data)):
            write(line)
        return
    if data is not None:
        raise UsageError("without gold the file is no result, and answers no data; give gold, or leave data out")
    if not isinstance(task, Inspectable):
        raise lacking_capability(task.info.name, "Inspectable", "open the file in an editor")
    task.dump(path, write)


def score(
    task: Task,
    golds: Sequence[Path],
    result: Path,
    how: Scoring,
    *,
    data: Path | None = None,
    test_set: str | None = None,
    models: Sequence[Path] = (),
) -> Report:
    """Return the report of a result file against truth files; none where the result file has its references itself.

    `data` (the data file with texts and candidates) adds slices and the check for unknown candidates. Raises as
    `score_against` does.
    """
    return score_against(task, Truth.of(task, golds, data), result, how, test_set=test_set, models=models)


def score_against(
    task: Task,
    truth: Truth,
    result: Path,
    how: Scoring,
    *,
    test_set: str | None = None,
    models: Sequence[Path] = (),
    read: Callable[[Path], Submission] | None = None,
) -> Report:
    """Return the report of a result file against truth that is read already; `read` reads it in place of the task.

    Where the note beside the result, or one of the folders `models`, says what the system was trained on, the report
    tells how much of the truth was among it, with a warning where that is more than chance. The prompt that a note
    tells of is part of the signature.

    The report's `meta` has the name of the test set, how it was scored, and every file with its hash, so that it
    can be re-computed. Raises `FormatError` for a file that the variant does not accept, unless `how.partial`, and
    `UsageError` where truth is needed and not given, or is the very file to be scored.
    """
    _demand_another(truth, result)
    other = expect_own_task(task, result, strict=how.variant == task.info.variants[0])
    submission = (read or task.read)(result)
    report = _scored(task, truth, submission, result, how)
    if not truth.files["gold"] and not report.n:
        raise UsageError(f"{result} has no references of its own; give the truth with --gold")
    pred = {"path": str(result), "sha256": submission.hash or stored(result)["sha256"]}
    note, doubts = note_of(result, pred["sha256"])
    equal = [one["path"] for one in truth.files["gold"] if one["sha256"] == pred["sha256"]]
    copies = [] if is_of_a_run(result, pred["sha256"]) else equal
    system = str(note.get("system", result.name)) if note else _stem(result)
    seen = str(note.get("seen", "")) if note else ""
    external, usage = _external(note), (note or {}).get(USAGE)
    mark = one_line((note or {}).get("prompt"))
    track = task.info.tracks[bool(external)] if task.info.tracks and external is not None else ""
    exposure = exposure_of(note, result, lambda: truth.examples or _own(task, result), truth.names_and_hashes(), models)
    warning = told(exposure, system) if exposure is not None else None
    kept = dict(report.meta)
    programs = kept.pop("programs", {})
    options = {name: how.options[name] for name in task.info.files if how.options.get(name)}
    outside = {
        "options": [stored(Path(path), name) for name, path in options.items()],
        "programs": [stored(Path(path), name) for name, path in programs.items()],
    }
    taken = {SYSTEM: usage} if isinstance(usage, dict) and usage else {}
    meta = {
        **kept,
        **({"track": track} if track else {}),
        "test_set": test_set or truth.test_set or _stem(result),
        **({USAGE: taken} if taken else {}),
        "how": how_to_save(how, task.info),
        "files": {**truth.files, "pred": [pred], **{kind: listed for kind, listed in outside.items() if listed}},
    }
    slices = tuple(part for part in report.slices if not how.by or part.by in how.by)
    return msgspec.structs.replace(
        with_prompts(msgspec.structs.replace(report, slices=slices), {SYSTEM: mark} if mark else {}),
        system=report.system or system,
        seen=report.seen or seen,
        exposure=exposure,
        external=external,
        problems=(
            *(*other, *map(_copy_of, copies), *doubts, *([warning] if warning else [])),
            *(*unread_answers(taken), *report.problems),
        ),
        meta=meta,
    )


def doubts_in(reports: Iterable[Report]) -> list[str]:
    """Return a line for each report that may not be of a system, or not of the one that a note names."""
    found = [
        problem for report in reports for problem in report.problems if problem.rule in (_EQUAL, OTHER_NOTE, OTHER_TASK)
    ]
    return [f"{one.severity}: {one.message}; {one.advice} [{one.rule}]" for one in found]


def _demand_different(golds: Sequence[Mapping[str, str]]) -> None:
    known: dict[str, str] = {}
    for one in golds:
        if one["sha256"] in known:
            other = known[one["sha256"]]
            raise UsageError(f"{other} and {one['path']} are one truth, of the same bytes; give it once")
        known[one["sha256"]] = one["path"]


def _demand_another(truth: Truth, result: Path) -> None:
    for one in truth.files["gold"]:
        if result.exists() and result.samefile(one["path"]):
            raise UsageError(f"{result} is the truth itself ({one['path']}); give a system's result file in its place")


def _copy_of(gold: str) -> Problem:
    return Problem(
        rule=_EQUAL,
        severity="warning",
        message=f"the result has the very bytes of the truth {gold}: this scores the truth, not a system",
        advice="give the file that a system wrote",
    )


def _scored(task: Task, truth: Truth, submission: Submission, result: Path, how: Scoring) -> Report:
    """Score a result; where it has problems, those of a wrong truth are told as one, and never scored in part."""

    def look() -> None:
        if how.variant == task.info.variants[0]:  # official programs score what they are given
            note = note_of(result, submission.hash).note
            expect_own_truth(task, truth.examples, submission, result, test_set=truth.test_set, note=note)

    try:
        report: object = task.score(truth.examples, submission, how)
    except TruthError as error:
        told = folded(error.problems, len(truth.examples))
        raise TruthError(told, [one["path"] for one in truth.files["gold"]]) from error
    except FormatError as error:
        look()
        told = folded(error.problems, len(truth.examples))
        raise FormatError(error.path, told, transcript=error.transcript) from error
    if not isinstance(report, Report):
        raise PlugInError(f"the task '{task.info.name}' scored with {kind_of(report)}; `score` must return a Report")
    if report.problems:  # a task may score what is missing, and warn of it
        look()
    return msgspec.structs.replace(report, problems=folded(report.problems, len(truth.examples)))


def _external(note: Mapping[str, Any] | None) -> tuple[str, ...] | None:
    """Return the external data that a note declares; `None`: not declared."""
    found = note.get("external") if note else None
    return tuple(map(str, found)) if isinstance(found, list) else None


def _own(task: Task, result: Path) -> list[Example]:
    """Return the samples of a result file that has its references itself; none where it is no data file."""
    try:
        return list(task.load(result))
    except FormatError:
        return []


def _stem(path: Path) -> str:
    """Return a file's name without what every file of its kind ends in."""
    name = path.name.removesuffix(".gz")
    ending = next((one for one in (".answers.json", ".pred.json", ".json", ".jsonl", ".txt") if name.endswith(one)), "")
    return name.removesuffix(ending) or name
