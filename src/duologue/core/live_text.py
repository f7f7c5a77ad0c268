"""What live partners of all challenges share: the choice of a language for their own texts, and words that leave."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from duologue.core.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

Texts = TypeVar("Texts")

LEAVES = frozenset({"/quit", "bye", "goodbye", "quit", "exit"})
"""Inputs, in lower case, that end a conversation whatever its language is."""
GOODBYES = LEAVES | {"再见"}
"""These, and the Chinese word that none of the challenges' texts uses for anything else."""


def texts_in(lang: str, texts: Mapping[str, Texts]) -> Texts:
    """Return the texts of a language, such as `en` or `zh`. Raises `UsageError` for one that has none.

    >>> texts_in("zh", {"en": "hello", "zh": "你好"})
    '你好'
    """
    if lang not in texts:
        raise UsageError(f"there are no remarks in language '{lang}'{did_you_mean(lang, texts)}")
    return texts[lang]
