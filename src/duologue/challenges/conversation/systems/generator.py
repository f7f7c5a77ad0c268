"""Base class of the neural response generators: training, held-out split, saving and loading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from duologue.challenges.conversation.formats.training_pairs import require_dialogues, split_held_out
from duologue.challenges.conversation.systems.model_card import WEIGHTS, GeneratorCard, training_summary
from duologue.challenges.conversation.systems.training_mix import limited, upsampled
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.conversation.formats.training_pairs import TrainingDialogue
    from duologue.core.protocols import Progress, Run, Task, TaskInfo, TrainingData, World
    from duologue.core.records import Example
    from duologue.models.train import TrainingTask
    from duologue.models.vocabulary import CopyVocabulary


class TrainingMix(Protocol):
    """Recipe entries for choosing the training dialogues."""

    @property
    def most_talks(self) -> int:
        """Maximum number of training dialogues; 0: all of them."""
        ...

    @property
    def repeats(self) -> int:
        """How often dialogues of a small file are repeated per epoch."""
        ...

    @property
    def held_out(self) -> float:
        """Share of the dialogues held out for choosing the best checkpoint."""
        ...


R = TypeVar("R", bound=TrainingMix)
M = TypeVar("M", bound=Any)  # a torch module, which nothing here may import


class NeuralGenerator(Generic[R, M]):
    """A response generator (a `Trainable`); subclasses provide the network and its data."""

    name: ClassVar[str]
    """Registered name of the system."""
    fixed_plan: ClassVar[dict[str, Any]] = {}
    """Entries of the training plan that no recipe entry sets."""

    def __init__(self, recipe: R) -> None:
        self.recipe = recipe
        self.seen: str = "nothing yet: train it first"
        self._model: M | None = None
        self._words: CopyVocabulary | None = None
        self._seed = 0

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # System's signature: no knowledge base
        """Set the sampling seed. Raises `UsageError` for any task but `conversation`."""
        if info.name != "conversation":
            raise UsageError(f"{self.name} answers for task 'conversation' alone, found '{info.name}'")
        self._seed = seed

    def make_training_data(self, task: Task, seed: int, progress: Progress | None) -> TrainingData:  # noqa: ARG002  # Trainable's signature: no simulator
        """Raise `UsageError`: the challenge has no simulator."""
        raise UsageError(f"{self.name} learns from dialogues of people; give dialogue text with --train FILE.txt")

    def fit(
        self,
        examples: Sequence[Example],
        held_out: Sequence[Example],
        unlabelled: Sequence[Example],  # noqa: ARG002  # Trainable's signature: dialogues without replies are of no use
        run: Run,
    ) -> None:
        """Train on dialogues; without `held_out`, dialogues with other first lines are held out.

        Resumes from the last checkpoint in `run.folder` with the same final weights. Raises `UsageError` when no
        dialogue has a reply.
        """
        from duologue.models.train import TrainConfig, train  # needs torch

        recipe = self.recipe
        talks = limited(require_dialogues(examples), recipe.most_talks, run.seed)
        sides = (talks, require_dialogues(held_out)) if held_out else split_held_out(talks, recipe.held_out, run.seed)
        words = self._words = self._vocabulary(sides[0])
        model = self._new_model(len(words), run.seed)
        train(
            self._subject(model),
            [example for talk in upsampled(sides[0], recipe.repeats) for example in self._examples(talk)],
            [example for talk in sides[1] for example in self._examples(talk)],
            TrainConfig.of(recipe, choose="loss", **self.fixed_plan),
            run,
        )
        self._model = model.to("cpu")
        self.seen = training_summary(talks)

    def save(self, folder: Path) -> None:
        """Write the weights and the vocabulary."""
        from duologue.models.weights import save_weights  # needs torch

        model, words = self._trained()
        save_weights(model, folder / WEIGHTS)
        GeneratorCard(words=list(words.words), seen=self.seen).save(folder)

    def load(self, folder: Path) -> None:
        """Load what `save` wrote; raises `StorageError` when a file is missing or damaged."""
        from duologue.models.vocabulary import CopyVocabulary
        from duologue.models.weights import load_weights  # these need torch

        card = GeneratorCard.load(folder)
        words = CopyVocabulary(card.words)
        model = self._new_model(len(words), 0)
        load_weights(model, folder / WEIGHTS)
        self._model, self._words, self.seen = model.eval(), words, card.seen

    def _trained(self) -> tuple[M, CopyVocabulary]:
        if self._model is None or self._words is None:
            raise UsageError(f"{self.name} has not learned yet; train it, or load a trained one")
        return self._model, self._words

    def _vocabulary(self, talks: Sequence[TrainingDialogue]) -> CopyVocabulary:
        """Build the vocabulary."""
        raise NotImplementedError

    def _new_model(self, vocabulary: int, seed: int) -> M:
        """Return an untrained network for a vocabulary of this size."""
        raise NotImplementedError

    def _subject(self, model: M) -> TrainingTask[Any, Any]:
        """Return the network with its loss and batching for the training loop."""
        raise NotImplementedError

    def _examples(self, talk: TrainingDialogue) -> Iterable[Any]:
        """Encode a dialogue as training examples; the vocabulary must be there."""
        raise NotImplementedError
