"""Normalisation of text for matching: folded letters and digits, phonetic keys, character n-grams.

Recognition errors put stops and particles into words, drop 《》 and ·, write digits as formal numerals and characters
as homophones (specification, section 6). Each form here is invariant to some of these.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from duologue.knowledge import normalization
from duologue.metrics.ngrams import char_ngrams
from duologue.text.pronunciation import readings

_FORMAL = str.maketrans("零壹贰弍叁肆伍陆柒捌玖", "01223456789")
_SPOKEN_DIGITS = dict(zip("0123456789", "零一二三四五六七八九", strict=True))
_CUTS = re.compile(r"[、，,;；/|。！？!?…\n]+|::;")
GRAM = 3
"""Length of the n-grams by which long values are compared with turns."""
_SHORTEST_PART = 2


@lru_cache(maxsize=1 << 16)
def fold(text: str) -> str:
    """Return the letters and digits of a text: width and case folded, formal numerals as digits, all else dropped.

    >>> fold("《Ｊay·周》。弍零岁")
    'jay周20岁'
    """
    return "".join(filter(str.isalnum, normalization.fold(text))).translate(_FORMAL)


@lru_cache(maxsize=1 << 16)
def fold_name(name: str) -> str:
    """Return a folded name without its suffix in brackets.

    >>> fold_name("喜剧之王（1999年的电影）")
    '喜剧之王'
    """
    return fold(normalization.without_suffix(name))


@lru_cache(maxsize=1 << 16)
def phonetic_key(folded: str) -> str:
    """Return the phonetic key of a folded text: each character replaced by the first with its reading; same length.

    Two texts are equal here when their toneless pinyin is; of characters with several readings the first counts.
    """
    return folded.translate(_phonetic_table())


@cache
def _phonetic_table() -> dict[int, str]:
    first: dict[str, str] = {}
    table = {ord(sign): first.setdefault(phonetic[0], sign) for sign, phonetic in readings().items()}
    for digit, spoken in _SPOKEN_DIGITS.items():
        table[ord(digit)] = table[ord(spoken)]
    return table


def list_items(value: str) -> tuple[str, ...]:
    """Return the folded members of a value that is a list; those of one character are left out.

    >>> list_items("演员、导演，歌 手")
    ('演员', '导演', '歌手')
    """
    folded = (fold(part) for part in _CUTS.split(value))
    return tuple(dict.fromkeys(part for part in folded if len(part) >= _SHORTEST_PART))


def grams_in(folded: str) -> frozenset[str]:
    """Return the different n-grams of `GRAM` characters of a folded text."""
    return frozenset(char_ngrams(folded, GRAM, GRAM))
