"""Optional protocols of a task: each one stands behind a command, and a task that has its members keeps it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from duologue.core.dialogue_view import english_statistics, views_of_lines
from duologue.core.escapes import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Self

    from duologue.core.annotation import AnnotationScheme, PlacedProblem
    from duologue.core.dialogue_view import DialogueView, Statistics
    from duologue.core.protocols import Progress, System, World
    from duologue.core.records import Dialogue, Example, Problem, Record, Report, Turn
    from duologue.core.scenes import Scene


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
    """A task whose data files can be shown as plain text or as a page (`show`). Subclass it for its defaults."""

    def dump(self, path: Path, write: Callable[[str], object]) -> None:
        """Write the plain dump of a data file: each call has one line with its end, so that data never forges one."""
        ...

    def statistics(self, path: Path) -> Statistics:
        """Return the statistics of a data file, the official ones where there are such."""
        ...

    def statistics_text(self, path: Path) -> str:
        """Return the same as text: lines `name: value`, or as the official tool spells it where there is one."""
        found = english_statistics(self.statistics(path))
        return "".join(f"{name}: {_spelled(value)}\n" for name, value in found.items())

    def views(self, path: Path) -> Iterator[DialogueView]:
        """Yield what a data file holds, as a page shows it; left out, the blocks of its plain dump."""
        lines: list[str] = []
        self.dump(path, lines.append)
        return views_of_lines(line.rstrip("\n") for line in lines)


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


class Partner(ABC):
    """A system as a live conversation partner; knows nothing of terminals or pages. Subclass it for its defaults."""

    finished: bool = False
    """Whether the last input said goodbye, or the system has ended."""

    secretive: bool = False
    """Whether goal, plan and facts are the system's own: a person is shown them with `chat --trace` alone."""

    patient: bool = False
    """Whether a reply that failed (`BotError`) leaves it as it was, so that the same can be said again."""

    on_piece: Callable[[str], object] | None = None
    """Called with the words of a reply piece by piece as they come, by partners that get them so."""

    on_taken_back: Callable[[], object] | None = None
    """Called where the pieces of a reply that have come are none of its words: a model's thoughts, as it now shows."""

    @property
    @abstractmethod
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

    @abstractmethod
    def reply(self, text: str) -> Sequence[Turn]:
        """Return what follows the user's input: calls, the facts they brought, and what the system says."""
        ...

    def shown(self, turn: Turn) -> Sequence[str]:
        """Return a turn of the system as a person should see it: its words, then remarks on them, a line each."""
        return [turn.text]

    @abstractmethod
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
