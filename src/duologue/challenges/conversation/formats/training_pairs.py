"""What systems learn to say: whole talks of training files, and each reply in them with what came before it.

A training file tells of a dialogue more than its last line: every line of the system that answers somebody is a lesson.
The official extraction prints each path through a tree of tweets, so that many dialogues share their beginnings: talks
that begin alike stay on one side of a split, and a reply is learned once for each history.
"""

from __future__ import annotations

import hashlib
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.conversation.formats.files import HIDDEN
from duologue.core.errors import UsageError
from duologue.core.records import Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from duologue.core.records import Example


class Exchange(NamedTuple):
    """A reply and what it answers (specification, section 9)."""

    heard: str
    """What the others said since the reply before; an opening line of the system stands at its front."""
    said: str


class Lesson(NamedTuple):
    """A reply with all that came before it."""

    talk: str
    """The talk's `id`."""
    history: tuple[Turn, ...]
    """Speakers take turns; the last is the user."""
    reply: str


class Talk(NamedTuple):
    """A dialogue whose speakers take turns: lines on end of one speaker are one."""

    id: str
    turns: tuple[Turn, ...]
    """Of user and system; the first reply of the system answers a user, and the last turn is the system's."""

    def lessons(self) -> Iterator[Lesson]:
        """Yield each reply that answers somebody."""
        for place, turn in enumerate(self.turns):
            if place and turn.speaker == "system":
                yield Lesson(self.id, self.turns[:place], turn.text)

    def exchanges(self) -> list[Exchange]:
        """Return the replies with what each answers."""
        return exchanges(self.turns)


class Split(NamedTuple):
    """Talks to learn from, and others to judge by."""

    learned: list[Talk]
    held_out: list[Talk]


def joined(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Return turns of which no two on end are of one speaker; empty, hidden and missing ones are left out.

    White space is made single spaces. Whoever is not the system counts as the user.
    """
    told = [("system" if one.speaker == "system" else "user", " ".join(one.text.split())) for one in turns]
    groups = groupby((one for one in told if one[1] not in HIDDEN), key=lambda one: one[0])
    return tuple(Turn(speaker=speaker, text=" ".join(text for _, text in group)) for speaker, group in groups)


def exchanges(turns: Sequence[Turn]) -> list[Exchange]:
    """Return the replies of joined turns with what each answers.

    What the user says last, still without a reply, is an exchange whose `said` is empty: a question to be answered.
    """
    heard: list[str] = []
    found: list[Exchange] = []
    for place, turn in enumerate(turns):
        if turn.speaker == "system" and place:
            found.append(Exchange(" ".join(heard), turn.text))
            heard = []
        else:
            heard.append(turn.text)
    return [*found, Exchange(" ".join(heard), "")] if heard else found


def talks_of(examples: Iterable[Example]) -> list[Talk]:
    """Return the talks of examples that have a reply, each once, in their order.

    The first reference of an example ends its talk; without one, what the user says last is dropped.
    """
    found: dict[tuple[str, ...], Talk] = {}
    for one in examples:
        last = [Turn(speaker="system", text=one.references[0].text or "")] if one.references else []
        turns = joined([*one.sample.history, *last])
        if turns and turns[-1].speaker == "user":
            turns = turns[:-1]
        if len(turns) > 1:
            words = (turns[0].speaker, *(turn.text for turn in turns))
            found.setdefault(words, Talk(one.sample.dialogue_id, turns))
    return list(found.values())


def lessons_of(talks: Iterable[Talk]) -> list[Lesson]:
    """Return the replies of talks in their order; the same reply to the same history is there once."""
    found: dict[tuple[str, ...], Lesson] = {}
    for talk in talks:
        for lesson in talk.lessons():
            words = (lesson.history[0].speaker, *(turn.text for turn in lesson.history), lesson.reply)
            found.setdefault(words, lesson)
    return list(found.values())


def demand_talks(examples: Iterable[Example]) -> list[Talk]:
    """Return the talks of examples. Raises `UsageError` where there is none: nobody answers anybody."""
    talks = talks_of(examples)
    if not talks:
        raise UsageError(
            "the training data has no reply: no line of the system ('S: ...') follows one of the user ('U: ...'); "
            "give dialogue text with --train"
        )
    return talks


def split(talks: Sequence[Talk], share: float, seed: int) -> Split:
    """Return talks to learn from and about `share` of them to judge by, in their order.

    Talks that begin with the same line are on one side. The seed and that line alone decide which, as far as neither
    side is left without a talk; where all talks begin alike, both sides hold all of them.
    """
    beginnings = {talk.turns[0].text for talk in talks}
    if len(beginnings) < 2:
        return Split(list(talks), list(talks))
    ranked = sorted((_rank(text, seed), text) for text in beginnings)
    drawn = {text for rank, text in ranked[1:-1] if rank < share} | {ranked[0][1]}
    learned = [talk for talk in talks if talk.turns[0].text not in drawn]
    return Split(learned, [talk for talk in talks if talk.turns[0].text in drawn])


def _rank(text: str, seed: int) -> float:
    """Return where in [0, 1[ the hash of seed and text lies."""
    digest = hashlib.sha256(f"{seed}\n{text}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:7], "big") / (1 << 56)
