"""Base class of systems that learn: what a trained one keeps, how that is saved and loaded, and what it saw.

A system says only its parts: the record beside its weights (`Card`), its networks by file name, and how it learns
them. Nothing here imports torch before a system is trained, saved or loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

import msgspec

from duologue.core.disk import read_bytes, write_bytes
from duologue.core.errors import StorageError, UsageError
from duologue.core.records import Record
from duologue.core.scope import Scope
from duologue.core.typed import decode_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from torch import nn

    from duologue.core.protocols import Progress, Run, Task, TaskInfo, TrainingData, World
    from duologue.core.records import Example

    Networks = Mapping[str, nn.Module]
    """Networks by the files of their weights."""

WEIGHTS = "weights.safetensors"
"""File of the weights of a system with one network."""
UNTRAINED = "nothing yet: train it first"
"""What a system has seen before its training."""

R = TypeVar("R", bound=Record)
P = TypeVar("P")
T = TypeVar("T")


class TrainedSystem(Generic[R, P]):
    """A system with a recipe `R` that learns parts `P` (a `Trainable`); subclasses learn, answer and name the parts."""

    Recipe: type[Record]
    scope: Scope = Scope()
    name: ClassVar[str]
    """Registered name of the system, for messages."""
    training_files: ClassVar[str]
    """Form of the files that it learns from, such as `FILE.txt`."""
    Card: ClassVar[type[Any]]
    """Record of what is kept beside the weights; its `seen`, where it has one, is that of the system."""
    card_file: ClassVar[str]
    """File of that record."""

    def __init__(self, recipe: R | None = None) -> None:
        self.recipe = cast("R", self.Recipe()) if recipe is None else recipe
        self.seen: str = UNTRAINED
        self._learned: P | None = None
        self._seed = 0

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # for systems that need them
        """Take the seed of what is drawn in answers. Raises `UsageError` for a task that the system does not serve."""
        why = self.scope.refusal(info)
        if why:
            raise UsageError(f"system '{self.name}' does not serve task '{info.name}': {why}")
        self._seed = seed

    def make_training_data(self, task: Task, seed: int, progress: Progress | None) -> TrainingData:  # noqa: ARG002  # Trainable's signature: no simulator
        """Raise `UsageError`: it learns from dialogues of people."""
        raise UsageError(
            f"'{self.name}' learns from dialogues of people, and task '{task.info.name}' makes none of its own; give "
            f"files with --train {self.training_files}"
        )

    def fit(
        self,
        examples: Sequence[Example],
        held_out: Sequence[Example],
        unlabelled: Sequence[Example],
        run: Run,
    ) -> None:
        """Train on examples with answers; an interrupted training resumes from its last checkpoint to the same weights.

        What is held out decides which weights are best, and nothing else; without it some examples are held out.
        Raises `UsageError` when there is nothing to learn from, and for `unlabelled` examples where the system learns
        from labels alone.
        """
        if unlabelled:
            self._learned, self.seen = self._learn_semi_supervised(examples, held_out, unlabelled, run)
        else:
            self._learned, self.seen = self._learn(examples, held_out, run)

    def save(self, folder: Path) -> None:
        """Write the card and the weights. Raises `UsageError` before `fit` or `load`."""
        learned = self._trained()
        networks = self._networks(learned)
        if networks:
            from duologue.models.weights import save_weights  # needs torch

            for file, network in networks.items():
                save_weights(network, folder / file)
        write_json(self._card(learned), folder / self.card_file)

    def load(self, folder: Path) -> None:
        """Load what `save` wrote; raises `StorageError` when a file is missing or damaged."""
        card = read_json(folder / self.card_file, self.Card)
        # Without networks nothing needs torch; with some, nothing is built before their files are looked at.
        plain = "models" not in getattr(self, "extras", ()) and not any(folder.glob("*.safetensors"))
        learned = self._restored(card) if plain else None
        if learned is None or self._networks(learned):
            from duologue.models.weights import restored  # needs torch

            learned = restored(lambda: self._restored(card), self._networks, folder)
        self._learned, self.seen = learned, getattr(card, "seen", self.seen)

    def demand_learned(self) -> None:
        """Raise `UsageError` before `fit` or `load`, for whoever wants answers."""
        self._trained()

    def _trained(self) -> P:
        if self._learned is None:
            raise UsageError(f"'{self.name}' has not learned yet; train it, or load a trained one")
        return self._learned

    def _learn(self, examples: Sequence[Example], held_out: Sequence[Example], run: Run) -> tuple[P, str]:
        """Return the parts learned from examples, and what was seen."""
        raise NotImplementedError

    def _learn_semi_supervised(
        self,
        examples: Sequence[Example],  # noqa: ARG002  # for systems that learn so
        held_out: Sequence[Example],  # noqa: ARG002  # the same
        unlabelled: Sequence[Example],
        run: Run,  # noqa: ARG002  # the same
    ) -> tuple[P, str]:
        """Return what `_learn` does, learned from unlabelled examples, too. Raises `UsageError` by default."""
        raise UsageError(
            f"'{self.name}' learns from labels alone, and {len(unlabelled):,} examples without them were given; leave "
            f"--unlabelled out"
        )

    def _networks(self, learned: P) -> Networks:  # noqa: ARG002  # for systems that have some
        """Return the networks by the files of their weights."""
        return {}

    def _card(self, learned: P) -> Record:
        """Return what is kept beside the weights."""
        raise NotImplementedError

    def _restored(self, card: Any) -> P:
        """Return the parts that a card describes, networks untrained; a system that saves more adds it in `load`."""
        raise NotImplementedError


def write_json(part: object, path: Path) -> None:
    """Write a part of a trained system, a record or a list of records, as JSON."""
    write_bytes(path, msgspec.json.encode(part))


def read_json(path: Path, kind: type[T]) -> T:
    """Return what `write_json` wrote; raises `StorageError` when the file is missing or damaged."""
    try:
        return decode_json(read_bytes(path), kind)
    except msgspec.DecodeError as error:
        raise StorageError(f"{path} is no part of a saved model ({error}); train it again") from error
