"""Numbers as they are read in Chinese."""

from __future__ import annotations

DIGITS = "零一二三四五六七八九"


def spoken(number: int) -> str:
    """Return a whole number from 0 to 99,999 as it is read.

    >>> [spoken(one) for one in (0, 10, 18, 105, 138, 1500, 10086)]
    ['零', '十', '十八', '一百零五', '一百三十八', '一千五百', '一万零八十六']
    """
    if number < 10:
        return DIGITS[number]
    text, rest, started, gap = "", number, False, False
    for unit, name in ((10_000, "万"), (1_000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, rest = divmod(rest, unit)
        if digit:
            text += ("零" if gap else "") + ("" if digit == 1 and unit == 10 and not started else DIGITS[digit]) + name
            started, gap = True, False
        elif started and rest:
            gap = True
    return text
