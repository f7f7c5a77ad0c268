"""System `retriever`: returns the reply of a similar training dialogue, chosen by agreement of several (`reply_index`).

Nothing is generated: each reply was written by a person, with the names and numbers of another dialogue in it. Each
training file is a channel, and a history is answered from its own (`channel_memory`).
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from duologue.challenges.conversation.systems.retriever.recipe import RetrieverRecipe
from duologue.core.disk import read_bytes, write_bytes
from duologue.core.errors import StorageError, UsageError
from duologue.core.records import Answer, Dialogue, Record
from duologue.core.scope import Scope
from duologue.models.sentence_encoders.encoder import EncoderChoice, external_data
from duologue.models.trained_system import TrainedSystem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.conversation.systems.lookup import FoundPassage
    from duologue.challenges.conversation.systems.passage_index import PassageIndex
    from duologue.challenges.conversation.systems.retriever.channel_memory import ChannelMemory, Dialogues
    from duologue.core.protocols import Run, TaskInfo, World
    from duologue.core.records import Example, Sample
    from duologue.models.sentence_encoders.encoder import SentenceEncoder

TALKS, WORDS, CHANNELS = "talks.txt", "words.txt", "channels.txt"
"""Files of a trained retriever: its training dialogues as dialogue text, word vectors, and the number of dialogues of
each channel, a line each."""
_LONGEST = 10  # digits of such a number


class Retriever(TrainedSystem[RetrieverRecipe, "ChannelMemory"]):
    """Retrieve replies of similar dialogues: BM25, word-vector re-ranking and minimum Bayes risk choice."""

    Recipe: type[Record] = RetrieverRecipe
    scope = Scope(answers=("text",), languages=("en",))
    extras: tuple[str, ...] = ("retrieve",)
    by_hand = carried = ("encoder_folder",)
    name, training_files = "retriever", "FILE.txt"
    _choice: EncoderChoice | None = None
    _encoder: SentenceEncoder | None = None
    _passages: PassageIndex | None = None

    @property
    def external(self) -> tuple[str, ...] | None:
        """External resources: the sentence encoder, where the recipe asks for it."""
        return (external_data(self.recipe.encoder, self.recipe.encoder_folder),) if self._encodes else None

    @property
    def _encodes(self) -> bool:
        return bool(self.recipe.sentences) or self.recipe.memory

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Load the sentence encoder where the recipe asks for one, and index knowledge that is given.

        Raises `MissingExtraError` where the encoder is missing.
        """
        from duologue.challenges.conversation.systems.passage_index import passages_of

        super().prepare(info, seed, worlds)
        self._passages = passages_of(worlds, self.recipe.matching)
        if self._encodes:
            self._ready_encoder()

    def _ready_encoder(self) -> SentenceEncoder:
        """Return the sentence encoder, loaded once: that of the recipe, or the one that a trained system has."""
        if self._encoder is None:
            self._choice = self._choice or EncoderChoice.of(self.recipe.encoder, self.recipe.encoder_folder)
            self._encoder = self._choice.load()
        return self._encoder

    def _learn(
        self,
        examples: Sequence[Example],
        held_out: Sequence[Example],  # noqa: ARG002  # no checkpoint to choose
        run: Run,
    ) -> tuple[ChannelMemory, str]:
        """Index the dialogues of examples, each file a channel.

        Raises `UsageError` where none has a reply, and for knowledge, which is looked up when it answers.
        """
        from duologue.challenges.conversation.formats.training_pairs import require_dialogues
        from duologue.challenges.conversation.systems.retriever.channel_memory import ChannelMemory
        from duologue.challenges.conversation.systems.training_mix import files_of

        if run.worlds:
            raise UsageError("'retriever' looks knowledge up while it answers: give --kb to run, serve or chat")
        talks = require_dialogues(examples)
        places = files_of(talks) if self.recipe.channels else [range(len(talks))]
        memory = ChannelMemory.of([[talks[place].turns for place in several] for several in places])
        if self.recipe.memory:
            memory = memory.encoded(self._ready_encoder(), self.recipe.encoded)
        return memory, _seen(memory)

    def save(self, folder: Path) -> None:
        """Write the dialogues, word vectors, sentence vectors where there are some, and the user's encoder."""
        from duologue.challenges.conversation.formats.files import write_dialogues
        from duologue.core.disk import write_text

        memory = self._trained()
        talks = (turns for index in memory.indexes for turns in index.dialogues)
        write_dialogues((Dialogue(id="", turns=turns) for turns in talks), folder / TALKS)
        write_text(folder / WORDS, "".join(f"{line}\n" for line in memory.word_vectors.lines()))
        write_text(folder / CHANNELS, "".join(f"{len(index.dialogues)}\n" for index in memory.indexes))
        for number, index in enumerate(memory.indexes):
            if index.sentences is not None:
                write_bytes(folder / sentence_file(number), index.sentences.astype("<f4").tobytes())
        if self._encodes:
            choice = self._choice or EncoderChoice.of(self.recipe.encoder, self.recipe.encoder_folder)
            choice.save(folder)

    def load(self, folder: Path) -> None:
        """Load what `save` wrote and rebuild the index. Raises `StorageError` for damaged files."""
        from duologue.challenges.conversation.formats.files import read_dialogues
        from duologue.challenges.conversation.scoring.ppmi import WordVectors
        from duologue.challenges.conversation.systems.retriever.channel_memory import ChannelMemory
        from duologue.core.disk import decode_text

        text, _ = decode_text(read_bytes(folder / WORDS), folder / WORDS)
        try:
            table = WordVectors.of_lines(text.split("\n")[:-1])
        except ValueError as error:
            raise StorageError(f"{folder / WORDS} is damaged ({error}); train the model again") from error
        talks = [dialogue.turns for dialogue in read_dialogues(folder / TALKS)]
        memory = ChannelMemory.of(_channels(talks, folder / CHANNELS), table)
        if self._encodes:
            self._choice = EncoderChoice.beside(self.recipe.encoder, folder)
            if self._choice.folder is not None:
                self._encoder = None  # another than that of the recipe's folder
            if self.recipe.memory:
                memory = _with_stored(memory, folder, self._choice.dimensions())
        self._learned, self.seen = memory, _seen(memory)

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Retrieve a reply to each sample. Raises `UsageError` before training."""
        from duologue.challenges.conversation.systems.retriever.reply_index import ReplyQuestion

        memory = self._trained()
        questions = [ReplyQuestion(sample.history, self.trace(sample)) for sample in samples]
        return [Answer(text=reply) for reply in memory.replies(questions, self.recipe, self._encoder)]

    def trace(self, sample: Sample) -> Sequence[FoundPassage]:
        """Return the passages of the given knowledge that count in the reply to a sample, the most similar first."""
        if self._passages is None or not self.recipe.knowledge:
            return ()
        return self._passages.best(sample.history, self.recipe.passages)


def sentence_file(channel: int) -> str:
    """Return the file of the sentence vectors of a channel: float32, little-endian, row by row."""
    return f"sentences-{channel}.f32"


def _channels(talks: Dialogues, path: Path) -> list[Dialogues]:
    """Return dialogues by channel; a model without the file has one channel. Raises `StorageError`."""
    if not path.is_file():
        return [talks]
    counts = read_bytes(path).split()
    sizes = [int(one) for one in counts if one.isdigit() and len(one) < _LONGEST]
    if len(sizes) != len(counts) or not all(sizes) or sum(sizes) != len(talks):
        raise StorageError(f"{path} does not fit the {len(talks):,} dialogues beside it; train the model again")
    ends = list(accumulate(sizes))
    return [talks[end - size : end] for size, end in zip(sizes, ends, strict=True)]


def _with_stored(memory: ChannelMemory, folder: Path, size: int) -> ChannelMemory:
    """Return the memory with its stored sentence vectors of that size. Raises `StorageError` for damaged ones."""
    import numpy as np

    found = list(memory.indexes)
    for number, index in enumerate(found):
        path = folder / sentence_file(number)
        if not path.is_file():
            continue
        data = read_bytes(path)
        if len(data) != 4 * size * len(index.pairs):
            raise StorageError(
                f"{path} does not hold {len(index.pairs):,} vectors of {size} numbers; train the model again"
            )
        vectors = np.frombuffer(data, "<f4").astype(np.float32).reshape(-1, size)
        if not np.isfinite(vectors).all():
            raise StorageError(f"{path} holds what is no number; train the model again")
        found[number] = index.with_sentences(vectors)
    return memory._replace(indexes=tuple(found))


def _seen(memory: ChannelMemory) -> str:
    replies, dialogues = (
        sum(map(len, parts))
        for parts in zip(*((index.pairs, index.dialogues) for index in memory.indexes), strict=True)
    )
    return f"{replies:,} replies of {dialogues:,} training dialogues, word for word"
