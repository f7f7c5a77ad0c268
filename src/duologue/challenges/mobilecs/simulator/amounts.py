"""Spoken forms of numbers, fees, volumes and other amounts, as weighted in the specification, section 13.3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.schema.spoken_numbers import DIGITS, spoken

if TYPE_CHECKING:
    from duologue.core.rng import Rng

GIGABYTE = 1024
"""Megabytes."""


def counted(number: int, rng: Rng) -> str:
    """Return a number as people say it: 两 for 2, 一百三 for 130, 两百 for 200, 二百七 for 270."""
    if number == 2:
        return "两"
    text = spoken(number)
    if number >= 100 and text[0] == "二" and rng.unit() < 0.55:
        text = "两" + text[1:]
    if number >= 110 and number % 10 == 0 and number % 100 and text[-1] == "十" and rng.unit() < 0.2:
        text = text[:-1]
    return text


def fee(yuan: int, rng: Rng) -> str:
    """Return a way to say a fee in yuan."""
    if yuan == 0:
        return "免费" if rng.unit() < 0.7 else "不收费"
    number = counted(yuan, rng)
    form = rng.weighted_choice(_FEE_FORMS, _FEE_SHARES)
    if form == "{}" and number == "两":
        form = "{}块"
    return form.format(number)


_FEES = (
    (0.355, "{}块钱"),
    (0.24, "{}元"),
    (0.225, "{}"),
    (0.11, "{}块"),
    (0.012, "{}元钱"),
    (0.02, "{}块钱一个月"),
    (0.012, "{}元每月"),
    (0.012, "每月{}块钱"),
    (0.008, "一天{}块钱"),
    (0.006, "{}块钱三个月"),
)
_FEE_SHARES = tuple(share for share, _ in _FEES)
_FEE_FORMS = tuple(form for _, form in _FEES)


def money(jiao: int, rng: Rng) -> str:
    """Return a way to say an amount of money in tenths of a yuan, as of a balance."""
    yuan, rest = divmod(jiao, 10)
    number = counted(yuan, rng) if yuan else ""
    if not rest:
        return (number or "零") + ("块钱" if rng.unit() < 0.6 else "块" if rng.unit() < 0.5 else "元")
    if not yuan:
        return f"{counted(rest, rng)}毛" + ("钱" if rng.unit() < 0.5 else "")
    tail = counted(rest, rng) if rest != 2 else "二"
    point = rng.unit()
    if point < 0.4:
        return f"{number}块{tail}"
    return f"{number}块{tail}毛" + ("钱" if point < 0.65 else "") + (spoken(1 + rng.below(9)) if point > 0.85 else "")


def volume(megabytes: int, rng: Rng) -> str:
    """Return a way to say a volume of data."""
    if megabytes % GIGABYTE:
        number = counted(megabytes, rng)
        return number if rng.unit() < 0.03 else f"{number}兆"
    count = megabytes // GIGABYTE
    number = counted(count, rng)
    point = rng.unit()
    if point < 0.37:
        return f"{number}个G"
    if point < 0.73:
        return f"{number}个g"
    single = "二" if count == 2 and rng.unit() < 0.3 else number
    return f"{single}g" if point < 0.9 else f"{single}G"


def minutes(count: int, rng: Rng) -> str:
    """Return a way to say a number of minutes."""
    number = counted(count, rng)
    return number if rng.unit() < 0.08 else f"{number}分钟"


def _price(fen: int, rng: Rng) -> str:
    """Return a price of at least ten hundredths of a yuan."""
    jiao, rest = divmod(fen, 10)
    return f"{counted(jiao, rng)}毛{DIGITS[rest] if rest else ''}"


def rate(fen: int, rng: Rng) -> str:
    """Return a way to say a price per minute given in hundredths of a yuan, at least ten."""
    number = _price(fen, rng)
    point = rng.unit()
    if point < 0.47:
        return number
    if point < 0.65:
        return f"一分钟{number}"
    if point < 0.83:
        return f"{number}一分钟"
    return f"每分钟{number}" if point < 0.9 else f"{number}钱"


def data_rate(fen: int, rng: Rng) -> str:
    """Return a way to say a price per megabyte given in hundredths of a yuan, at least ten."""
    number = _price(fen, rng)
    point = rng.unit()
    if point < 0.4:
        return f"一兆{number}"
    if point < 0.75:
        return f"{number}一兆"
    return f"每兆{number}" if point < 0.85 else f"{counted(fen // 10 * 5, rng)}块钱一百兆"


def duration(months: int, rng: Rng) -> str:
    """Return a way to say a duration: positive months, or negative days."""
    if months < 0:
        days = -months
        if days == 1 and rng.unit() < 0.4:
            return "二十四小时" if rng.unit() < 0.7 else "二十四个小时"
        return f"{counted(days, rng)}天"
    if months % 12 == 0:
        return f"{counted(months // 12, rng)}年"
    if months == 6 and rng.unit() < 0.35:
        return "半年"
    return f"{counted(months, rng)}个月"


def digits(length: int, rng: Rng) -> str:
    """Return a number read digit by digit, with 幺 for 1."""
    return "".join("零幺二三四五六七八九"[rng.below(10)] for _ in range(length))
