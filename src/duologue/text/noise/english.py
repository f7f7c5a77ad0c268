"""Spoken English: words that recognisers confuse, and the sounds that accents do not tell apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.text.noise.spoken_language import SpokenLanguage, drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.text.noise.aligned_text import Stretch

_WORD = re.compile(r"\S+")
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LETTERS = ("ee>ea", "ea>ee", "ght>t", "ph>f", "ck>k", "tion>shun", "ou>ow", "ai>ay", "ie>ee", "th>t", "d$>t", "t$>d",
            "g$>k", "s$>z", "b>p", "p>b", "v>f", "m>n", "n>m", "i>e", "e>i", "a>e", "o>a")  # fmt: skip
"""What is written in a word for which no other is known: letters of near sounds."""
_LONG = 4
"""Letters that a word must have for this."""
_ACCENTS: dict[str, Sequence[str]] = {
    "th-fronting": ("^th(?=[eaio]\\w?$)>d", "th>f"),
    "th-stopping": ("th>t",),
    "g-dropping": ("ing$>in", "^h(?=[aeiou])>"),
    "v-w": ("v>w", "^w(?=[aeiou])>v"),
    "r-l": ("r(?=[aeiou])>l", "l(?=[aeiou])>r"),
    "pin-pen": ("en(?=[a-z]|$)>in", "em>im"),
}
"""Spellings of what a recogniser hears of a speaker's sounds. General knowledge of accents, taken from no data."""


class SpokenEnglish(SpokenLanguage):
    """English whose words stand between spaces."""

    name = "english"
    gap = " "
    accents = tuple(_ACCENTS)

    def words(self, text: str) -> list[Stretch]:
        """Return the places of what stands between spaces; marks, and what stands in `<...>`, are no words."""
        return [
            found.span()
            for found in _WORD.finditer(text)
            if found.group()[0] != "<" and any(sign.isalnum() for sign in found.group())
        ]

    def near(self, word: str, point: float) -> str | None:
        """Return a word that is heard for this one, or for a longer one its letters with a near sound."""
        known: list[str] | None = self._tables["near"].get(word)
        return drawn(known, point) if known else _changed(word, _LETTERS, point) if len(word) >= _LONG else None

    def accented(self, word: str, accent: str, point: float) -> str | None:
        """Return the word as it is written after the sounds of an accent."""
        return _changed(word, _ACCENTS[accent], point)

    def other_number(self, word: str, point: float) -> str | None:
        """Return another number from two to ten."""
        return drawn([one for one in _NUMBERS if one != word], point) if word in _NUMBERS else None


def _changed(word: str, rules: Sequence[str], point: float) -> str | None:
    found = []
    for rule in rules:
        pattern, instead = rule.split(">")
        other = re.sub(pattern, instead, word, count=1)
        if other not in ("", word):
            found.append(other)
    return drawn(found, point)
