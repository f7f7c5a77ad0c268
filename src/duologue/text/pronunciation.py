"""Word segmentation and readings (pinyin) of Chinese characters: the one door to both libraries.

Both libraries belong to the extra `zh` and are imported when they are first needed.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from duologue.core.extras import need

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FIRST, _LAST = 0xB0, 0xF7
"""Rows of GB 2312 that hold Chinese characters: 6,763 of them, the frequent ones in the first half."""
_COMMON_END = 0xD7
"""Last row of the 3,755 frequent characters."""


@cache
def readings() -> Mapping[str, tuple[str, ...]]:
    """Return every Chinese character with its readings without tones, the usual one first.

    Raises `MissingExtraError` without the extra `zh`.
    """
    return {chr(code): readings_of(chr(code)) for code in _table()}


@cache
def readings_of(character: str) -> tuple[str, ...]:
    """Return the readings of one character, as `readings` has them; none for what is no Chinese character."""
    said = _table().get(ord(character))
    return () if said is None else tuple(dict.fromkeys(map(_toneless, said.split(","))))


def reading(character: str) -> str:
    """Return the usual reading of a character without its tone; a character that has none stands for itself.

    Punctuation, Latin letters and digits have none; letters come back in lower case.
    """
    known = readings_of(character)
    return known[0] if known else character.lower()


def alike(one: str, other: str) -> bool:
    """Return whether two characters share a reading, tones aside."""
    return not set(readings_of(one)).isdisjoint(readings_of(other))


@cache
def _table() -> dict[int, str]:
    """Return the readings of all characters with tones, by code point."""
    table: dict[int, str] = need("pypinyin.pinyin_dict", "zh").pinyin_dict
    return table


@cache
def sound_alikes() -> Mapping[str, tuple[Sequence[str], Sequence[str]]]:
    """Return, by toneless reading, the frequent and the rarer characters that are read so, in the order of GB 2312."""
    found: dict[str, tuple[list[str], list[str]]] = {}
    for row in range(_FIRST, _LAST + 1):
        for cell in range(0xA1, 0xFF):
            try:
                character = bytes((row, cell)).decode("gb2312")
            except UnicodeDecodeError:  # the last cells of the frequent half are empty
                continue
            found.setdefault(reading(character), ([], []))[row > _COMMON_END].append(character)
    return found


def _toneless(syllable: str) -> str:
    """Return a syllable without its tone mark; `ü` is written `v`.

    >>> _toneless("lǜ")
    'lv'
    """
    plain = unicodedata.normalize("NFD", syllable.strip()).replace("u\N{COMBINING DIAERESIS}", "v")
    return "".join(sign for sign in plain if not unicodedata.combining(sign))
