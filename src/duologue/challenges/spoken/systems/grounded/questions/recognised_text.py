"""Phrases in a text as it was heard: exact, by sound, with characters inserted, missing or in another order."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from duologue.challenges.spoken.systems.grounded.normalization import fold, phonetic_key

HIDDEN = "\0"
"""Stands for each character that is explained already."""
_SOUND, _GAP, _ORDER, _MISSING = 0.9, 0.85, 0.75, 0.7
"""Worth of a character of a phrase that is heard so."""
HALF = 1.15
"""Worth of a phrase of two characters of which one is heard."""


class Match(NamedTuple):
    """Where a phrase is heard in a text, and how sure that is in characters."""

    score: float
    start: int
    end: int


class RecognisedText(NamedTuple):
    """A folded text and its sounds, character by character."""

    text: str
    sound: str

    @classmethod
    def of(cls, text: str) -> RecognisedText:
        """Return a text as it is heard."""
        folded = fold(text)
        return cls(folded, phonetic_key(folded))

    def without(self, start: int, end: int) -> RecognisedText:
        """Return the text with a stretch hidden."""
        hole = HIDDEN * (end - start)
        return RecognisedText(self.text[:start] + hole + self.text[end:], self.sound[:start] + hole + self.sound[end:])

    def showing(self, whole: RecognisedText, start: int, end: int) -> RecognisedText:
        """Return the text with a stretch as it stands in the whole text."""
        text = self.text[:start] + whole.text[start:end] + self.text[end:]
        return RecognisedText(text, self.sound[:start] + whole.sound[start:end] + self.sound[end:])

    def match(self, phrase: str) -> Match | None:
        """Return where a phrase is heard best, `None` where it is not."""
        return _match(self.text, self.sound, fold(phrase))

    def part(self, phrase: str) -> Match | None:
        """Return where one of the two characters of a phrase is written, for a text that lost a character."""
        folded = fold(phrase)
        if len(folded) != 2:
            return None
        place = max(self.text.find(sign) for sign in folded)
        return Match(HALF, place, place + 1) if place >= 0 else None

    def sounds(self, sign: str) -> Match | None:
        """Return where a single character is heard by its sound."""
        place = self.sound.find(phonetic_key(sign))
        return Match(_SOUND, place, place + 1) if place >= 0 else None

    def first(self, phrases: tuple[str, ...]) -> Match | None:
        """Return where the first of several phrases is heard as it is written or by its sound."""
        found = [
            one for phrase in phrases if (one := self.match(phrase)) is not None and one.score >= _SOUND * len(phrase)
        ]
        return min(found, key=lambda one: (one.start, -one.score), default=None)


def stuttered(folded: str) -> list[str]:
    """Return a folded text with one of two equal neighbouring characters left out, for each such pair.

    >>> stuttered("是是谁谁"), stuttered("是谁")
    (['是谁谁', '是是谁'], [])
    """
    return [folded[:at] + folded[at + 1 :] for at in range(len(folded) - 1) if folded[at] == folded[at + 1]]


@lru_cache(maxsize=1 << 16)
def _match(text: str, sound: str, phrase: str) -> Match | None:
    size = len(phrase)
    if not size:
        return None
    place = text.find(phrase)
    if place >= 0:
        return Match(float(size), place, place + size)
    if size < 2:
        return None
    key = phonetic_key(phrase)
    place = sound.find(key)
    if place >= 0:
        return Match(_SOUND * size, place, place + size)
    best: Match | None = None
    bag = sorted(key)
    for start in range(len(sound)):
        if HIDDEN in sound[start : start + 1]:
            continue
        found = _from(sound, start, key, bag)
        if found is not None and (best is None or found.score > best.score):
            best = found
    return best


def _from(sound: str, start: int, key: str, bag: list[str]) -> Match | None:
    """Return the match of a phrase that begins at a place, in another way than its sound."""
    size = len(key)
    window = sound[start : start + size + 1]
    if window[0] == key[0] and len(window) == size + 1 and _leaves_one(window, key):
        return Match(_GAP * size, start, start + size + 1)
    piece = sound[start : start + size]
    if size > 2 and sorted(piece) == bag:
        return Match(_ORDER * size, start, start + size)
    shorter = sound[start : start + size - 1]
    if size > 2 and _leaves_one(key, shorter):
        return Match(_MISSING * (size - 1), start, start + size - 1)
    if size > 3 and sum(one == other for one, other in zip(piece, key, strict=False)) == size - 1:
        return Match(_MISSING * (size - 1), start, min(start + size, len(sound)))
    return None


def _leaves_one(longer: str, shorter: str) -> bool:
    """Tell whether a text is another one without one of its characters."""
    if len(longer) != len(shorter) + 1:
        return False
    at = next((place for place, sign in enumerate(shorter) if longer[place] != sign), len(shorter))
    return longer[at + 1 :] == shorter[at:]
