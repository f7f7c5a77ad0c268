"""Character normalisation that keeps offsets: one plain character for each."""

from __future__ import annotations

import re

_ZEROS = (
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0E50, 0x0ED0,
    0x0F20, 0x1040, 0x17E0, 0x1810, 0xFF10, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6,
)  # fmt: skip
"""The digits nought of scripts whose ten digits follow one another."""
_SPACES = (0xA0, 0x1680, *range(0x2000, 0x200E), 0x2028, 0x2029, 0x202F, 0x205F, 0x2060, 0x3000, 0xFE0F, 0xFEFF, 0x20E3)
"""Spaces, and what shows nothing: inside a number it separates digits as a space does."""
_DASHES = (0xAD, *range(0x2010, 0x2016), 0x2043, 0x2212, 0x2500, 0x2796, 0x30FC, 0xFE58, 0xFE63)
_PLAIN = (
    {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys(_SPACES, " ")
    | dict.fromkeys(_DASHES, "-")
    | {zero + digit: str(digit) for zero in _ZEROS for digit in range(10)}
    | {0xFE6B: "@", 0x2019: "'", 0x2022: "·", 0x30FB: "·", 0xFF65: "·", 0x2024: ".", 0xFE52: "."}
)
_NUMERALS = str.maketrans("零〇○一幺壹二两贰三叁四肆五伍六陆七柒八捌九玖", "00011122233445566778899")
_SPOKEN = re.compile(
    r"[0-9零〇○一幺壹二两贰三叁四肆五伍六陆七柒八捌九玖](?:[ ,，、.\-]{0,2}[0-9零〇○一幺壹二两贰三叁四肆五伍六陆七柒八捌九玖]){6,40}"
)
_COUNTING = "12345678901234567890"


def plain(text: str) -> str:
    """Return a text of the same length with ASCII digits, signs and spaces for all that look like them.

    >>> plain("１３８－１２３４\u3000ａ＠ｂ．ｃｏｍ")
    '138-1234 a@b.com'
    """
    return text if text.isascii() else text.translate(_PLAIN)


def digits_said(text: str) -> str:
    """Return a plain text of the same length in which Chinese numerals said digit by digit are digits.

    Runs of seven and more count, with any of the signs people put between; counting up does not, and neither does a
    number with a place value (百, 千, 万).

    >>> digits_said("我是幺三八零零一三八零零零。二零二三年")
    '我是13800138000。二零二三年'
    """
    if text.isascii():
        return text
    return _SPOKEN.sub(_said, text)


def _said(match: re.Match[str]) -> str:
    run = match[0].translate(_NUMERALS)
    return match[0] if re.sub(r"[^0-9]", "", run) in _COUNTING else re.sub(r"[，、,]", " ", run)
