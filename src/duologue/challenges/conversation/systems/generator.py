"""What the networks that answer have in common: who they answer for, what they learn from, how they are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from duologue.challenges.conversation.formats.training_pairs import demand_talks, split
from duologue.challenges.conversation.systems.model_card import WEIGHTS, Card, seen_in
from duologue.challenges.conversation.systems.training_mix import repeated, some
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.conversation.formats.training_pairs import Talk
    from duologue.core.protocols import Brief, Progress, Run, Task, World
    from duologue.core.records import Example
    from duologue.models.train import Plan, Subject
    from duologue.models.words import Words


class Portions(Protocol):
    """What every recipe says of the dialogues that are learned."""

    @property
    def most_talks(self) -> int:
        """Dialogues that are learned at most; 0: all of them."""
        ...

    @property
    def repeats(self) -> int:
        """Times that dialogues of a small file are learned in an epoch."""
        ...

    @property
    def held_out(self) -> float:
        """Share of the dialogues that tells the best weights."""
        ...


R = TypeVar("R", bound=Portions)
M = TypeVar("M", bound=Any)  # a torch module, which nothing here may import


class Writer(Generic[R, M]):
    """A network that writes replies, without its network (with it a `Trainable`)."""

    name: ClassVar[str]
    """What the system is called."""

    def __init__(self, recipe: R) -> None:
        self.recipe = recipe
        self.seen: str = "nothing yet: train it first"
        self._model: M | None = None
        self._words: Words | None = None
        self._seed = 0

    def prepare(self, brief: Brief, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # System's promise: all it knows is in its weights
        """Take the seed that replies are drawn by. Raises `UsageError` for any task but `conversation`."""
        if brief.name != "conversation":
            raise UsageError(f"{self.name} answers for task 'conversation' alone, found '{brief.name}'")
        self._seed = seed

    def practice(self, task: Task, seed: int, progress: Progress | None) -> tuple[list[Example], list[Example]]:  # noqa: ARG002  # Trainable's promise: there is nothing to make
        """Raise `UsageError`: there is no simulator of this data."""
        raise UsageError(f"{self.name} learns from dialogues of people; give dialogue text with --train FILE.txt")

    def fit(
        self,
        examples: Sequence[Example],
        held_out: Sequence[Example],
        unlabelled: Sequence[Example],  # noqa: ARG002  # Trainable's promise: talks without replies teach it nothing
        run: Run,
    ) -> None:
        """Learn from dialogues; without held-out ones a part that begins in other words is held out.

        Interrupted, it goes on from the last checkpoint in `run.folder` and ends in the same weights. Raises
        `UsageError` when nobody answers anybody.
        """
        from duologue.models.train import train  # needs torch

        recipe = self.recipe
        talks = some(demand_talks(examples), recipe.most_talks, run.seed)
        sides = (talks, demand_talks(held_out)) if held_out else split(talks, recipe.held_out, run.seed)
        words = self._words = self._vocabulary(sides[0])
        model = self._new(len(words), run.seed)
        train(
            self._learner(model),
            [lesson for talk in repeated(sides[0], recipe.repeats) for lesson in self._lessons(talk)],
            [lesson for talk in sides[1] for lesson in self._lessons(talk)],
            self._plan(),
            folder=run.folder,
            seed=run.seed,
            identity=run.identity,
            progress=run.progress,
        )
        self._model = model.to("cpu")
        self.seen = seen_in(talks)

    def save(self, folder: Path) -> None:
        """Write the weights and the vocabulary."""
        from duologue.models.weights import save_weights  # needs torch

        model, words = self._ready()
        save_weights(model, folder / WEIGHTS)
        Card(words=list(words.words), seen=self.seen).save(folder)

    def load(self, folder: Path) -> None:
        """Take up what `save` wrote; raises `StorageError` when a file is missing or damaged."""
        from duologue.models.weights import load_weights  # these need torch
        from duologue.models.words import Words

        card = Card.load(folder)
        words = Words(card.words)
        model = self._new(len(words), 0)
        load_weights(model, folder / WEIGHTS)
        self._model, self._words, self.seen = model.eval(), words, card.seen

    def _ready(self) -> tuple[M, Words]:
        if self._model is None or self._words is None:
            raise UsageError(f"{self.name} has not learned yet; train it, or load a trained one")
        return self._model, self._words

    def _vocabulary(self, talks: Sequence[Talk]) -> Words:
        """Return the words of the network."""
        raise NotImplementedError

    def _new(self, vocabulary: int, seed: int) -> M:
        """Return an untrained network for so many words."""
        raise NotImplementedError

    def _learner(self, model: M) -> Subject[Any, Any]:
        """Return the network as the training loop wants it."""
        raise NotImplementedError

    def _lessons(self, talk: Talk) -> Iterable[Any]:
        """Return a talk as what the network learns from, once the words are there."""
        raise NotImplementedError

    def _plan(self) -> Plan:
        """Return how it is trained."""
        raise NotImplementedError
