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
NUMERAL = "[0-9零〇○一幺壹二两贰三叁四肆五伍六陆七柒八捌九玖]"
"""One digit, written or said."""
PAUSE = r"[ ,，、.\-_嗯呃啊哦]{0,3}"
"""What stands between two digits of one number."""
_SPOKEN = re.compile(rf"{NUMERAL}(?:{PAUSE}{NUMERAL}){{6,40}}")
_ANNOUNCED = re.compile(
    r"(?:密码|验证码|校验码|尾号|尾数|工号|卡号|账号|帐号|编号|单号|[后末][三四五六]位)(?:就?是|为|[:： ]){0,2}"
    rf"(?P<run>{NUMERAL}(?:{PAUSE}{NUMERAL}){{2,5}})(?!{NUMERAL}|[十百千万亿元块毛角分兆])"
)
"""A label with fewer digits than a run that is a number by itself."""
_COUNTING = "12345678901234567890"


def plain(text: str) -> str:
    """Return a text of the same length with ASCII digits, signs and spaces for all that look like them.

    >>> plain("１３８－１２３４\u3000ａ＠ｂ．ｃｏｍ")
    '138-1234 a@b.com'
    """
    return text if text.isascii() else text.translate(_PLAIN)


def digits_said(text: str) -> str:
    """Return a plain text of the same length in which Chinese numerals said digit by digit are digits.

    Runs of seven and more count, with the signs and sounds that people put between, also the `_` for a break in
    transcripts, and shorter ones behind a label; counting up does not, and neither does a number with a place value
    (百, 千, 万).

    >>> digits_said("我是幺三八_零零一三_八零零零。二零二三年，尾号是五六七八")
    '我是138 0013 8000。二零二三年，尾号是5678'
    """
    if text.isascii() and "_" not in text:
        return text
    return _ANNOUNCED.sub(_announced, _SPOKEN.sub(_said, text))


def _announced(match: re.Match[str]) -> str:
    return match[0][: match.start("run") - match.start()] + _as_digits(match["run"])


def _said(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - 1) : match.start()] if "_" in match[0] else ""
    if before == "_" or (before.isascii() and before.isalnum()):
        return match[0]  # part of a name such as zhang_138_1234
    run = _as_digits(match[0])
    return match[0] if re.sub(r"[^0-9]", "", run) in _COUNTING else run


def _as_digits(run: str) -> str:
    return re.sub(r"[，、,_嗯呃啊哦]", " ", run.translate(_NUMERALS))
