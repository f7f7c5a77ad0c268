"""Spoken Chinese: homophones by syllable, and the confusions of initials and finals of regional accents."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from duologue.text.anonymiser import PLACEHOLDER
from duologue.text.noise.spoken_language import SpokenLanguage, drawn
from duologue.text.pronunciation import reading, readings_of, sound_alikes
from duologue.text.words import words as segmented

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.text.noise.aligned_text import Stretch

_DIGITS = "一二三四五六七八九"
_ARABIC = "123456789"
_WORD = re.compile(r"\S+")
_RETROFLEX = tuple((f"^{one}h", one) for one in "zcs")
_FLAT = tuple((f"^{one}(?!h)", f"{one}h") for one in "zcs")
_NASALS = (("ing$", "in"), ("eng$", "en"))
_ACCENTS: dict[str, Sequence[tuple[str, str]]] = {
    "southwest": (*_RETROFLEX, ("^n(?=[aeiou])", "l"), *_NASALS),
    "hunan": (("^h(?=u)", "f"), ("^fu(?=.)", "f"), ("^l", "n"), *_RETROFLEX),
    "jianghuai": (("^n", "l"), ("in$", "ing"), ("en$", "eng"), *_RETROFLEX),
    "northeast": (*_FLAT, ("^r(?=[aeiou])", "y")),
    "min": (("^f", "h"), ("^r", "l"), *_RETROFLEX, *_NASALS),
    "cantonese": (("^zh", "z"), ("^sh", "s"), ("^ch", "c"), ("^r", "y"), ("ang$", "an"), ("^h(?=u)", "w")),
}
"""Initials and finals that speakers of a region do not tell apart, as patterns of toneless pinyin; the first that gives
a syllable of the language counts. General knowledge of Chinese dialects, taken from no data."""


class SpokenChinese(SpokenLanguage):
    """Chinese, in running text or cut into words by spaces (`spaced`). Needs the extra `zh`."""

    name = "chinese"
    accents = tuple(_ACCENTS)

    def __init__(self, *, spaced: bool = False) -> None:
        self.gap = " " if spaced else ""

    def words(self, text: str) -> list[Stretch]:
        """Return the places of the words: of those between spaces, or of the segmenter's; a placeholder is none."""
        if self.gap:
            places = [found.span() for found in _WORD.finditer(text)]
        else:
            places, at = [], 0
            for word in segmented(text):
                places.append((at, at + len(word)))
                at += len(word)
        hidden = {at for found in PLACEHOLDER.finditer(text) for at in range(*found.span())}
        return [
            (start, end)
            for start, end in places
            if any(sign.isalnum() for sign in text[start:end]) and hidden.isdisjoint(range(start, end))
        ]

    def near(self, word: str, point: float) -> str | None:
        """Return the word with one character for which another of the same syllable is written, tones aside."""
        able = [at for at, sign in enumerate(word) if readings_of(sign) and len(_alike(reading(sign))) > 1]
        if not able:
            return None
        at = able[int(point * len(able))]
        others = [one for one in _alike(reading(word[at])) if one != word[at]]
        return word[:at] + others[int(point * 7919 % 1 * len(others))] + word[at + 1 :]

    def accented(self, word: str, accent: str, point: float) -> str | None:
        """Return the word with the first character whose syllable the accent says as another."""
        for at, sign in enumerate(word):
            heard = drawn(_heard(reading(sign), accent), point) if readings_of(sign) else None
            if heard is not None:
                return word[:at] + heard + word[at + 1 :]
        return None

    def other_number(self, word: str, point: float) -> str | None:
        """Return the word with its first numeral changed."""
        for at, sign in enumerate(word):
            for signs in (_DIGITS, _ARABIC):
                if sign in signs:
                    return word[:at] + str(drawn(signs.replace(sign, ""), point)) + word[at + 1 :]
        return None


def _alike(syllable: str) -> Sequence[str]:
    """Return the frequent characters of a syllable."""
    return sound_alikes().get(syllable, ((), ()))[0]


@cache
def _heard(syllable: str, accent: str) -> Sequence[str]:
    """Return the characters of the syllable that stands for another one in an accent; none where it stays."""
    for pattern, instead in _ACCENTS[accent]:
        other = re.sub(pattern, instead, syllable)
        if other != syllable and _alike(other):
            return _alike(other)
    return ()
