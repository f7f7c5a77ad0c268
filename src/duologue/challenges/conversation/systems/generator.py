"""Base class of the neural response generators: a network with a vocabulary, trained on whole dialogues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from duologue.challenges.conversation.formats.training_pairs import require_dialogues, split_held_out
from duologue.challenges.conversation.systems.lookup import refuse_knowledge
from duologue.challenges.conversation.systems.training_mix import limited, upsampled
from duologue.core.bounds import Count, Positive, ProperFraction
from duologue.core.records import Record
from duologue.models.trained_system import WEIGHTS, TrainedSystem
from duologue.models.training_recipe import ParallelTrainingRecipe

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duologue.challenges.conversation.formats.training_pairs import TrainingDialogue
    from duologue.core.protocols import Run, TaskInfo, World
    from duologue.core.records import Example
    from duologue.models.train import TrainingTask
    from duologue.models.trained_system import Networks
    from duologue.models.vocabulary import CopyVocabulary

FALLBACK_REPLY = "please tell us more ."
"""Reply used when the generated one is empty after detokenization."""


class NeuralGeneratorRecipe(ParallelTrainingRecipe, frozen=True):
    """Entries of all neural generators: the training dialogues, and how long they are trained on."""

    former_names: ClassVar[dict[str, str]] = {"most_talks": "max_dialogues"}
    """Former names of entries."""

    epochs: Positive = 2
    batch: Positive = 16
    """Dialogues per step."""
    max_dialogues: Count = 7000
    """Maximum number of training dialogues, drawn by the seed, small files before large ones; 0: all of them."""
    repeats: Positive = 6
    """How often dialogues of a small file are repeated per epoch; no file becomes larger than the largest."""
    held_out: ProperFraction = 0.02
    """Share of the dialogues held out for choosing the checkpoint where no held-out data is given."""


class GeneratorCard(Record, frozen=True, kw_only=True):
    """Vocabulary and provenance of a saved generator."""

    words: list[str]
    """Vocabulary without the special tokens."""
    seen: str


class Generator(NamedTuple):
    """A network with its vocabulary."""

    model: Any
    words: CopyVocabulary


R = TypeVar("R", bound=NeuralGeneratorRecipe)


class NeuralGenerator(TrainedSystem[R, Generator]):
    """A response generator (a `Trainable`); subclasses provide the network and its data."""

    training_files = "FILE.txt"
    Card, card_file = GeneratorCard, "words.json"
    fixed_config: ClassVar[dict[str, Any]] = {}
    """Options of the training loop that no recipe entry sets."""

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Take the seed of what is drawn. Raises `UsageError` for knowledge: it looks nothing up."""
        super().prepare(info, seed, worlds)
        refuse_knowledge(worlds, self.name)

    def _learn(self, examples: Sequence[Example], held_out: Sequence[Example], run: Run) -> tuple[Generator, str]:
        """Train on dialogues; without `held_out`, dialogues with other first lines are held out."""
        from duologue.models.train import TrainConfig, train  # needs torch

        refuse_knowledge(run.worlds, self.name)
        recipe = self.recipe
        talks = limited(require_dialogues(examples), recipe.max_dialogues, run.seed)
        sides = (talks, require_dialogues(held_out)) if held_out else split_held_out(talks, recipe.held_out, run.seed)
        words = self._vocabulary(sides[0])
        model = self._new_model(len(words), run.seed)
        train(
            self._subject(model),
            [example for talk in upsampled(sides[0], recipe.repeats) for example in self._examples(talk, words)],
            [example for talk in sides[1] for example in self._examples(talk, words)],
            TrainConfig.of(recipe, choose="loss", **self.fixed_config),
            run,
        )
        replies = sum(turn.speaker == "system" for talk in talks for turn in talk.turns[1:])
        return Generator(model.to("cpu"), words), f"{replies} replies of {len(talks)} training dialogues"

    def _networks(self, learned: Generator) -> Networks:
        return {WEIGHTS: learned.model}

    def _card(self, learned: Generator) -> GeneratorCard:
        return GeneratorCard(words=list(learned.words.words), seen=self.seen)

    def _restored(self, card: GeneratorCard) -> Generator:
        from duologue.models.vocabulary import CopyVocabulary

        words = CopyVocabulary(card.words)
        return Generator(self._new_model(len(words), 0), words)

    def _vocabulary(self, talks: Sequence[TrainingDialogue]) -> CopyVocabulary:
        """Build the vocabulary."""
        raise NotImplementedError

    def _new_model(self, vocabulary: int, seed: int) -> Any:
        """Return an untrained network for a vocabulary of this size."""
        raise NotImplementedError

    def _subject(self, model: Any) -> TrainingTask[Any, Any]:
        """Return the network with its loss and batching for the training loop."""
        raise NotImplementedError

    def _examples(self, talk: TrainingDialogue, words: CopyVocabulary) -> Iterable[Any]:
        """Encode a dialogue as training examples."""
        raise NotImplementedError
