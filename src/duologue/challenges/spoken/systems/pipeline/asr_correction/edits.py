"""Candidate edits of an utterance: each undoes one kind of recognition error."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.spoken.noise.noise_table import FINAL, MARKS, NUMERALS, PARTICLES, USUAL
from duologue.text.pronunciation import reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

EDIT_KINDS = ("repeat", "tail", "filler", "stop", "mark", "swap", "sound", "pair", "numeral", "lost", "end")
"""A repeated character; a particle before the last character; a filler; a stray full stop; a mark swapped with a word;
two swapped words; one homophone, or two; a formal numeral; a deleted character; a missing final mark."""

FORMAL = {formal: plain for plain, formal in NUMERALS.items() if not plain.isascii()}
ARABIC = {formal: plain for plain, formal in NUMERALS.items() if plain.isascii()}
"""Formal numerals with the usual characters, and with digits."""
UNUSUAL: dict[str, str] = {}
"""By character: those that the noise is known to replace by it."""
for _plain, _other in USUAL.items():
    UNUSUAL[_other] = UNUSUAL.get(_other, "") + _plain

_QUESTIONS = ("什么", "谁", "哪", "几", "多少", "多久", "多大", "怎", "啥", "吗")
"""Words that mark a question."""
_LONGEST = 3
"""Most characters of a word that may have been swapped with its neighbour."""


class Edit(NamedTuple):
    """Replacement of the characters from `start` to `end` (exclusive) by `text`."""

    kind: str
    start: int
    end: int
    text: str

    def apply(self, text: str) -> str:
        """Return the text with the edit made."""
        return text[: self.start] + self.text + text[self.end :]


def is_han(sign: str) -> bool:
    """Return whether a character is in the block of common Chinese characters (U+4E00 to U+9FFF)."""
    return "\u4e00" <= sign <= "\u9fff"


def repeats(text: str) -> Iterator[Edit]:
    """Yield edits that drop one of two equal neighbouring characters."""
    for at in range(len(text) - 1):
        if text[at] == text[at + 1] and is_han(text[at]):
            yield Edit("repeat", at, at + 1, "")


def particles(text: str) -> Iterator[Edit]:
    """Yield edits that drop a particle: before the last character (`tail`), or a filler anywhere."""
    for at, sign in enumerate(text[:-1]):
        if sign in PARTICLES:
            yield Edit("tail" if at == len(text) - 2 else "filler", at, at + 1, "")


def stops(text: str) -> Iterator[Edit]:
    """Yield edits that drop a full stop inside the utterance, or a second one at its end."""
    for at, sign in enumerate(text):
        if sign == "。" and (at < len(text) - 1 or text[at - 1 : at] == "。"):
            yield Edit("stop", at, at + 1, "")


def marks(text: str) -> Iterator[Edit]:
    """Yield edits that swap a punctuation mark back with the word after or before it."""
    size = len(text)
    for at in range(max(0, size - 5), size - 1):
        if text[at] in FINAL and not any(sign in MARKS for sign in text[at + 1 :]):
            rest = text[at + 1 :]
            yield Edit("mark", at, size, rest + text[at])
            if len(rest) > 1 and rest[-2] in PARTICLES:
                yield Edit("mark", at, size, rest[:-2] + rest[-1] + text[at])
    for at, sign in enumerate(text[:-1]):
        if sign == "，":
            for length in range(1, _LONGEST + 1):
                word = text[at + 1 : at + 1 + length]
                if len(word) == length and at + 1 + length < size and not any(one in MARKS for one in word):
                    yield Edit("mark", at, at + 1 + length, word + sign)
                word = text[at - length : at] if at >= length else ""
                if word and at > length and not any(one in MARKS for one in word):
                    yield Edit("mark", at - length, at + 1, sign + word)


def swaps(text: str, unlikely: Sequence[bool]) -> Iterator[Edit]:
    """Yield edits that swap two short words whose boundaries are unlikely under the language model."""
    size = len(text)
    for start in range(size - 1):
        for middle in range(start + 1, min(start + _LONGEST, size - 1) + 1):
            for end in range(middle + 1, min(middle + _LONGEST, size) + 1):
                if unlikely[start] + unlikely[middle] + unlikely[end] < 2 or text[start:middle] == text[middle:end]:
                    continue
                if all(is_han(sign) for sign in text[start:end]):
                    yield Edit("swap", start, end, text[middle:end] + text[start:middle])


def sounds(
    text: str, unlikely: Sequence[bool], alone: Mapping[str, str], pairs: Mapping[str, Sequence[str]]
) -> Iterator[Edit]:
    """Yield edits that replace one or two characters by homophones.

    `alone` and `pairs` are the frequent characters and pairs by reading; `unlikely` marks the characters that are
    unlikely under the language model.
    """
    read = [reading(sign) for sign in text]
    for at, sign in enumerate(text):
        if not is_han(sign) or not (unlikely[at] or unlikely[at + 1]):
            continue
        usual = UNUSUAL.get(sign, "")
        for other in dict.fromkeys((*usual, *alone.get(read[at], ()))):
            if other != sign:
                yield Edit("sound", at, at + 1, other)
        if at + 1 < len(text):
            two = text[at : at + 2]
            for other in pairs.get(f"{read[at]} {read[at + 1]}", ()):
                if other[0] != two[0] and other[1] != two[1]:
                    yield Edit("pair", at, at + 2, other)


def numerals(text: str) -> Iterator[Edit]:
    """Yield edits that write formal numerals as common ones, and as digits where all of a run can be."""
    at = 0
    while at < len(text):
        end = at
        while end < len(text) and text[end] in NUMERALS.values():
            end += 1
        run = text[at:end]
        if run:
            yield Edit("numeral", at, end, "".join(FORMAL.get(sign, sign) for sign in run))
            if all(sign in ARABIC for sign in run):
                yield Edit("numeral", at, end, "".join(ARABIC[sign] for sign in run))
        at = end + 1


def losses(text: str, unlikely: Sequence[bool], after: Mapping[str, str]) -> Iterator[Edit]:
    """Yield edits that insert a deleted character; `after` has the frequent successors of one or two characters."""
    for at in range(len(text) + 1):
        if unlikely[at]:
            before = ("\x02" + text)[max(0, at - 1) : at + 1]
            for sign in dict.fromkeys(after.get(before, "") + after.get(before[-1:], "")):
                yield Edit("lost", at, at, sign)


def ends(text: str) -> Iterator[Edit]:
    """Yield the edit that adds a missing final mark: a question mark where the utterance asks something."""
    if text and text[-1] not in MARKS:
        asks = text[-1] in "吗呢么吧" or any(word in text for word in _QUESTIONS)
        yield Edit("end", len(text), len(text), "？" if asks else "。")
