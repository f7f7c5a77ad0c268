"""Features of characters: the character, the bigrams and the trigram around it, its class, its speaker, its word.

The word tells whether a character begins, ends or is one, which holds for names that no training data has, too. Two
more tell what a window cannot: whether the character is part of words said twice in a row, of the first or of the
second time, and how often its trigram is said in the document, since names come again.

n-grams are hashed, so no vocabulary is kept, and a text of any corpus has features. Feature 0 is none.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from duologue.text.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.tagger.document import Document

_CHARACTERS, _BIGRAMS, _TRIGRAMS = 1 << 12, 1 << 13, 1 << 14
_FIRST_BIGRAM = 1 + _CHARACTERS
_SECOND_BIGRAM = _FIRST_BIGRAM + _BIGRAMS
_TRIGRAM = _SECOND_BIGRAM + _BIGRAMS
_CLASS = _TRIGRAM + _TRIGRAMS
_ROLE = _CLASS + 8
_TWICE = _ROLE + 4
_AGAIN = _TWICE + 5
_PLACE = _AGAIN + 4
FEATURES = _PLACE + 4
"""Number of different features."""
PER_CHARACTER = 9
"""Features of each character."""
BIGRAMS = (1, 2)
"""Columns of the bigrams: with the character before, with the one after."""

_ROLES = {"system": 1, "user": 2}
_BREAK, _DIGIT, _LETTER = (ord(one) for one in "_0g")
_CLASSES = {"零〇一二三四五六七八九两幺半几": 1, "十百千万": 2, "块元毛角钱": 3, "兆": 4, "年月天日号": 5}
_NUMBER, _WORD = 6, 7
_LONGEST_REPEAT = 4
_PRIMES = (0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35)

_SPELLED = np.arange(1 << 16, dtype=np.uint32)  # one spelling for what differs in no meaning
_SPELLED[ord("A") : ord("Z") + 1] += 32
_SPELLED[ord("0") : ord("9") + 1] = _DIGIT
_SPELLED[[ord(" "), ord("\u3000"), ord("\t")]] = _BREAK
_CLASS_OF = np.zeros(1 << 16, dtype=np.int64)
for _signs, _number in _CLASSES.items():
    _CLASS_OF[[ord(sign) for sign in _signs]] = _number
_CLASS_OF[_DIGIT] = _NUMBER
_CLASS_OF[ord("a") : ord("z") + 1] = _WORD


def features_of(document: Document) -> NDArray[np.int32]:
    """Return the features of a document's characters (n, 9), with who speaks and with words.

    Raises `MissingExtraError` without the extra `zh`.
    """
    found = encoded(document.text, _roles_of(document))
    found[:, 8] = _PLACE + _places_in_words(document.text)
    return found


def encoded(text: str, roles: Sequence[tuple[int, int]] = ()) -> NDArray[np.int32]:
    """Return the features of the characters of a text (n, 9); `roles` has lengths and numbers of speakers."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    signs = np.zeros(len(points) + 2, dtype=np.uint32)  # a zero before and after
    signs[1:-1] = _SPELLED[np.minimum(points, (1 << 16) - 1)]
    before, here, after = signs[:-2], signs[1:-1], signs[2:]
    found = np.zeros((len(points), PER_CHARACTER), dtype=np.int32)
    found[:, 0] = 1 + _hashed(_CHARACTERS, here)
    pairs = _hashed(_BIGRAMS, signs[:-1], signs[1:])
    found[:, 1] = _FIRST_BIGRAM + pairs[:-1]
    found[:, 2] = _SECOND_BIGRAM + pairs[1:]
    trigrams = _hashed(_TRIGRAMS, before, here, after)
    found[:, 3] = _TRIGRAM + trigrams
    found[:, 4] = _CLASS + _CLASS_OF[here]
    found[:, 6] = _TWICE + _said_twice(here)
    found[:, 7] = _AGAIN + np.minimum(np.bincount(trigrams)[trigrams], 4) - 1
    if roles:
        found[:, 5] = _ROLE + np.repeat([number for _, number in roles], [length for length, _ in roles])
    return found


def _said_twice(signs: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return for each sign: 0 said once, 1 and 2 a sign said twice in a row, 3 and 4 one of up to four said twice."""
    found = np.zeros(len(signs), dtype=np.int64)
    for size in range(1, min(_LONGEST_REPEAT, len(signs) // 2) + 1):
        alike = signs[:-size] == signs[size:]
        all_alike = alike[: len(alike) - size + 1].copy()
        for offset in range(1, size):
            all_alike &= alike[offset : offset + len(all_alike)]
        starts = np.flatnonzero(all_alike)
        first, second = (1, 2) if size == 1 else (3, 4)
        for offset in range(size):
            found[starts + offset] = first
            found[starts + size + offset] = second
    return found


def _places_in_words(text: str) -> NDArray[np.int64]:
    """Return for each character: 0 within a word, 1 its first, 2 its last, 3 the only one."""
    whole = text.encode(errors="replace").decode()  # half a surrogate pair is no text to a segmenter
    ends = np.cumsum([len(word) for word in words(whole)], dtype=np.int64)
    found = np.zeros(len(text), dtype=np.int64)
    if len(ends):
        found[ends - 1] += 2
        found[np.concatenate([[0], ends[:-1]])] += 1
    return found


def _roles_of(document: Document) -> list[tuple[int, int]]:
    return [
        (end - start, _ROLES.get(role, 3))
        for role, (start, end) in zip(document.roles, pairwise(document.starts), strict=True)
    ]


def _hashed(buckets: int, *signs: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return a bucket for each n-gram: the upper bits of a multiplicative hash."""
    mixed = np.zeros(len(signs[0]), dtype=np.uint32)
    for prime, column in zip(_PRIMES, signs, strict=False):
        mixed = (mixed ^ column) * np.uint32(prime)
        mixed ^= mixed >> np.uint32(15)
    return mixed % np.uint32(buckets)
