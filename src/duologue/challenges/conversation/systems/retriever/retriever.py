"""System `retriever`: returns the reply of a similar training dialogue, chosen by agreement of several (`reply_index`).

Nothing is generated: each reply was written by a person, with the names and numbers of another dialogue in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.conversation.systems.retriever.recipe import RetrieverRecipe
from duologue.core.errors import StorageError
from duologue.core.records import Answer, Dialogue, Record
from duologue.core.scope import Scope
from duologue.models.sentence_encoders.encoder import external_data, load_encoder
from duologue.models.trained_system import TrainedSystem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.conversation.systems.retriever.reply_index import ReplyIndex
    from duologue.core.protocols import Run, TaskInfo, World
    from duologue.core.records import Example, Sample
    from duologue.models.sentence_encoders.encoder import SentenceEncoder

TALKS, WORDS = "talks.txt", "words.txt"
"""Files of a trained retriever: its training dialogues as dialogue text, and word vectors."""


class Retriever(TrainedSystem[RetrieverRecipe, "ReplyIndex"]):
    """Retrieve replies of similar dialogues: BM25, word-vector re-ranking and minimum Bayes risk choice."""

    Recipe: type[Record] = RetrieverRecipe
    scope = Scope(answers=("text",), languages=("en",))
    extras = ("retrieve",)
    name, training_files = "retriever", "FILE.txt"
    _encoder: SentenceEncoder | None = None

    @property
    def external(self) -> tuple[str, ...] | None:
        """External resources: the sentence encoder, where the recipe asks for it."""
        return (external_data(self.recipe.encoder),) if self.recipe.sentences else None

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Load the sentence encoder where the recipe asks for one. Raises `MissingExtraError` where it is missing."""
        super().prepare(info, seed, worlds)
        if self.recipe.sentences and self._encoder is None:
            self._encoder = load_encoder(self.recipe.encoder)

    def _learn(
        self,
        examples: Sequence[Example],
        held_out: Sequence[Example],  # noqa: ARG002  # no checkpoint to choose
        run: Run,  # noqa: ARG002  # takes seconds: no checkpoints
    ) -> tuple[ReplyIndex, str]:
        """Index the dialogues of examples. Raises `UsageError` where none has a reply."""
        from duologue.challenges.conversation.formats.training_pairs import require_dialogues
        from duologue.challenges.conversation.systems.retriever.reply_index import ReplyIndex

        index = ReplyIndex.of([talk.turns for talk in require_dialogues(examples)])
        return index, _seen(index)

    def save(self, folder: Path) -> None:
        """Write the dialogues and the word vectors."""
        from duologue.challenges.conversation.formats.files import write_dialogues
        from duologue.core.disk import write_text

        index = self._trained()
        write_dialogues((Dialogue(id="", turns=turns) for turns in index.dialogues), folder / TALKS)
        write_text(folder / WORDS, "".join(f"{line}\n" for line in index.word_vectors.lines()))

    def load(self, folder: Path) -> None:
        """Load what `save` wrote and rebuild the index. Raises `StorageError` for damaged word vectors."""
        from duologue.challenges.conversation.formats.files import read_dialogues
        from duologue.challenges.conversation.scoring.ppmi import WordVectors
        from duologue.challenges.conversation.systems.retriever.reply_index import ReplyIndex
        from duologue.core.disk import decode_text, read_bytes

        text, _ = decode_text(read_bytes(folder / WORDS), folder / WORDS)
        try:
            table = WordVectors.of_lines(text.split("\n")[:-1])
        except ValueError as error:
            raise StorageError(f"{folder / WORDS} is damaged ({error}); train the model again") from error
        self._learned = ReplyIndex.of([dialogue.turns for dialogue in read_dialogues(folder / TALKS)], table)
        self.seen = _seen(self._learned)

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Retrieve a reply to each sample. Raises `UsageError` before training."""
        index = self._trained()
        return [Answer(text=index.reply(sample.history, self.recipe, self._encoder)) for sample in samples]


def _seen(index: ReplyIndex) -> str:
    return f"{len(index.pairs):,} replies of {len(index.dialogues):,} training dialogues, word for word"
