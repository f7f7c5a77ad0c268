"""The contract suites see every promise that is broken; the kept ones are seen in tests/contract and tests/stranger."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.core.plugins import load_task
from duologue.core.protocols import TaskInfo
from duologue.core.records import Answer, Candidate, Example, Record, Sample, Scoring, Turn
from duologue.testing import check_system, check_task, load_all, perfect_answer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_FILE = Path(__file__).parent / "stranger" / "package" / "stranger.py"
_SPEC = importlib.util.spec_from_file_location("stranger", _FILE)
assert _SPEC is not None
assert _SPEC.loader is not None
stranger: Any = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(stranger)

INFO = TaskInfo(name="pick", version="1", language="en", answers="ranking")
SAMPLES = [
    Sample(
        id=f"s{n}",
        dialogue_id=f"s{n}",
        history=(Turn(speaker="user", text=f"say {n}", meta={"seen": []}),),
        candidates=tuple(Candidate(id=f"s{n}-{c}", text=f"{c}") for c in range(3)),
    )
    for n in range(7)
]


class Picker:
    """A system that keeps its contract: ranks by chance, fixed by seed and sample."""

    Recipe = Record
    seen = "nothing"

    def prepare(self, info: TaskInfo, seed: int, worlds: object) -> None:
        self.seed = seed

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        return [self.reply(sample) for sample in samples]

    def reply(self, sample: Sample) -> Answer:
        chance = random.Random(f"{self.seed} {sample.id}")
        return Answer(ranking=tuple(sorted((one.id for one in sample.candidates), key=lambda _: chance.random())))


class WholeFile(Picker):
    whole_file = True

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        return [Answer(text=f"{place} of {len(samples)}") for place, _ in enumerate(samples)]


class ByPlace(WholeFile):
    whole_file = False


class Forgetful(Picker):
    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        return super().answer(samples)[:2]


class Lazy(Picker):
    def answer(self, samples: Sequence[Sample]) -> Any:
        return (self.reply(sample) for sample in samples)


class Partial(Picker):
    def reply(self, sample: Sample) -> Answer:
        return Answer(ranking=(sample.candidates[0].id,))


class Twice(Picker):
    def reply(self, sample: Sample) -> Answer:
        return Answer(ranking=tuple(sample.candidates[0].id for _ in sample.candidates))


class Moody(Picker):
    def prepare(self, info: TaskInfo, seed: int, worlds: object) -> None:
        self.seed = random.SystemRandom().getrandbits(64)


class Remembering(Picker):
    def __init__(self) -> None:
        self.heard = 0

    def reply(self, sample: Sample) -> Answer:
        self.heard += 1
        return Answer(text=str(self.heard))


class Scribbling(Picker):
    def reply(self, sample: Sample) -> Answer:
        if sample.history:
            sample.history[0].meta["seen"].append(sample.id)
        return super().reply(sample)


class Startled(Picker):
    def reply(self, sample: Sample) -> Answer:
        return Answer(text=sample.history[-1].text)


class Shy(Picker):
    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        return super().answer(samples) or [Answer()]


class Secretive(Picker):
    seen = ""


class Loose(Picker):
    Recipe = dict  # type: ignore[assignment]  # what is wrong with it


def test_a_class_in_place_of_a_task_or_system_and_a_folder_that_is_none_are_told(tmp_path: Path) -> None:
    """These were tracebacks of what was called first."""
    kind: Any = Picker
    with pytest.raises(AssertionError, match=r"check_system is given a system, such as .*\(recipe\), found the class"):
        check_system(kind, SAMPLES, INFO)
    task = load_task("restaurant")
    kind = type(task)
    with pytest.raises(AssertionError, match=r"check_task is given a task, such as .*\(\), found the class"):
        check_task(kind, tmp_path)
    with pytest.raises(AssertionError, match=r"check_task is given a folder of data files, found .*none"):
        check_task(task, str(tmp_path / "none"))


@pytest.mark.parametrize("kind", [Picker, WholeFile])
def test_a_system_that_keeps_its_contract_passes(kind: type[Picker]) -> None:
    check_system(kind(), SAMPLES, INFO)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (ByPlace, "answers a sample alone as it does in a batch"),
        (Forgetful, "returned 2 answers for 7 samples"),
        (Lazy, "returned an object of type generator"),
        (Partial, "ranks every candidate of sample 's0' once"),
        (Twice, "ranks every candidate of sample 's0' once"),
        (Moody, "gives the same answers when prepared again with the same seed"),
        (Remembering, "answers a sample alone as it does in a batch"),
        (Scribbling, "leaves the samples as they were"),
        (Shy, "answers an empty batch with an empty list"),
        (Secretive, "seen says what data the system saw"),
        (Loose, "Recipe is a subclass of Record"),
        (object, "has Recipe, seen, prepare and answer"),
    ],
)
def test_a_system_that_breaks_a_promise_is_told_which(kind: type[Picker], sentence: str) -> None:
    samples = msgspec.json.decode(msgspec.json.encode(SAMPLES), type=list[Sample])
    with pytest.raises(AssertionError, match=sentence):
        check_system(kind(), samples, INFO)


def test_a_system_that_needs_a_history_does_not_pass() -> None:
    with pytest.raises(IndexError):
        check_system(Startled(), SAMPLES, INFO)


# tasks ----------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [f"s{n}\tword {n}\tword {n}\n" for n in range(24)]
    (tmp_path / "data.tsv").write_text("".join(lines), encoding="utf-8")
    return tmp_path


def changed_task(**methods: Callable[..., Any] | TaskInfo) -> Any:
    """Return the stranger's task with some of its parts replaced; each gets the task itself first."""
    return type("Changed", (stranger.EchoTask,), methods)()


def told(example: Example, **changed: Any) -> Example:
    return msgspec.structs.replace(example, sample=msgspec.structs.replace(example.sample, **changed))


def loading(change: Callable[[Example], Example]) -> Any:
    return changed_task(load=lambda self, path: (change(one) for one in stranger.EchoTask().load(path)))


def echo_score(self: Any, *arguments: Any, **options: Any) -> Any:
    return stranger.EchoTask().score(*arguments, **options)


def scoring(**changed: Any) -> Any:
    def score(self: Any, *arguments: Any, **options: Any) -> Any:
        return msgspec.structs.replace(stranger.EchoTask().score(*arguments, **options), **changed)

    return changed_task(score=score)


def test_a_task_that_keeps_its_contract_passes(folder: Path) -> None:
    check_task(stranger.EchoTask(), folder)


def test_a_task_without_enough_references_cannot_be_checked(tmp_path: Path) -> None:
    (tmp_path / "data.tsv").write_text("s0\ta\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="at least two samples with references, found 0"):
        check_task(stranger.EchoTask(), tmp_path)


def leak_into_meta(example: Example) -> Example:
    turn = Turn(speaker="user", text="x", meta={"next": [example.references[0].text]})
    return told(example, history=(turn,))


def always_first(example: Example) -> Example:
    name = example.sample.id
    best = (Answer(ranking=(f"{name}-0",)),)
    candidates = tuple(Candidate(id=f"{name}-{c}", text=f"{c}") for c in range(3))
    return msgspec.structs.replace(told(example, candidates=candidates), references=best)


def same_ids(example: Example) -> Example:
    return told(example, candidates=(Candidate(id="c", text="a"), Candidate(id="c", text="b")))


def cut_in_half(self: Any, examples: Any, answers: Any, path: Path) -> None:
    stranger.EchoTask().write(examples, list(answers)[:1], path)


def load_and_remember(self: Any, path: Path) -> list[Example]:
    self.loaded = list(stranger.EchoTask().load(path))
    return list(self.loaded)


def write_what_was_loaded(self: Any, examples: Any, answers: Any, path: Path) -> None:
    known = {example.sample.id for example in getattr(self, "loaded", ())}
    stranger.EchoTask().write(examples, [one for one in answers if one[0] in known], path)


def in_order_only(self: Any, examples: Any, submission: Any, how: Scoring) -> Any:
    report = stranger.EchoTask().score(examples, submission, how)
    in_order = [row[0] for row in submission.rows] == [example.sample.id for example in examples]
    value = report.scores[0].value if in_order or how.partial else 0.5
    return msgspec.structs.replace(report, scores=(msgspec.structs.replace(report.scores[0], value=value),))


def scores_what_is_there(self: Any, examples: Any, submission: Any, how: Scoring) -> Any:
    there = {row[0] for row in submission.rows or ()}
    found = [example for example in examples if example.sample.id in there]
    report = stranger.EchoTask().score(found, submission, how)
    return msgspec.structs.replace(report, n=len(examples))


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        (
            changed_task(info=TaskInfo(name="", version="1", language="en", answers="text")),
            "the task info says its name",
        ),
        (
            changed_task(info=TaskInfo(name="e", version="1", language="en", answers="text", variants=())),
            "names at least one score variant",
        ),
        (
            changed_task(info=TaskInfo(name="e", version="1", language="en", answers="text", variants=("a", "a"))),
            "the variants differ",
        ),
        (loading(lambda example: msgspec.structs.replace(example, references=())), "two samples with references"),
        (loading(leak_into_meta), "no reference is in the remarks of a turn inside sample 's0'"),
        (loading(always_first), "the place of the right candidate tells nothing"),
        (loading(same_ids), "the candidates of sample 's0' have different ids"),
        (changed_task(rounds=lambda self, examples: iter([examples[:3]])), "rounds asks every sample once"),
        (changed_task(write=cut_in_half), "a perfect file passes the exact check against its data"),
        (
            changed_task(load=load_and_remember, write=write_what_was_loaded),
            "write makes the same file of the same examples and answers, whatever was loaded before",
        ),
        (changed_task(score=in_order_only), "the order of the answers does not matter"),
        (changed_task(score=scores_what_is_there), "missing answers score below a perfect file"),
        (changed_task(load=lambda self, path: iter(())), "two samples with references, found 0"),
        (scoring(task="other"), "the report names its task, found 'other'"),
        (scoring(variant="other"), "the report names its variant"),
        (scoring(n=3), "the report counts every example"),
        (changed_task(metrics=lambda self, how: (), score=echo_score), "every score has a formula"),
        (scoring(items=(("s0", (1.0, 0.0)),), groups=()), "the counts give 'same' again"),
        (scoring(signature=""), "a report has a signature"),
        (scoring(scores=()), "a report has scores"),
        (scoring(rank_by="other"), "rank_by names one of the scores"),
        (object(), "has all methods of the Task protocol"),
    ],
)
def test_a_task_that_breaks_a_promise_is_told_which(task: Any, sentence: str, folder: Path) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_task(task, folder)


def test_a_task_that_takes_broken_files_is_told(folder: Path) -> None:
    def load(self: Any, path: Path) -> list[Example]:
        return [] if path.name == "broken.json" else list(stranger.EchoTask().load(path))

    with pytest.raises(AssertionError, match="load answers a broken data file with FormatError"):
        check_task(changed_task(load=load), folder)


def test_references_of_a_truth_file_come_to_the_samples_of_the_data_file(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("s1\tsaid\n", encoding="utf-8")
    (tmp_path / "b.tsv").write_text("s1\t\texpected\ns0\tx\ty\n", encoding="utf-8")
    first, second = load_all(stranger.EchoTask(), tmp_path)
    assert (first.sample.id, second.sample.id) == ("s0", "s1")
    assert (second.sample.history[0].text, second.references) == ("said", (Answer(text="expected"),))


def test_a_perfect_ranking_goes_on_with_the_other_candidates() -> None:
    example = Example(sample=SAMPLES[0], references=(Answer(ranking=("s0-1",)),))
    assert perfect_answer(example).ranking == ("s0-1", "s0-0", "s0-2")
    assert perfect_answer(Example(sample=SAMPLES[0], references=(Answer(text="x"),))).text == "x"
