"""A reply from triples and history, character by character: what the generator reads and says."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.spoken.replying.values import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Fact, Turn
    from duologue.models.seq2seq import Pair
    from duologue.models.words import Words

SUBJECT, RELATION, OBJECT, USER, SYSTEM = range(5)
KINDS = 5
"""Kinds of characters that the generator reads."""

_FACTS = 6
_VALUE = 80
_TURNS = 2
_TURN = 40
_REPLY = 60


class Source(NamedTuple):
    """What is read, character by character."""

    signs: list[str]
    kinds: list[int]


def source_of(facts: Sequence[Fact], history: Sequence[Turn]) -> Source:
    """Return the first six triples (values cut at 80 characters) and the last two turns (their last 40)."""
    signs: list[str] = []
    kinds: list[int] = []
    parts = [
        part
        for fact in facts[:_FACTS]
        for part in ((SUBJECT, fact.subject), (RELATION, fact.relation), (OBJECT, text_of(fact)[:_VALUE]))
    ]
    parts += [(USER if turn.speaker == "user" else SYSTEM, turn.text[-_TURN:]) for turn in history[-_TURNS:]]
    for kind, text in parts:
        signs += text
        kinds += [kind] * len(text)
    return Source(signs, kinds)


def lesson_of(source: Source, reply: str, words: Words) -> tuple[Pair, list[str]]:
    """Return a source and a reply to it as numbers, and the characters of the source that no vocabulary knows."""
    from duologue.models.seq2seq import Pair  # needs torch

    numbers, unknown = words.source(source.signs)
    return Pair(numbers, source.kinds, words.target(reply[:_REPLY], unknown)), unknown
