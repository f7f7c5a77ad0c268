"""Protocols of tasks and systems; challenges and systems meet only through these and the records."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import msgspec

from duologue.core.errors import FormatError, UsageError, did_you_mean
from duologue.core.examples import merge_references, merge_with_new_ids
from duologue.core.identity import Identity
from duologue.core.records import Fact, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from duologue.core.data_rows import DataRows
    from duologue.core.data_sets import DataSet
    from duologue.core.dialogue_view import DialogueView
    from duologue.core.records import (
        Answer,
        Example,
        Mistake,
        Problem,
        Report,
        Sample,
        Scalar,
        Scoring,
        Submission,
    )


class TaskInfo(Record, frozen=True, kw_only=True):
    """What a task says of itself: its name, language, kind of answer and scoring options."""

    name: str
    """The task's registered name, such as `restaurant`."""
    version: str
    """Version of the task's formats and scores, part of every signature."""
    language: str
    """`"en"` or `"zh"`."""
    answers: str
    """Kind of answer: `"ranking"`, `"text"`, `"facts+text"`, ..."""
    labels: dict[str, tuple[str, ...]] = {}
    """Label inventories by name (intents, slots, entity types)."""
    english: dict[str, str] = {}
    """English names of labels in another language, which people are told beside them."""
    variants: tuple[str, ...] = ("strict", "official")
    """Score variants by name; the first is the default."""
    options: dict[str, tuple[str, ...]] = {}
    """Scoring options by name with their values; the first is the default. No values: any text."""
    files: tuple[str, ...] = ()
    """Options whose value is the path of a file that is read: a report keeps the file's hash, never trusts its path."""
    programs: tuple[str, ...] = ()
    """Options whose value is the path of a program that is run: never taken from a report. The report's
    `meta["programs"]` says by option which one counted (path), where one did."""
    samples: tuple[str, ...] = ("all",)
    """Subsets of samples that can be scored by themselves; the first is the default."""
    slices: tuple[str, ...] = ()
    """What scores can be cut by, such as `domain`."""
    tracks: tuple[str, str] | None = None
    """What the challenge calls systems without and with external data; `None` where it does not tell them apart."""
    ordered: bool = False
    """Whether rows of a result file carry no ids and belong to the samples in their order (one reply per line)."""
    one_reference: bool = False
    """Whether scores look at one reference for each sample: others than it are refused then."""
    kb_beside: bool = False
    """Whether `--kb` is knowledge beside what the challenge gives: external data, and talks are set in goals all the
    same."""
    live: bool = False
    """Set where a system is prepared for a conversation with a person: it may take more time for a reply."""

    def expect_variant(self, variant: str) -> None:
        """Raise `UsageError` for a score variant that the task does not have."""
        if variant not in self.variants:
            raise UsageError(f"{self.name} has no variant '{variant}'{did_you_mean(variant, self.variants)}")

    def expect_one_reference(self, examples: Iterable[Example]) -> None:
        """Raise `UsageError` for unlike references of a sample where the scores would leave out all but the first."""
        for one in examples if self.one_reference else ():
            if any(other != one.references[0] for other in one.references[1:]):
                raise UsageError(
                    f"sample '{one.sample.id}' has {len(one.references)} references, and the scores of {self.name} "
                    "look at one; give one truth for each sample"
                )


class World(Protocol):
    """A shared knowledge base as a system sees it; `duologue.knowledge.base` has the usual one."""

    name: str

    def __iter__(self) -> Iterator[Fact]:
        """Go through all facts in the order of the file."""
        ...

    def about(self, subject: str) -> Sequence[Fact]:
        """Return the facts about `subject`, in file order; empty when unknown."""
        ...

    def subjects(self, relation: str, value: Scalar) -> Sequence[str]:
        """Return the subjects whose `relation` is `value`, in file order."""
        ...


Progress: TypeAlias = "Callable[[int, int, str], None]"
"""Where long work says how far it is: called with the steps done, their total, and what is being done."""


OnMetrics: TypeAlias = "Callable[[Path, int, Mapping[str, float]], None]"
"""Where a training says what it measures: called with the folder of the part that learns, its steps done, and the
figures by their names."""


class Run(Record, frozen=True, kw_only=True):
    """Where a training runs: its folder, seed and progress."""

    folder: Path
    """Checkpoints, logs and the saved model go here."""
    seed: int
    progress: Progress | None = None
    """Called as the training goes on; `None` for a silent run."""
    on_metrics: OnMetrics | None = None
    """Called with what the training measures, each time it looks at the held-out examples."""
    identity: Identity = Identity()
    """What decides the result; checkpoints bear it, and those that bear another are refused."""
    worlds: Mapping[str, World] = {}
    """The shared knowledge bases by name, as `System.prepare` gets them; samples name theirs in `world`."""

    def part(self, name: str, seed: int | None = None) -> Run:
        """Return the run of one part of a system: in a folder of its own, with a seed of its own if one is given."""
        return msgspec.structs.replace(self, folder=self.folder / name, seed=self.seed if seed is None else seed)


@runtime_checkable
class System(Protocol):
    """Whatever answers samples. The class takes one argument, its recipe (an instance of `Recipe`)."""

    Recipe: type[Record]
    """The frozen record of its options; `Record` itself when it has none."""
    seen: str
    """What data the system saw in training, said beside every score."""

    def __init__(self, recipe: Any) -> None: ...

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Get ready for one task; called once before the first `answer`."""
        ...

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Answer each sample on its own; the result for one never depends on another in the batch."""
        ...


class TrainingData(NamedTuple):
    """Examples to learn from, and those that are held out to choose by."""

    examples: list[Example]
    held_out: list[Example]


@runtime_checkable
class Trainable(System, Protocol):
    """A system that learns."""

    def make_training_data(self, task: Task, seed: int, progress: Progress | None) -> TrainingData:
        """Make training and held-out examples when the user gives no file (from the task's simulator)."""
        ...

    def fit(
        self,
        examples: Sequence[Example],
        held_out: Sequence[Example],
        unlabelled: Sequence[Example],
        run: Run,
    ) -> None:
        """Learn; interrupted, it resumes from `run.folder` to the same result."""
        ...

    def save(self, folder: Path) -> None:
        """Write what was learned beside the `system.toml` that the caller writes."""
        ...

    def load(self, folder: Path) -> None:
        """Take up what `save` wrote."""
        ...


class Service(NamedTuple):
    """A system behind a form of requests and answers, whatever carries them; several threads may call it at once."""

    respond: Callable[[bytes], bytes]
    """Returns the answer to a request. What a client sends never makes it raise."""
    refusal: bytes
    """The answer to a request that cannot even be handed on, such as one that is too long."""


@runtime_checkable
class Task(Protocol):
    """A challenge as it is run and scored. Subclass it: what is not abstract has the behaviour that most tasks need."""

    info: TaskInfo
    without: Mapping[str, str] = MappingProxyType({})
    """Why it does without optional protocols, by their names; `duologue list` tells it."""

    @abstractmethod
    def load(self, path: Path) -> Iterator[Example]:
        """Read a data file or a truth file of any split; references are empty where not known.

        Raises `FormatError` with all problems of the file.
        """
        ...

    def load_files(self, paths: Sequence[Path]) -> Sequence[Example]:
        """Return the examples of one or several truth files.

        By default examples of one id in several files become one with the references of all; examples that one file
        holds twice stay two. A task whose files are very large may return a sequence that reads them anew. Raises
        `UsageError` for unlike references where `info.one_reference` allows for one.
        """
        found = merge_references([self.load(path) for path in paths])
        if len(paths) > 1:
            self.info.expect_one_reference(found)
        return found

    def load_training(self, paths: Sequence[Path]) -> list[Example]:
        """Return the examples of one or several training files; those of different dialogues have different ids.

        By default ids that clash with those of an earlier file get the file's name in front.
        """
        return merge_with_new_ids([(f"{path.name}({n}):", self.load(path)) for n, path in enumerate(paths, start=1)])

    def rows(self, path: Path) -> DataRows:
        """Return the rows of a data file or truth file, with the dialogue that each belongs to (`data split`).

        By default a file is a JSON list, or an object of dialogues by their ids, and what one dialogue is `load` says
        where it gives one example for each row; other rows are a dialogue each. Raises as `load` does, and
        `UsageError` for a file of another kind.
        """
        from duologue.core.data_rows import json_rows

        dialogues = [example.sample.dialogue_id for example in self.load(path)]
        try:
            found = json_rows(path)
        except FormatError as error:
            name = self.info.name
            raise UsageError(
                f"task '{name}' does not say which rows of {path} are one dialogue (it would have `rows`)"
            ) from error
        rows = list(found.rows())
        if len(rows) != len(dialogues):
            return found
        known = {row.name: dialogue for row, dialogue in zip(rows, dialogues, strict=True)}
        return found.relabelled(lambda row: known[row.name])

    def rounds(self, examples: Sequence[Example]) -> Iterator[Sequence[Example]]:
        """Yield the batches to be answered; one round for static tasks.

        A generator is sent the answers to each round, in its order, before it yields the next.
        """
        yield examples

    @abstractmethod
    def read(self, path: Path) -> Submission:
        """Read an official result file as it is; problems are collected, not raised."""
        ...

    @abstractmethod
    def write(self, examples: Sequence[Example], answers: Iterable[tuple[str, Answer]], path: Path) -> None:
        """Write an official result file: temporary file, then rename.

        `examples` are what was asked: a format that repeats parts of the data takes them from there, never from what
        the task loaded before. Raises `AnswerError` for an answer that lacks what the format has: its system is told
        of then.
        """
        ...

    @abstractmethod
    def answers(self, submission: Submission, examples: Sequence[Example]) -> Mapping[str, Answer]:
        """Return the answers of a result file by sample id, as far as they can be read; nothing is refused."""
        ...

    def laid_over(self, submission: Submission, examples: Sequence[Example]) -> Iterator[DialogueView]:
        """Yield the samples with what was wanted and what a result file answers, for `show --gold`.

        Raises `FormatError` or `UsageError` where it answers none of them.
        """
        from duologue.core.laid_over import demand_answers, laid_over

        answers = self.answers(submission, examples)
        known = any(example.sample.id in answers for example in examples)
        demand_answers(submission, submission.problems, answered=known)
        return laid_over(examples, answers, self.info.english)

    @abstractmethod
    def check(self, submission: Submission, examples: Sequence[Example] | None, variant: str) -> tuple[Problem, ...]:
        """Return all problems of a submission, measured against the data when it is given."""
        ...

    @abstractmethod
    def score(self, examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
        """Score a submission. Raises `FormatError` for a file that `check` refuses, unless `how.partial`."""
        ...

    @abstractmethod
    def metrics(self, how: Scoring) -> Sequence[Any]:
        """Return the formulas (`duologue.metrics.counts.Metric`) over the counts that its reports keep."""
        ...

    def answer_request(
        self,
        system: System,
        sample: Sample,
        world: World | None,  # noqa: ARG002  # the system was prepared with it
        *,
        seed: int,  # noqa: ARG002  # the same
        typed: bool,
    ) -> Answer:
        """Answer one request to a served system, which is prepared already (`serve`).

        `typed` is as `request_sample` has it. A task whose requests are more than one question to the system has its
        own; several threads may call it at once. Requests to others that come together are answered together. Raises
        `RequestError` as `request_sample` does.
        """
        (answer,) = system.answer([self.request_sample(sample, typed=typed)])
        return self.request_answer(answer, typed=typed)

    def request_sample(self, sample: Sample, *, typed: bool) -> Sample:  # noqa: ARG002  # tasks override it
        """Return what a system is asked where a request asks `sample` (`serve`).

        `typed`: the history is as people write and read it, and so is the answer then; else both are the challenge's
        own text. By default these are the same. Raises `RequestError` for a sample that lacks what the task needs.
        """
        return sample

    def request_answer(self, answer: Answer, *, typed: bool) -> Answer:  # noqa: ARG002  # tasks override it
        """Return a system's answer as a request gets it; see `request_sample`."""
        return answer

    def service(
        self,
        system: System,  # noqa: ARG002  # a default
        world: World | None,  # noqa: ARG002  # the same
        *,
        seed: int,  # noqa: ARG002  # the same
    ) -> Service | None:
        """Prepare `system` and return it behind the challenge's own form of requests over HTTP (`serve`).

        Chat completions, which `serve` has for every task, stand beside it. `None` where there is no such form, and
        the system is not prepared then.
        """
        return None

    def data_sets(self) -> Sequence[DataSet]:
        """Return the data sets of the challenge, for `data fetch`; by default `data_sets.toml` beside its module.

        Raises `PlugInError` for a list that cannot be read.
        """
        from duologue.core.data_sets import read_data_sets

        return read_data_sets(type(self).__module__)

    def test_set(self, path: Path) -> str | None:  # noqa: ARG002  # a default
        """Return the short name of the test set that an official file name tells; `None` where it tells none."""
        return None

    def mistakes(self, submission: Submission, examples: Sequence[Example]) -> Sequence[Mistake] | None:  # noqa: ARG002  # a default
        """Return the kinds of mistakes of a result (`score --errors`); `None` where the task does not tell them."""
        return None

    def replay_check(self, path: Path) -> Sequence[str] | None:  # noqa: ARG002  # a default
        """Return the lines that the official check program prints for a result file; `None` where there is none."""
        return None
