"""What tasks and systems promise. Challenges and systems meet only through these and the records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from duologue.core.identity import Identity
from duologue.core.records import Fact, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from duologue.core.play import Scene
    from duologue.core.records import (
        Answer,
        Dialogue,
        Example,
        Problem,
        Report,
        Sample,
        Scalar,
        Scoring,
        Submission,
        Turn,
    )


class Brief(Record, frozen=True, kw_only=True):
    """What a task tells every system about itself."""

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


class Progress(Protocol):
    """Where long work says how far it is."""

    def __call__(self, done: int, total: int, what: str) -> None:
        """Say that `done` of `total` steps of `what` are done."""
        ...


class Run(Record, frozen=True, kw_only=True):
    """Where a training runs: its folder, seed and progress."""

    folder: Any
    """A `Path`: checkpoints, logs and the saved model go here."""
    seed: int
    progress: Any = None
    """A `Progress`, or `None` for a silent run."""
    identity: Identity = Identity()
    """What decides the result; checkpoints bear it, and those that bear another are refused."""
    worlds: Mapping[str, World] = {}
    """The shared knowledge bases by name, as `System.prepare` gets them; samples name theirs in `world`."""


@runtime_checkable
class System(Protocol):
    """Whatever answers samples. The class takes one argument, its recipe (an instance of `Recipe`)."""

    Recipe: type[Record]
    """The frozen record of its options; `Record` itself when it has none."""
    seen: str
    """What data the system saw in training, said beside every score."""

    def prepare(self, brief: Brief, seed: int, worlds: Mapping[str, World]) -> None:
        """Get ready for one task; called once before the first `answer`."""
        ...

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Answer each sample on its own; the result for one never depends on another in the batch."""
        ...


@runtime_checkable
class Trainable(System, Protocol):
    """A system that learns."""

    def practice(self, task: Task, seed: int, progress: Progress | None) -> tuple[list[Example], list[Example]]:
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
    """What is run and ranked."""

    brief: Brief

    def load(self, path: Path) -> Iterator[Example]:
        """Read a data file or a truth file of any split; references are empty where not known.

        Raises `FormatError` with all problems of the file.
        """
        ...

    def rounds(self, examples: Sequence[Example]) -> Iterator[Sequence[Example]]:
        """Yield the batches to be answered; one round for static tasks.

        A generator is sent the answers to each round, in its order, before it yields the next.
        """
        ...

    def read(self, path: Path) -> Submission:
        """Read an official result file as it is; problems are collected, not raised."""
        ...

    def write(self, examples: Sequence[Example], answers: Iterable[tuple[str, Answer]], path: Path) -> None:
        """Write an official result file: temporary file, then rename.

        `examples` are what was asked: a format that repeats parts of the data takes them from there, never from what
        the task loaded before.
        """
        ...

    def check(self, submission: Submission, examples: Sequence[Example] | None, variant: str) -> tuple[Problem, ...]:
        """Return all problems of a submission, measured against the data when it is given."""
        ...

    def score(self, examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
        """Score a submission. Raises `FormatError` for a file that `check` refuses, unless `how.partial`."""
        ...

    def metrics(self, how: Scoring) -> Sequence[Any]:
        """Return the formulas (`duologue.metrics.counts.Metric`) over the counts that its reports keep."""
        ...


@runtime_checkable
class Storing(Protocol):
    """A task whose truth files may be too large to be held."""

    def truth(self, path: Path) -> Sequence[Example]:
        """Return the examples that `load` yields, for checks and scores; gone through anew instead of held."""
        ...


@runtime_checkable
class Gathering(Protocol):
    """A task whose truth may be spread over files that need one another.

    Without it, several truth files are loaded one by one, and examples of one id become one with the references
    of all files.
    """

    def gather(self, paths: Sequence[Path]) -> list[Example]:
        """Return the examples that several truth files hold together."""
        ...


@runtime_checkable
class Teaching(Protocol):
    """A task whose training files are read otherwise than those to be answered, or need care side by side."""

    def lessons(self, paths: Sequence[Path]) -> list[Example]:
        """Return the examples of training files, one or several; those of different dialogues have different ids."""
        ...


@runtime_checkable
class Convertible(Protocol):
    """A task whose data comes in several official forms, made from one another by official tools."""

    forms: tuple[str, ...]
    """Names of the forms, such as `session`, in the order in which the tools make them."""

    def convert(self, source: str, target: str, path: Path, out: Path) -> list[Path]:
        """Turn the file `path` of form `source` into form `target` at `out`, as the official tools do.

        Returns the files written. Raises `UsageError` for a way that there is none, `FormatError` for a file that
        is not of the form.
        """
        ...


@runtime_checkable
class Adjustable(Protocol):
    """A convertible task whose conversions leave choices, such as a second file that a form is made from."""

    choices: dict[str, tuple[str, ...]]
    """Choices of `Convertible.convert` by name, with their values.

    The first value is the default; where none are listed, any text will do, such as a path.
    """

    def turn(self, source: str, target: str, path: Path, out: Path, chosen: Mapping[str, str]) -> list[Path]:
        """Do what `convert` does with the choices made; those that are left out keep their default.

        Raises as `convert` does, and `UsageError` for a choice that this way does not have, or needs and lacks.
        """
        ...


@runtime_checkable
class Distortable(Protocol):
    """A task whose clean data can be laid under noise, such as that of a speech recogniser."""

    regimes: tuple[str, ...]
    """Which turns are noisy, by name."""

    def distort(self, path: Path, out: Path, *, regime: str, seed: int, strength: float) -> int:
        """Write the data file `path` with noise, in its own format; return how many utterances changed.

        A `strength` of 1 is the task's own noise, 0 none. Raises `UsageError` for a regime that the file does not
        allow, and `FormatError` for a file of another kind.
        """
        ...

    def distorted(self, examples: Sequence[Example], *, seed: int, strength: float) -> list[Example]:
        """Return examples with noise on what a system sees of the user; ids and replies stay as they are."""
        ...


@runtime_checkable
class Legible(Protocol):
    """A task whose result files can be shown to people beside the data."""

    def answers(self, submission: Submission, examples: Sequence[Example]) -> Mapping[str, Answer]:
        """Return the answers of a result file by sample id, as far as they can be read; nothing is refused."""
        ...


@runtime_checkable
class Simulated(Protocol):
    """A task that generates its own data."""

    Generation: type[Record]
    """The record of the generator's parameters."""

    def generate(self, recipe: Record, seed: int, out: Path, *, workers: int, progress: Progress | None) -> list[Path]:
        """Write official files below `out` and return their paths. Resumes where a stopped run left off."""
        ...


@runtime_checkable
class Walkable(Protocol):
    """A task whose data files can be shown as plain text with statistics."""

    def dump(self, path: Path, write: Callable[[str], object]) -> None:
        """Write the plain dump of a data file: each call has one line with its end, so that data never forges one."""
        ...

    def statistics(self, path: Path) -> dict[str, int | float | list[str]]:
        """Return the statistics of a data file, the official ones where there are such."""
        ...

    def statistics_text(self, path: Path) -> str:
        """Return the same as text, spelled as the official tool does where there is one."""
        ...


@runtime_checkable
class Naming(Protocol):
    """A task whose official file names say what they hold."""

    def test_set(self, path: Path) -> str | None:
        """Return a short name for the test set of an official file; `None` for a name of another kind."""
        ...


@runtime_checkable
class Replaying(Protocol):
    """A task whose official check program is replayed line by line."""

    def replay_check(self, path: Path) -> Sequence[str]:
        """Return the lines that the official check prints on standard output for a result file."""
        ...


@runtime_checkable
class Grounded(Protocol):
    """A task with a shared knowledge base in a file."""

    def world(self, path: Path | None) -> World:
        """Read the knowledge base; `None` makes the built-in one."""
        ...


@runtime_checkable
class FactChecking(Task, Grounded, Protocol):
    """A task whose check can hold a result file against the knowledge base: its `check` takes `world` too.

    `checks_facts` tells it from a task that has a knowledge base for its systems alone.
    """

    checks_facts: Literal[True]
    """That it is so."""

    def check(
        self,
        submission: Submission,
        examples: Sequence[Example] | None,
        variant: str,
        *,
        world: World | None = None,
    ) -> tuple[Problem, ...]:
        """Return all problems of a submission; with `world` also those of facts that are not in it."""
        ...


@runtime_checkable
class Surveying(Walkable, Grounded, Protocol):
    """A walkable task whose files can be shown against the knowledge base: its walker takes `world` too.

    `surveys_world` tells it from a task that has a knowledge base for its systems alone.
    """

    surveys_world: Literal[True]
    """That it is so."""

    def dump(self, path: Path, write: Callable[[str], object], *, world: World | None = None) -> None:
        """Write the plain dump of a data file; with `world` what is not in it is marked."""
        ...

    def statistics(self, path: Path, *, world: World | None = None) -> dict[str, int | float | list[str]]:
        """Return the statistics of a data file; with `world` also how much of it is there."""
        ...

    def statistics_text(self, path: Path, *, world: World | None = None) -> str:
        """Return the same as text."""
        ...


@runtime_checkable
class Live(Protocol):
    """A system that takes more pains, or other ones, in a talk with a person than over a data file."""

    def go_live(self) -> None:
        """Do so from now on; called by a live partner before `prepare`."""
        ...


class Partner(Protocol):
    """A system as a live partner; knows nothing of terminals or pages."""

    finished: bool
    """Whether the last input said goodbye."""

    @property
    def welcome(self) -> str:
        """What to show before the first turn."""
        ...

    def opening(self) -> Sequence[Turn]:
        """Return what the system says before the first input; nothing where the person speaks first."""
        ...

    def reply(self, text: str) -> Sequence[Turn]:
        """Return what follows the user's input: calls, the facts they brought, and what the system says."""
        ...

    def shown(self, turn: Turn) -> Sequence[str]:
        """Return a turn of the system as a person should see it: its words, then remarks on them, a line each."""
        ...

    def dialogue(self) -> Dialogue:
        """Return the transcript so far."""
        ...


@runtime_checkable
class Conversable(Protocol):
    """A task whose systems can be talked to."""

    talker: str
    """The system to talk to when none is named; empty: one must be named."""

    def partner(self, system: System, place: Path | None, *, seed: int, lang: str, name: str) -> Partner:
        """Return `system` as a live partner; `lang` is the language of its own remarks.

        `place` is the file that the talk is set in, such as a knowledge base or goals with their knowledge; `None`
        takes a built-in one.
        """
        ...


class Service(Protocol):
    """A system behind a form of requests and answers, whatever carries them; several threads may call it at once."""

    refusal: bytes
    """The answer to a request that cannot even be handed on, such as one that is too long."""

    def respond(self, body: bytes) -> bytes:
        """Return the answer to a request. What a client sends never makes it raise."""
        ...


@runtime_checkable
class Servable(Protocol):
    """A task whose systems can be asked over HTTP."""

    def service(self, system: System, world: World | None, *, seed: int) -> Service:
        """Prepare `system` and return it behind the task's form of requests."""
        ...


class Stage(Protocol):
    """All that is needed to play whole conversations of a task, and to judge them."""

    @property
    def scenes(self) -> Sequence[Scene]:
        """Where each conversation begins and how it ends."""
        ...

    @property
    def user(self) -> System:
        """The simulated user: it never sees what belongs to the system's side."""
        ...

    @property
    def people(self) -> Sequence[Dialogue]:
        """What people made of the same scenes, to compare with; empty where that is not known."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What a reader of the figures should know, such as that there were fewer scenes than asked for."""
        ...

    def judge(self, dialogues: Sequence[Dialogue]) -> Report:
        """Score finished dialogues of the scenes, in any order; ids are those of the scenes."""
        ...


@runtime_checkable
class Playable(Protocol):
    """A task whose systems can be played in whole conversations with a simulated user."""

    def stage(self, goals: Path, users: Sequence[Path], *, n: int, seed: int, max_turns: int | None) -> Stage:
        """Return `n` scenes with the goals of a file, and a user who speaks as the people in `users` do.

        Without `users` the task has a user of its own. `max_turns` cuts conversations after so many utterances;
        `None` leaves it to the task. Raises `FormatError` for files that are not what they should be.
        """
        ...

    def write_dialogues(self, dialogues: Iterable[Dialogue], path: Path) -> None:
        """Write dialogues in the official form of whole conversations."""
        ...
