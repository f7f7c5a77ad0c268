"""Answering with what was answered before: the reply of a talk that went alike, agreed on by several such talks.

A reply of the training data is stored with what the user said just before it and what was said before that. The same
three parts of a history are searched by BM25 (`duologue.models.search`); among the replies of the best talks the one
that agrees most with the others is said (`duologue.models.consensus`). Nothing is generated: each reply was once
written by a person, with the names and numbers of another talk in it.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec

from duologue.challenges.conversation.terms import terms
from duologue.core.errors import UsageError
from duologue.core.records import Answer, Dialogue, Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.conversation.lessons import Lesson
    from duologue.core.protocols import Brief, Progress, Run, Task, World
    from duologue.core.records import Example, Sample, Turn
    from duologue.models.search import TextIndex

TALKS = "talks.txt"
"""What a trained retriever is: the talks that it learned from, as dialogue text."""
FIELDS = ("last", "before", "reply")
EARLIER = 2
"""Turns before the last one that are searched for."""
MOST_TERMS = 100
"""Terms of each part that are searched for, the latest ones: a very long tweet is no slower than a long one."""
_ODD = 500
"""Replies among which the one is chosen that is said when nothing at all was found."""

Positive = Annotated[int, msgspec.Meta(ge=1)]
Weight = Annotated[float, msgspec.Meta(ge=0)]


class RetrieverRecipe(Record, frozen=True):
    """How talks are compared; the defaults were chosen on held-out talks of the training data."""

    last: Weight = 1.0
    """What the user said last, beside the same of a stored talk."""
    before: Weight = 0.5
    """The two turns before that, beside the same of a stored talk."""
    reply: Weight = 0.1
    """All three turns, beside the stored reply: replies take words up. More makes replies parrots."""
    candidates: Positive = 40
    """Talks whose replies agree on one; 1 takes the reply of the best talk."""
    temperature: Annotated[float, msgspec.Meta(gt=0)] = 0.2
    """How far a worse talk counts: its weight is exp((score / best score - 1) / temperature)."""


class Retriever:
    """Say what was said in talks like this one: BM25 over training talks, and the reply they agree on."""

    Recipe: type[Record] = RetrieverRecipe

    def __init__(self, recipe: RetrieverRecipe | None = None) -> None:
        self.recipe = recipe or RetrieverRecipe()
        self.seen = "nothing yet"
        self._memory: _Memory | None = None

    def prepare(self, brief: Brief, seed: int, worlds: Mapping[str, World]) -> None:
        """Need nothing: there is no chance in it."""

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
        from duologue.challenges.conversation.lessons import demand_talks

        self._take([talk.turns for talk in demand_talks(examples)])

    def save(self, folder: Path) -> None:
        """Write the talks."""
        from duologue.challenges.conversation.files import write_dialogues

        write_dialogues((Dialogue(id="", turns=turns) for turns in self._known().talks), folder / TALKS)

    def load(self, folder: Path) -> None:
        """Take up the talks; the index over them is made anew."""
        from duologue.challenges.conversation.files import read_dialogues

        self._take([dialogue.turns for dialogue in read_dialogues(folder / TALKS)])

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return a reply of the training data for each sample. Raises `UsageError` before training."""
        memory = self._known()
        return [Answer(text=memory.reply(sample.history, self.recipe)) for sample in samples]

    def _take(self, talks: Sequence[tuple[Turn, ...]]) -> None:
        self._memory = memory = _Memory.of(talks)
        self.seen = f"{len(memory.lessons):,} replies of {len(talks):,} training dialogues, word for word"

    def _known(self) -> _Memory:
        if self._memory is None:
            raise UsageError("the retriever has no talks to answer from; train it first: duologue train conversation")
        return self._memory


class _Memory(NamedTuple):
    """Talks and the index over their replies."""

    talks: Sequence[tuple[Turn, ...]]
    lessons: list[Lesson]
    searched: TextIndex
    common: str
    """What to say when nothing is known: the reply that agrees most with the others."""

    @classmethod
    def of(cls, talks: Sequence[tuple[Turn, ...]]) -> _Memory:
        from duologue.challenges.conversation.lessons import Talk, lessons_of
        from duologue.core.plugins import need

        search = need("duologue.models.search", "retrieve")
        lessons = lessons_of(Talk("", turns) for turns in talks)
        texts = ((*_context(one.history), one.reply) for one in lessons)
        searched: TextIndex = search.TextIndex(FIELDS, (list(map(terms, text)) for text in texts))
        odd = [one.reply for one in lessons[:: math.ceil(len(lessons) / _ODD)]]
        return cls(talks, lessons, searched, _agreed(odd, [1.0] * len(odd)))

    def reply(self, history: Sequence[Turn], recipe: RetrieverRecipe) -> str:
        """Return the reply to a history."""
        from duologue.challenges.conversation.lessons import joined

        last, before = (_counts(text) for text in _context(joined(history)))
        wanted = {
            "last": {term: recipe.last * times for term, times in last.items()},
            "before": {term: recipe.before * times for term, times in before.items()},
            "reply": dict.fromkeys({**last, **before}, recipe.reply),
        }
        found = self.searched.best(wanted, recipe.candidates)
        if not found:
            return self.common
        best = found[0].score
        weights = [math.exp((hit.score / best - 1) / recipe.temperature) if best > 0 else 1.0 for hit in found]
        return _agreed([self.lessons[hit.row].reply for hit in found], weights)


def _context(history: Sequence[Turn]) -> tuple[str, str]:
    """Return what was said last, and the turns before it."""
    if not history:
        return "", ""
    return history[-1].text, " ".join(turn.text for turn in history[-1 - EARLIER : -1])


def _counts(text: str) -> Counter[str]:
    return Counter(terms(text)[-MOST_TERMS:])


def _agreed(replies: Sequence[str], weights: Sequence[float]) -> str:
    from duologue.models.consensus import most_agreed

    return replies[most_agreed([reply.lower().split() for reply in replies], weights)]
