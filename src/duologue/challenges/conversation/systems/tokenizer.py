"""Reversible tokenizer of the neural generators: words with punctuation split off.

Text of the official extraction has spaces around its punctuation, other text has not. A joiner mark on split-off
punctuation says on which side there was no space, so that both kinds are restored exactly.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

Tokenization = Literal["words", "pieces"]
"""At white space alone, or with punctuation split off."""

JOINED = "\uffed"
"""Joiner: marks the side of a token on which there is no space."""

_BEFORE = re.compile(r"[^\w\s@#$]*")
_PLACEHOLDER = re.compile(r"(<[A-Z_]+>)")


def tokenize(text: str, cut: Tokenization = "pieces") -> list[str]:
    """Return the tokens of a text.

    >>> tokenize("At 11:30 (San Jose)?")
    ['At', '11:30', '(￭', 'San', 'Jose', '￭)?']
    >>> tokenize("sorry , <USER> !") == "sorry , <USER> !".split()
    True
    """
    words = text.split()
    return words if cut == "words" else [piece for word in words for piece in _tokens_of_word(word)]


def _tokens_of_word(word: str) -> list[str]:
    if word.isalnum():
        return [word]
    parts = _PLACEHOLDER.split(word) if "<" in word else ["", word]
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
    return [*([before + JOINED] if before else []), holder, *([JOINED + after] if after else [])]


def detokenize(pieces: Iterable[str]) -> str:
    """Return the text of tokens, joined by single spaces except at joiners."""
    return f" {' '.join(pieces)} ".replace(f"{JOINED} ", "").replace(f" {JOINED}", "").strip()
