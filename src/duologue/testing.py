"""Contract suites for tasks and systems, ours and a stranger's.

Each check raises an `AssertionError` whose message is a sentence that says what was promised and what
was found. A package that brings a task or a system calls them in one test::

    def test_my_system_keeps_the_contract(tmp_path):
        check_system(MySystem(Record()), samples, info, worlds={})
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.core.disk import temporary_folder
from duologue.core.errors import DuologueError, FormatError
from duologue.core.protocols import System, Task, TaskInfo
from duologue.core.records import Answer, Dialogue, Example, Problem, Record, Report, Sample, Scoring, Submission, Turn
from duologue.core.system_answers import unkept

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from duologue.core.protocols import World

_BROKEN = b'[{"broken": "\xff\xfe'
"""Neither UTF-8 nor JSON, whatever the format."""

_ENOUGH_TO_SEE_A_LEAK = 20
"""Samples after which an answer that always stands at the same place is no accident."""


def check_task(task: Task, folder: str | Path) -> None:
    """Check that a task keeps its contract on the data files in `folder`.

    Every file directly in `folder` is loaded with `task.load`; references that a truth file gives are put
    beside the samples that a data file gives under the same id. At least two samples with references are
    needed. Raises `AssertionError` with the first promise that is broken.
    """
    _demand(not isinstance(task, type), f"check_task is given a task, such as {task!r}(), found the class")
    _demand(isinstance(task, Task), f"{type(task).__name__} has all methods of the Task protocol and an info")
    _check_info(task.info)
    folder = Path(folder)
    _demand(folder.is_dir(), f"check_task is given a folder of data files, found {folder}")
    examples = load_all(task, folder)
    known = [example for example in examples if example.references]
    _demand(len(known) >= 2, f"{folder} holds at least two samples with references, found {len(known)}")
    _check_samples(known)
    _check_rounds(task, examples)
    with temporary_folder() as scratch:
        for variant in task.info.variants:
            _check_scores(task, known, scratch, variant)
        _check_write_remembers_nothing(task, known, scratch)
        _check_variants_agree(task, known, scratch)
        _check_broken_files(task, known, scratch)


def check_system(
    system: System,
    samples: Sequence[Sample],
    info: TaskInfo,
    worlds: Mapping[str, World] | None = None,
    *,
    seed: int = 1,
) -> None:
    """Check that a system keeps its contract on `samples` of the task that `info` describes.

    A trained system comes here trained. A system with the attribute `whole_file` set to `True` may let its
    answers depend on the whole batch; every other answers each sample on its own. Raises `AssertionError`
    with the first promise that is broken.
    """
    name = type(system).__name__
    _demand(
        not isinstance(system, type), f"check_system is given a system, such as {system!r}(recipe), found the class"
    )
    _demand(isinstance(system, System), f"{name} has Recipe, seen, prepare and answer")
    _demand(issubclass(system.Recipe, Record), f"{name}.Recipe is a subclass of Record, found {system.Recipe!r}")
    _demand(bool(samples), "check_system needs at least one sample")
    given = dict(worlds or {})
    before = _bytes_of(samples)
    system.prepare(info, seed, given)
    answers = system.answer(list(samples))
    _demand(isinstance(system.seen, str) and bool(system.seen), f"{name}.seen says what data the system saw")
    _check_answers(name, samples, answers)
    _demand(system.answer([]) == [], f"{name} answers an empty batch with an empty list")
    whole = getattr(system, "whole_file", False) is True
    if not whole:
        _check_alone(system, samples, answers)
    system.prepare(info, seed, given)
    _demand(
        system.answer(list(samples)) == answers, f"{name} gives the same answers when prepared again with the same seed"
    )
    bare = [msgspec.structs.replace(sample, history=()) for sample in samples]
    _check_answers(name, bare, system.answer(bare))
    _demand(_bytes_of(samples) == before, f"{name} leaves the samples as they were")


def load_all(task: Task, folder: Path) -> list[Example]:
    """Return the examples of all files in `folder`, those of one sample id made one, sorted by id.

    The references of a truth file come to the sample of the data file.
    """
    found: dict[str, Example] = {}
    for path in sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")):
        for example in task.load(path):
            _demand(isinstance(example, Example), f"load yields Examples, found {type(example).__name__} in {path}")
            other = found.setdefault(example.sample.id, example)
            if other is not example:
                found[example.sample.id] = _joined(other, example)
    return [found[key] for key in sorted(found)]


def perfect_answer(example: Example) -> Answer:
    """Return the first reference as a system would give it: a ranking goes on with the other candidates."""
    reference = example.references[0]
    if reference.ranking is None:
        return reference
    others = (candidate.id for candidate in example.sample.candidates)
    ranking = dict.fromkeys((*reference.ranking, *others))
    return msgspec.structs.replace(reference, ranking=tuple(ranking))


def _demand(held: bool, sentence: str) -> None:  # noqa: FBT001  # reads as an assertion at every call
    if not held:
        raise AssertionError(f"a promise is broken: {sentence}")


def _joined(one: Example, other: Example) -> Example:
    fuller, barer = sorted((one, other), key=lambda example: len(_bytes_of([example.sample])), reverse=True)
    return fuller if fuller.references else msgspec.structs.replace(fuller, references=barer.references)


def _bytes_of(samples: Sequence[Sample]) -> bytes:
    return msgspec.json.encode(list(samples))


def _check_info(info: TaskInfo) -> None:
    _demand(isinstance(info, TaskInfo), f"the info of a task is a TaskInfo, found {type(info).__name__}")
    for field in ("name", "version", "language", "answers"):
        _demand(bool(getattr(info, field)), f"the task info says its {field}")
    _demand(bool(info.variants), "the task info names at least one score variant")
    _demand(len(set(info.variants)) == len(info.variants), f"the variants differ, found {info.variants}")


def _check_samples(examples: Sequence[Example]) -> None:
    places: set[int] = set()
    for example in examples:
        sample = example.sample
        _demand(bool(sample.id), "every sample has an id")
        _demand(type(sample) is Sample, f"a sample is a plain Sample, found {type(sample).__name__}")
        _check_no_leak(example)
        ids = [candidate.id for candidate in sample.candidates]
        _demand(len(set(ids)) == len(ids), f"the candidates of sample '{sample.id}' have different ids")
        ranking = example.references[0].ranking
        if ranking and ids:
            _demand(ranking[0] in ids, f"the reference of sample '{sample.id}' is one of its candidates")
            places.add(ids.index(ranking[0]))
    if len(examples) >= _ENOUGH_TO_SEE_A_LEAK and any(len(example.sample.candidates) > 1 for example in examples):
        _demand(len(places) > 1, f"the place of the right candidate tells nothing, found it always at {places}")


def _check_no_leak(example: Example) -> None:
    """Demand that no reference is reachable from the sample other than as a candidate or as something said."""
    sample = example.sample
    texts = {reference.text for reference in example.references if reference.text}
    annotations = [reference.annotation for reference in example.references if reference.annotation]
    best = {reference.ranking[0] for reference in example.references if reference.ranking}
    for part in _inside(msgspec.structs.replace(sample, candidates=())):
        where = f"inside sample '{sample.id}'"
        _demand(not isinstance(part, Answer | Example | Dialogue), f"no {type(part).__name__} is {where}")
        if isinstance(part, Turn):
            hidden = [value for value in _inside(part.meta) if isinstance(value, str) and value in texts | best]
            _demand(not hidden, f"no reference is in the remarks of a turn {where}, found {hidden}")
            told = part.annotation is not None and part.annotation in annotations and part.text in texts
            _demand(not told, f"no turn {where} is the annotated reference itself")


def _inside(value: Any) -> Iterator[Any]:
    """Go through a value and everything in it."""
    yield value
    if isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from _inside(getattr(value, field))
    elif isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from _inside(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _inside(part)


def _check_rounds(task: Task, examples: Sequence[Example]) -> None:
    asked = [example.sample.id for batch in task.rounds(examples) for example in batch]
    _demand(sorted(asked) == sorted(example.sample.id for example in examples), "rounds asks every sample once")


def _write(
    task: Task, examples: Sequence[Example], answers: Sequence[tuple[str, Answer]], path: Path, variant: str
) -> Submission:
    """Write answers, read the file back and demand that the checker finds nothing wrong with it."""
    task.write(examples, answers, path)
    submission = task.read(path)
    _demand(isinstance(submission, Submission), f"read returns a Submission, found {type(submission).__name__}")
    errors = [problem.message for problem in submission.problems if problem.severity == "error"]
    _demand(not errors, f"a file that write made is read without errors, found {errors[:3]}")
    found = task.check(submission, None, variant)
    told = isinstance(found, Sequence) and all(isinstance(one, Problem) for one in found)
    _demand(told, f"check returns a tuple of Problems, found {found!r:.80}")
    errors = [problem.message for problem in found if problem.severity == "error"]
    _demand(not errors, f"a file that write made passes the {variant} check, found {errors[:3]}")
    return submission


def _check_write_remembers_nothing(task: Task, examples: Sequence[Example], folder: Path) -> None:
    """Demand that a result file holds what `write` is given, not what this object loaded before."""
    answers = [(example.sample.id, perfect_answer(example)) for example in examples]
    files = []
    for number, one in enumerate((task, type(task)())):
        files.append(folder / f"write.{number}")
        one.write(examples, answers, files[-1])
    same = files[0].read_bytes() == files[1].read_bytes()
    _demand(same, "write makes the same file of the same examples and answers, whatever was loaded before")


def _value(report: Report) -> float:
    values = [score.value for score in report.scores if score.name == report.rank_by]
    _demand(len(values) == 1, f"rank_by names one of the scores, found '{report.rank_by}'")
    score = next(score for score in report.scores if score.name == report.rank_by)
    return score.value if score.higher_is_better else -score.value


def _figures(report: Report) -> list[tuple[str, float, float | None, float | None]]:
    """Return the scores without their signatures, which hold the hash of the file."""
    return [(score.name, score.value, score.low, score.high) for score in report.scores]


def _check_scores(task: Task, examples: Sequence[Example], folder: Path, variant: str) -> None:
    perfect = [(example.sample.id, perfect_answer(example)) for example in examples]
    submission = _write(task, examples, perfect, folder / f"{variant}.perfect", variant)
    errors = [problem for problem in task.check(submission, examples, variant) if problem.severity == "error"]
    _demand(not errors, f"a perfect file passes the {variant} check against its data, found {errors[:3]}")
    how = Scoring(variant=variant)
    report = task.score(examples, submission, how)
    _check_report(task, report, examples, variant)
    _check_formulas(task, report, how)
    best = _value(report)
    if task.info.answers == "ranking":
        short = {score.name: score.value for score in report.scores if score.value != 1}
        _demand(not short, f"a perfect ranking scores exactly 1 ({variant}), found {short}")
    again = task.score(examples, submission, how)
    _demand(again == report, f"scoring twice gives the same report ({variant})")
    if task.info.ordered:  # the line is the id: another order is another file
        return

    turned = _write(task, examples, perfect[::-1], folder / f"{variant}.turned", variant)
    same = _figures(task.score(examples, turned, how)) == _figures(report)
    _demand(same, f"the order of the answers does not matter ({variant})")

    half = perfect[: len(perfect) // 2]
    submission = _write(task, examples, half, folder / f"{variant}.half", variant)
    value = _value(task.score(examples, submission, Scoring(variant=variant, partial=True)))
    _demand(value < best, f"missing answers score below a perfect file ({variant}), found {value} and {best}")


def _check_report(task: Task, report: Report, examples: Sequence[Example], variant: str) -> None:
    _demand(isinstance(report, Report), f"score returns a Report, found {type(report).__name__}")
    _demand(report.task == task.info.name, f"the report names its task, found '{report.task}'")
    _demand(report.variant == variant, f"the report names its variant, found '{report.variant}'")
    counted = {len(examples), len({example.sample.dialogue_id for example in examples})}
    _demand(report.n in counted, f"the report counts every example or dialogue ({variant}), found {report.n}")
    _demand(bool(report.signature), f"a report has a signature ({variant})")
    _demand(bool(report.scores), f"a report has scores ({variant})")
    for score in report.scores:
        _demand(bool(score.signature or report.signature), f"the score '{score.name}' has a signature")
        low = score.value if score.low is None else score.low
        high = score.value if score.high is None else score.high
        _demand(low <= score.value <= high, f"the score '{score.name}' lies in its interval ({variant})")


def _check_formulas(task: Task, report: Report, how: Scoring) -> None:
    """Demand that the formulas give the scores again from the counts that the report keeps."""
    formulas = {formula.name: formula for formula in task.metrics(how)}
    unknown = [score.name for score in report.scores if score.name not in formulas]
    _demand(not unknown, f"every score has a formula ({how.variant}), found none for {unknown}")
    if not report.items:
        return
    from duologue.metrics.counts import Counts  # numpy stays out of what only imports the suites

    counts = Counts.of_report(report)
    for score in report.scores:
        formula = formulas[score.name]
        if formula.additive:
            again = formula.value(counts)
            _demand(abs(again - score.value) < 1e-9, f"the counts give '{score.name}' again ({how.variant}): {again}")


def _check_variants_agree(task: Task, examples: Sequence[Example], folder: Path) -> None:
    """Demand that the official variant, where there is one, accepts what the strict one accepts."""
    if not {"official", "strict"} <= set(task.info.variants):
        return
    answers = [(example.sample.id, perfect_answer(example)) for example in examples]
    for name, rows in (("all", answers), ("turned", answers[::-1])):
        submission = _write(task, examples, rows, folder / f"agree.{name}", "strict")
        strict, official = (task.check(submission, examples, variant) for variant in ("strict", "official"))
        if not any(problem.severity == "error" for problem in strict):
            errors = [problem.message for problem in official if problem.severity == "error"]
            _demand(not errors, f"the official variant accepts what the strict one accepts, found {errors[:3]}")


def _check_broken_files(task: Task, examples: Sequence[Example], folder: Path) -> None:
    path = folder / "broken.json"
    path.write_bytes(_BROKEN)
    _demand(_refuses(lambda: list(task.load(path))), "load answers a broken data file with FormatError")
    submission = task.read(path)
    found = [problem for problem in submission.problems if problem.severity == "error"]
    _demand(bool(found), "read notes the problems of a broken result file")
    for variant in task.info.variants:
        how = Scoring(variant=variant)
        refused = _refuses(lambda how=how: task.score(examples, submission, how))
        _demand(refused, f"score answers a broken result file with FormatError ({variant})")


def _refuses(call: Any) -> bool:
    try:
        call()
    except FormatError:
        return True
    except DuologueError as error:
        raise AssertionError(f"a promise is broken: a broken file gives FormatError, found {error!r}") from error
    return False


def _check_answers(name: str, samples: Sequence[Sample], answers: object) -> None:
    broken = unkept(answers, samples)
    _demand(not broken, f"{name} {broken}")
    assert isinstance(answers, Sequence)
    for sample, answer in zip(samples, answers, strict=True):
        if sample.candidates and answer.ranking is not None:
            wanted = sorted(candidate.id for candidate in sample.candidates)
            whole = sorted(answer.ranking) == wanted
            _demand(whole, f"{name} ranks every candidate of sample '{sample.id}' once, found {answer.ranking}")


def _check_alone(system: System, samples: Sequence[Sample], answers: Sequence[Answer]) -> None:
    """Demand the same answers one by one, in the reverse order and in a batch of another size."""
    name = type(system).__name__
    alone = [answer for sample in samples for answer in system.answer([sample])]
    _demand(alone == list(answers), f"{name} answers a sample alone as it does in a batch")
    turned = system.answer(samples[::-1])[::-1]
    _demand(turned == list(answers), f"{name} answers in any order of the batch the same")
    pieces = [answer for start in range(0, len(samples), 3) for answer in system.answer(samples[start : start + 3])]
    _demand(pieces == list(answers), f"{name} answers in batches of any size the same")
