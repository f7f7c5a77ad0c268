"""Protocols of tasks and systems; challenges and systems meet only through these and the records."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import msgspec

from duologue.core.errors import FormatError, UsageError, did_you_mean
from duologue.core.escapes import one_line
from duologue.core.examples import merge_references, merge_with_new_ids
from duologue.core.identity import Identity
from duologue.core.records import Fact, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Self

    from duologue.core.annotation import AnnotationScheme, PlacedProblem
    from duologue.core.data_rows import DataRows
    from duologue.core.data_sets import DataSet
    from duologue.core.records import (
        Answer,
        Dialogue,
        Example,
        Mistake,
        Problem,
        Report,
        Sample,
        Scalar,
        Scoring,
        Submission,
        Turn,
    )
    from duologue.core.scenes import Scene


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
    live: bool = False
    """Set where a system is prepared for a conversation with a person: it may take more time for a reply."""

    def expect_variant(self, variant: str) -> None:
        """Raise `UsageError` for a score variant that the task does not have."""
        if variant not in self.variants:
            raise UsageError(f"{self.name} has no variant '{variant}'{did_you_mean(variant, self.variants)}")


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
        holds twice stay two. A task whose files are very large may return a sequence that reads them anew.
        """
        return merge_references([self.load(path) for path in paths])

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
        the task loaded before.
        """
        ...

    @abstractmethod
    def answers(self, submission: Submission, examples: Sequence[Example]) -> Mapping[str, Answer]:
        """Return the answers of a result file by sample id, as far as they can be read; nothing is refused."""
        ...

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
        world: World | None,  # noqa: ARG002  # a default
        *,
        seed: int,  # noqa: ARG002  # the same
        typed: bool,  # noqa: ARG002  # the same
    ) -> Answer:
        """Answer one request to a served system, which is prepared already (`serve`).

        `typed`: the history is as people write and read it, and so is the answer then; else both are the challenge's
        own text. By default these are the same. Several threads may call it at once. Raises `RequestError` for a
        sample that lacks what the task needs.
        """
        (answer,) = system.answer([sample])
        return answer

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


@runtime_checkable
class Convertible(Protocol):
    """A task whose data comes in several official forms, made from one another by official tools (`convert`)."""

    forms: tuple[str, ...]
    """Names of the forms, such as `session`, in the order in which the tools make them."""
    choices: dict[str, tuple[str, ...]]
    """Choices of a conversion by name, with their values; empty where there are none.

    The first value is the default; where none are listed, any text will do, such as the path of a second file.
    """

    def convert(self, source: str, target: str, path: Path, out: Path, chosen: Mapping[str, str]) -> list[Path]:
        """Turn the file `path` of form `source` into form `target` at `out`, as the official tools do.

        Choices that are left out keep their default. Returns the files written. Raises `UsageError` for a conversion
        that there is not or a choice that it does not have, or needs and lacks, and `FormatError` for a file that is
        not of the form.
        """
        ...


@runtime_checkable
class NoiseModel(Protocol):
    """A task with a noise model for its clean data, such as that of a speech recogniser (`noise`, `robustness`)."""

    regimes: tuple[str, ...]
    """Which turns are noisy, by name."""
    noises: Mapping[str, str]
    """The kinds of noise, with what is said of each beside figures: to what it was fitted."""
    usual_noises: tuple[str, ...]
    """The kinds that are on where none is named."""
    labels_move: bool
    """Whether answers are places in the noisy text, so that systems are scored against the noisy file."""

    def write_noisy(self, path: Path, out: Path, *, regime: str, seed: int, strengths: Mapping[str, float]) -> int:
        """Write the data file `path` with noise, in its own format; return how many utterances changed.

        `strengths` has the kinds that are on: 1 is a kind's own strength, 0 none. Raises `UsageError` for a regime
        that the file does not allow, and `FormatError` for a file of another kind.
        """
        ...

    def noisy_examples(
        self, examples: Sequence[Example], *, seed: int, strengths: Mapping[str, float]
    ) -> list[Example]:
        """Return examples with noise on what a system sees of the user; ids and replies stay as they are."""
        ...


@runtime_checkable
class Simulated(Protocol):
    """A task with a simulator that generates its data (`generate`).

    Tasks of one challenge that have the same `Generation` share their data: the challenge's name stands for them all.
    """

    Generation: type[Record]
    """The record of the generator's parameters."""

    def generate(self, recipe: Record, seed: int, out: Path, *, workers: int, progress: Progress | None) -> list[Path]:
        """Write official files below `out` and return their paths. Resumes where a stopped run left off."""
        ...


@runtime_checkable
class Inspectable(Protocol):
    """A task whose data files can be shown as plain text with statistics (`show`). Subclass it for its default."""

    def dump(self, path: Path, write: Callable[[str], object]) -> None:
        """Write the plain dump of a data file: each call has one line with its end, so that data never forges one."""
        ...

    def statistics(self, path: Path) -> dict[str, int | float | list[str]]:
        """Return the statistics of a data file, the official ones where there are such."""
        ...

    def statistics_text(self, path: Path) -> str:
        """Return the same as text: lines `name: value`, or as the official tool spells it where there is one."""
        return "".join(f"{name}: {_spelled(value)}\n" for name, value in self.statistics(path).items())


def _spelled(value: float | list[str]) -> str:
    if isinstance(value, list):
        return one_line(", ".join(value))
    return f"{value:.2f}" if isinstance(value, float) else str(value)


@runtime_checkable
class Grounded(Protocol):
    """A task with a shared knowledge base in a file (`--kb`)."""

    def world(self, path: Path | None) -> World:
        """Read the knowledge base; `None` makes the built-in one."""
        ...


@runtime_checkable
class FactChecking(Grounded, Protocol):
    """A task whose files can be held against its knowledge base (`check --kb`, `show --kb`)."""

    def with_world(self, world: World) -> Self:
        """Return this task with a knowledge base: its check and its walker mark facts that are not in it."""
        ...


class Partner(Protocol):
    """A system as a live conversation partner; knows nothing of terminals or pages. Subclass it for its defaults."""

    finished: bool = False
    """Whether the last input said goodbye, or the system has ended."""

    secretive: bool = False
    """Whether goal, plan and facts are the system's own: a person is shown them with `chat --trace` alone."""

    on_piece: Callable[[str], object] | None = None
    """Called with the words of a reply piece by piece as they come, by partners that get them so."""

    @property
    def welcome(self) -> str:
        """What to show before the first turn."""
        ...

    @property
    def how_to_talk(self) -> str:
        """What a person must know to talk, and nothing of goal and knowledge; empty where that is nothing."""
        return ""

    def goal_card(self) -> Sequence[str]:
        """Return what the dialogue is for, a line each; nothing where it is for nothing."""
        return []

    def opening(self) -> Sequence[Turn]:
        """Return what the system says before the first input; nothing where the person speaks first."""
        return []

    def reply(self, text: str) -> Sequence[Turn]:
        """Return what follows the user's input: calls, the facts they brought, and what the system says."""
        ...

    def shown(self, turn: Turn) -> Sequence[str]:
        """Return a turn of the system as a person should see it: its words, then remarks on them, a line each."""
        return [turn.text]

    def dialogue(self) -> Dialogue:
        """Return the transcript so far."""
        ...


@runtime_checkable
class Conversable(Protocol):
    """A task whose systems can be talked to (`chat`)."""

    default_system: str
    """The system to talk to when none is named; empty: one must be named."""

    def partner(self, system: System, place: Path | World | None, *, seed: int, lang: str, name: str) -> Partner:
        """Return `system` as a live partner; `lang` is the language of its own remarks.

        `place` is the file that the talk is set in, such as a knowledge base or goals with their knowledge; `None`
        takes a built-in one. A task that is `Grounded` takes a knowledge base that is read already, too.
        """
        ...


@runtime_checkable
class Paired(Protocol):
    """A task whose dialogues two people can make, one of them in the system's place (`talk pair`)."""

    pair_first: str
    """Who speaks first: `"system"`, whoever is in its place, or `"user"`."""
    pair_length: tuple[int, int]
    """Utterances of the shortest and of the longest dialogue that is wanted."""

    def pair_scenes(self, place: Path, *, n: int, seed: int) -> Sequence[Dialogue]:
        """Return what is talked about, drawn by the seed from a file: dialogues without turns, with their knowledge.

        Raises `FormatError` for a file that is not what it should be, `UsageError` for one that holds nothing.
        """
        ...

    def pair_card(self, scene: Dialogue, lang: str, side: str) -> Sequence[str]:
        """Return the goal as whoever is on a side (`"system"`, `"user"`) reads it, a line each; none for who has none.

        The knowledge is for the system's side in any case.
        """
        ...

    def pair_how(self, side: str, lang: str) -> str:
        """Return what whoever is on a side must know to talk; "" where leading and following say it all."""
        ...

    def pair_dialogue(self, scene: Dialogue, turns: Sequence[Turn]) -> Dialogue:
        """Return what people typed as a dialogue in the challenge's own text."""
        ...

    def pair_problems(self, dialogue: Dialogue) -> Sequence[Problem]:
        """Return what is wrong with a finished dialogue by the challenge's rules."""
        ...

    def write_dialogues(self, dialogues: Iterable[Dialogue], path: Path) -> None:
        """Write dialogues in the official form of whole conversations."""
        ...


class Service(NamedTuple):
    """A system behind a form of requests and answers, whatever carries them; several threads may call it at once."""

    respond: Callable[[bytes], bytes]
    """Returns the answer to a request. What a client sends never makes it raise."""
    refusal: bytes
    """The answer to a request that cannot even be handed on, such as one that is too long."""


@runtime_checkable
class Servable(Protocol):
    """A task with a form of its own over HTTP, beside the chat completions that `serve` has for every task."""

    def service(self, system: System, world: World | None, *, seed: int) -> Service:
        """Prepare `system` and return it behind the task's form of requests."""
        ...


class Stage(NamedTuple):
    """All that is needed to play whole conversations of a task, and to judge them."""

    scenes: Sequence[Scene]
    """Where each conversation begins and how it ends."""
    user: System
    """The simulated user, not yet prepared: it never sees what belongs to the system's side."""
    human_dialogues: Sequence[Dialogue]
    """What people made of the same scenes, to compare with; empty where that is not known."""
    notes: Sequence[str]
    """What a reader of the figures should know, such as that there were fewer scenes than asked for."""
    judge: Callable[[Sequence[Dialogue]], Report]
    """Scores finished dialogues of the scenes, in any order; ids are those of the scenes."""
    worlds: Mapping[str, World] = MappingProxyType({})
    """The shared knowledge bases that the scenes name, as `System.prepare` gets them."""
    with_user: Callable[[System], Stage] | None = None
    """Returns the same scenes with another user, who speaks freely, and a judge who goes by the dialogues alone; `None`
    where there is no such judge."""


@runtime_checkable
class Playable(Protocol):
    """A task whose systems can be played in whole conversations with a simulated user (`simulate`)."""

    def stage(self, goals: Path | None, users: Sequence[Path], *, n: int, seed: int, max_turns: int | None) -> Stage:
        """Return `n` scenes with the goals of a file, and a user who speaks as the people in `users` do.

        `goals` may be the file that the scenes are set in, such as a knowledge base; `None` takes a built-in one and
        raises `UsageError` where the task has none. Without `users` the task has a user of its own. `max_turns` cuts
        conversations after so many utterances; `None` leaves it to the task. Raises `FormatError` for files that are
        not what they should be.
        """
        ...

    def write_dialogues(self, dialogues: Iterable[Dialogue], path: Path) -> None:
        """Write dialogues in the official form of whole conversations."""
        ...


@runtime_checkable
class Annotatable(Protocol):
    """A task whose dialogues people annotate (`annotate`): mentions with coreference, slot values, intents."""

    scheme: AnnotationScheme
    """Its layers with their labels, and the guideline."""

    def read_annotated(self, path: Path) -> Sequence[Dialogue]:
        """Return the dialogues of an official file, annotated or bare, with the annotation of each turn.

        Spans of mentions and values lie in the turn that holds them. Raises `FormatError` with all problems.
        """
        ...

    def write_annotated(self, dialogues: Sequence[Dialogue], path: Path) -> None:
        """Write annotated dialogues in the official form; turns whose annotation is as it was read, as they were."""
        ...

    def check_annotation(self, dialogue: Dialogue) -> Sequence[PlacedProblem]:
        """Return all problems of an annotated dialogue: those of the task's own check, and those of the guideline."""
        ...
