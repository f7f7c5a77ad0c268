"""Text between how people write it and the challenge's tokens."""

from __future__ import annotations

import re

from duologue.challenges.conversation.extraction.twitter.cleaner import Cleaner

_SPACED = re.compile(r" ([.,!?;:%)]|'[a-z]+)(?=\s|$)")
"""Punctuation and contraction suffixes that tokenization split off."""
_PLACEHOLDER = re.compile(r"(<[A-Z][A-Z_-]*>)")


def as_read(text: str) -> str:
    """Return tokens as a person reads them: punctuation and contractions joined to their words."""
    return _SPACED.sub(r"\1", text)


def as_cut(text: str, cleaner: Cleaner | None = None) -> str:
    """Return the challenge's tokens of a text that may have been cut before: placeholders stay as they are.

    >>> as_cut("We're sorry. Visit <URL>!") == as_cut("we 're sorry . visit <URL> !")
    True
    """
    clean = (cleaner or Cleaner()).clean
    pieces = _PLACEHOLDER.split(as_read(text))
    cut = (piece if place % 2 else clean(piece).strip() for place, piece in enumerate(pieces))
    return " ".join(piece for piece in cut if piece)
