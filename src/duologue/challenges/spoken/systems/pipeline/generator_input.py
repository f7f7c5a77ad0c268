"""Input and target of the generator: tokens of triples, history and reply.

It reads and says characters, and pieces of what the triples hold: the published generator is pre-trained and copies a
value character by character, which one trained from nothing on some thousand replies does not learn. A name, a value or
a clause of a long one is therefore a word of its own, which no vocabulary knows and the copy head can point at.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.spoken.systems.template_nlg.surface_forms import fact_text
from duologue.knowledge.normalization import without_suffix

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.records import Fact, Turn
    from duologue.models.copy_transformer import Seq2SeqPair
    from duologue.models.vocabulary import CopyVocabulary

SUBJECT, RELATION, OBJECT, INSIDE, USER, SYSTEM = range(6)
KINDS = 6
"""Kinds of source tokens; `INSIDE` are the characters of the piece before them."""

_FACTS = 10
_VALUE = 160
"""Characters of a value that are read."""
_LOOKED_INTO = 6
"""First characters of a piece that are also read one by one."""
_TURN = 30
_REPLY = 60
_PIECE = re.compile(r"[^，。；！？、,;!?\s]+|[，。；！？、,;!?\s]")


class GeneratorSource(NamedTuple):
    """Source of the generator: tokens with their kinds."""

    signs: list[str]
    """Characters, and pieces of triples."""
    kinds: list[int]


def generator_source(facts: Sequence[Fact], history: Sequence[Turn]) -> GeneratorSource:
    """Return the source of ten triples at most (values cut at 160 characters) and the end of the last turn.

    An entity and an attribute that several values share are read once.
    """
    source = GeneratorSource([], [])
    shared = None
    for fact in facts[:_FACTS]:
        if (fact.subject, fact.relation) != shared:
            _add(source, [without_suffix(fact.subject)], SUBJECT)
            _add(source, fact.relation, RELATION)
        shared = fact.subject, fact.relation
        for piece in _PIECE.findall(fact_text(fact)[:_VALUE]):
            _add(source, [piece], OBJECT)
            _add(source, piece[:_LOOKED_INTO] if len(piece) > 1 else "", INSIDE)
    for turn in history[-1:]:
        _add(source, turn.text[-_TURN:], USER if turn.speaker == "user" else SYSTEM)
    return source


def _add(source: GeneratorSource, signs: Sequence[str], kind: int) -> None:
    source.signs.extend(signs)
    source.kinds.extend([kind] * len(signs))


def generator_pair(source: GeneratorSource, reply: str, words: CopyVocabulary) -> tuple[Seq2SeqPair, list[str]]:
    """Return source and reply as token ids, and the out-of-vocabulary tokens of the source."""
    from duologue.models.copy_transformer import Seq2SeqPair  # needs torch

    numbers, unknown = words.source(source.signs)
    pieces = sorted({sign for sign in source.signs if len(sign) > 1}, key=lambda piece: (-len(piece), piece))
    return Seq2SeqPair(numbers, source.kinds, words.target(list(_pieces_in(reply, pieces))[:_REPLY], unknown)), unknown


def _pieces_in(reply: str, pieces: Sequence[str]) -> Iterator[str]:
    """Yield the tokens of a reply: pieces by longest match, and characters between them."""
    place = 0
    while place < len(reply):
        piece = next((one for one in pieces if reply.startswith(one, place)), reply[place])
        yield piece
        place += len(piece)
