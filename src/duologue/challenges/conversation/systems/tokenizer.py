"""Texts as pieces that networks read and say, and back: words, with the punctuation around them apart.

Text of the official extraction has spaces around its punctuation, other text has not. A mark on punctuation says on
which side it stands close to its neighbour, so that both kinds come back as they were, and a name at the end of a
sentence is the same piece as one within it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

Cut = Literal["words", "pieces"]
"""How text is cut: at white space alone, or with punctuation apart."""

CLOSE = "\uffed"
"""Stands on the side of a piece where no space comes."""

_BEFORE = re.compile(r"[^\w\s@#$]*")
_HOLDER = re.compile(r"(<[A-Z_]+>)")


def pieces_of(text: str, cut: Cut = "pieces") -> list[str]:
    """Return the pieces of a text; white space is no piece.

    >>> pieces_of("At 11:30 (San Jose)?")
    ['At', '11:30', '(￭', 'San', 'Jose', '￭)?']
    >>> pieces_of("sorry , <USER> !") == "sorry , <USER> !".split()
    True
    """
    words = text.split()
    return words if cut == "words" else [piece for word in words for piece in _pieces(word)]


def _pieces(word: str) -> list[str]:
    if word.isalnum():
        return [word]
    parts = _HOLDER.split(word) if "<" in word else ["", word]
    if len(parts) > 2:  # a placeholder: what stands beside it is punctuation in the main
        before, holder, after = parts[0], parts[1], "".join(parts[2:])
    else:
        match = _BEFORE.match(word)
        start, end = match.end() if match is not None else 0, len(word)
        while end > start and not (word[end - 1].isalnum() or word[end - 1] == "_"):
            end -= 1
        before, holder, after = word[:start], word[start:end], word[end:]
    if not holder:
        return [word]
    return [*([before + CLOSE] if before else []), holder, *([CLOSE + after] if after else [])]


def text_of(pieces: Iterable[str]) -> str:
    """Return the text of pieces, words apart by one space."""
    return f" {' '.join(pieces)} ".replace(f"{CLOSE} ", "").replace(f" {CLOSE}", "").strip()
