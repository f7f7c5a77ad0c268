"""Short hashes of texts, insensitive to case, spacing and punctuation, for measuring overlap."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

BYTES = 6
"""Bytes of a fingerprint: among ten million texts an unknown one is taken for a known one with a chance of 4e-8."""

_PRIME = (1 << 61) - 1
_BASE = 0x9E3779B97F4A7C15 % _PRIME
"""Of the rolling hash of runs of words (Karp and Rabin 1987)."""
_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
_GAPS = re.compile(r"[\W_]+")
_IDEOGRAPH = re.compile(f"[{_IDEOGRAPHS}]")
_WORD = re.compile(rf"[^\W_{_IDEOGRAPHS}]+")
_TOKEN = re.compile(rf"[{_IDEOGRAPHS}]|[^\W_{_IDEOGRAPHS}]+")


class TextFingerprint(NamedTuple):
    """The fingerprint and length of a text, for measuring overlap between corpora."""

    print: int
    """Its fingerprint."""
    size: float
    """Its length in words; a Chinese, Japanese or Korean character counts as half a word."""


@lru_cache(maxsize=1 << 15)
def of_text(text: str) -> TextFingerprint:
    """Return fingerprint and length of a text; only its letters and digits count, in no case and full or half width.

    >>> of_text("Sorry , I can 't !").print == of_text("sorry, I can't").print
    True
    >>> of_text("您好，请问").size
    2.0
    """
    even = _even(text)
    words = _WORD.findall(even)
    if even.isascii():  # words are all that counts, found once
        return TextFingerprint(_number("".join(words).encode()), float(len(words)))
    size = len(words) + len(_IDEOGRAPH.findall(even)) / 2
    return TextFingerprint(_number(_GAPS.sub("", even).encode("utf-8", "surrogatepass")), size)


def of_runs(text: str, n: int) -> list[int]:
    """Return the fingerprints of all runs of `n` words; a Chinese, Japanese or Korean character is a word here.

    >>> len(of_runs("one two , three four", 3))
    2
    """
    words = list(map(_of_word, _TOKEN.findall(_even(text))))
    found, rolling, leaving = [], 0, _power(n)
    for place, word in enumerate(words):
        rolling = (rolling * _BASE + word - (words[place - n] * leaving if place >= n else 0)) % _PRIME
        if place >= n - 1:
            found.append(rolling)
    return found


@lru_cache
def _power(n: int) -> int:
    return pow(_BASE, n, _PRIME)


@lru_cache(maxsize=1 << 16)
def _of_word(word: str) -> int:
    return _number(word.encode("utf-8", "surrogatepass"))


def of_several(prints: Iterable[int]) -> int:
    """Return the fingerprint of texts in their order, made from theirs."""
    return _number(b"".join(one.to_bytes(BYTES) for one in prints))


def of_beginnings(prints: Iterable[int]) -> list[int]:
    """Return the fingerprint of each beginning of texts in their order, 0 for that of none.

    Each is made from the one before, as `of_several` makes it.

    >>> of_beginnings([7, 8]) == [0, of_several([0, 7]), of_several([of_several([0, 7]), 8])]
    True
    """
    found, last = [0], bytes(BYTES)
    for one in prints:
        last = hashlib.blake2b(last + one.to_bytes(BYTES), digest_size=BYTES).digest()
        found.append(int.from_bytes(last))
    return found


def _even(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _number(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=BYTES).digest())
