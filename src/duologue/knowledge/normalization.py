"""Normalisation of names and values for lookup: width, case, punctuation, bracketed suffixes.

Only for finding. What a graph says is always given back as it stands in its file.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duologue.core.records import Scalar

_SILENT = re.compile(r"[\W_]+")
"""What nobody pronounces: punctuation, blanks, symbols, direction marks."""

_CLOSING = {"）": "（", ")": "(", "】": "【", "]": "[", "〕": "〔"}
"""Closing bracket to the one that opens it."""

_BETWEEN_PARTS = re.compile(r"[,，、;；/|]+")
_LONGEST_LIST = 200
"""Characters of the longest value that is taken for a list; above, it is prose."""


def fold(value: Scalar) -> str:
    """Return a value with width, case, punctuation, blanks and invisible marks set aside.

    A value of nothing but such signs keeps them, so that no value becomes empty that was not. Whole numbers are
    written without a point.

    >>> fold("Ｗａｌｌ·Ｅ!"), fold("《战争 之王》"), fold(70.0), fold("？")
    ('walle', '战争之王', '70', '?')
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = unicodedata.normalize("NFKC", str(value)).casefold()
    return _SILENT.sub("", text) or "".join(text.split())


def without_suffix(name: str) -> str:
    """Return a name without the bracketed remarks at its end; a name that is all remark stays.

    >>> without_suffix("遇见（2003年孙燕姿音乐专辑）"), without_suffix("遇见(Live)（单曲）"), without_suffix("（无题）")
    ('遇见', '遇见', '（无题）')
    """
    kept = name.rstrip()
    while kept and kept[-1] in _CLOSING:
        start = _opening(kept)
        if start <= 0 or not kept[:start].strip():
            break
        kept = kept[:start].rstrip()
    return kept or name


def _opening(text: str) -> int:
    """Return where the bracket opens that the last character closes; -1 when nowhere."""
    closing, depth = text[-1], 0
    opening = _CLOSING[closing]
    for place in range(len(text) - 1, -1, -1):
        if text[place] == closing:
            depth += 1
        elif text[place] == opening:
            depth -= 1
            if not depth:
                return place
    return -1


def bare(name: str) -> str:
    """Return a name as people say it: without bracketed suffix, folded.

    >>> bare("马可·波罗（2014年美国电视剧）") == bare("《马可波罗》")
    True
    """
    return fold(without_suffix(name))


def parts_of(value: Scalar) -> tuple[str, ...]:
    """Return the members of a value that is a list in one text; nothing for a single value or for prose.

    >>> parts_of("王一,李二、张三"), parts_of("王一"), parts_of(7)
    (('王一', '李二', '张三'), (), ())
    """
    if not isinstance(value, str) or len(value) > _LONGEST_LIST:
        return ()
    pieces = _BETWEEN_PARTS.split(value)
    if len(pieces) == 1:
        return ()
    parts = tuple(part for part in (piece.strip() for piece in pieces) if part)
    return parts if len(parts) > 1 else ()
