"""Text as it is compared: folded to its letters and digits, and further to how it sounds.

Recogniser noise puts stops and particles into words, drops 《》 and ·, writes digits as formal numerals and characters
as others of the same sound (specification, section 6). All three forms here are blind to one of these.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

_FORMAL = str.maketrans("零壹贰弍叁肆伍陆柒捌玖", "01223456789")
_SPOKEN_DIGITS = dict(zip("0123456789", "零一二三四五六七八九", strict=True))
_CUTS = re.compile(r"[、，,;；/|。！？!?…\n]+|::;")
_BRACKETS = re.compile(r"^(.+?)\s*[（(][^（()）]*[)）]\s*$")
GRAM = 3
"""Characters of the pieces by which long values are compared with what was said."""
_SHORTEST_PART = 2


@lru_cache(maxsize=1 << 16)
def fold(text: str) -> str:
    """Return the letters and digits of a text: width and case folded, formal numerals as digits, all else dropped.

    >>> fold("《Ｊay·周》。弍零岁")
    'jay周20岁'
    """
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).lower())).translate(_FORMAL)


def bare(name: str) -> str:
    """Return a name without its suffix in brackets.

    >>> bare("喜剧之王（1999年的电影）")
    '喜剧之王'
    """
    found = _BRACKETS.match(name)
    return found.group(1) if found else name


@lru_cache(maxsize=1 << 16)
def sound(folded: str) -> str:
    """Return a folded text with each character replaced by the first of its sound; as long as it was.

    Two texts are equal here when their toneless pinyin is; of characters with several readings the first counts.
    """
    return folded.translate(_sounds())


@cache
def _sounds() -> dict[int, str]:
    from pypinyin.constants import PINYIN_DICT  # 150 ms; only what links needs it

    first: dict[str, str] = {}
    table = {}
    for code, readings in sorted(PINYIN_DICT.items()):
        plain = unicodedata.normalize("NFD", readings.split(",")[0])
        syllable = "".join(letter for letter in plain if letter.isalpha() or letter == "\u0308")
        table[code] = first.setdefault(syllable, chr(code))
    for digit, spoken in _SPOKEN_DIGITS.items():
        table[ord(digit)] = table[ord(spoken)]
    return table


def parts_of(value: str) -> tuple[str, ...]:
    """Return the folded members of a value that lists several; those of one character are left out.

    >>> parts_of("演员、导演，歌 手")
    ('演员', '导演', '歌手')
    """
    folded = (fold(part) for part in _CUTS.split(value))
    return tuple(dict.fromkeys(part for part in folded if len(part) >= _SHORTEST_PART))


def grams(folded: str) -> frozenset[str]:
    """Return the different pieces of `GRAM` characters of a folded text."""
    return frozenset(folded[at : at + GRAM] for at in range(len(folded) - GRAM + 1))
