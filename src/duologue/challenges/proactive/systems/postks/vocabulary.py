"""Tokens and vocabulary of the generation baseline (specification, section 2.4)."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from duologue.challenges.proactive.formats.model_text import TRIPLE_END
from duologue.models.vocabulary import SPECIAL

if TYPE_CHECKING:
    from collections.abc import Iterable

SIZE_LIMIT = 30_000
"""Maximum number of tokens besides the special ones."""
LONGEST = 500
"""Maximum tokens of a source or reply; a longer example is dropped, a longer triple is cut."""

_DIGITS = re.compile(r"\d+")


def tokens_of(text: str) -> list[str]:
    """Tokenise a text: digits become `<num>`, lower case, split at single spaces.

    >>> tokens_of("3181.0万 OK ")
    ['<num>.<num>万', 'ok', '']
    """
    return _DIGITS.sub("<num>", text).lower().split(" ")


def fields_of(line: str) -> tuple[list[str], list[str], list[list[str]]] | None:
    """Return the tokens of source, reply and triples of a model text line; `None` for a line that is dropped."""
    source, reply, triples = line.rstrip("\n").split("\t")
    said, wanted = tokens_of(source), tokens_of(reply)
    if len(said) > LONGEST or len(wanted) > LONGEST:  # an empty text is one empty token
        return None
    return said, wanted, [tokens_of(" ".join(triple.split()[:LONGEST])) for triple in triples.split(TRIPLE_END)]


def vocabulary(lines: Iterable[str]) -> list[str]:
    """Return the vocabulary of model text: special tokens, then by frequency, ties by code point."""
    times: Counter[str] = Counter()
    for line in lines:
        fields = fields_of(line)
        if fields is not None:
            source, reply, triples = fields
            times.update(source)
            times.update(reply)
            for triple in triples:
                times.update(triple)
    for token in SPECIAL:
        times.pop(token, None)
    return [*SPECIAL, *sorted(times, key=lambda token: (-times[token], token))[:SIZE_LIMIT]]
