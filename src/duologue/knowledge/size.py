"""Sizes of values: what they measure, and from where to where they reach; which of two is surely the larger one.

A value that is not clearly one size has none. Sizes of two dimensions (hours and metres, euros and dollars) are never
compared; what is free is less than any price.
"""

from __future__ import annotations

import math
import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.core.records import Scalar

DAY, FREE, TIME, LENGTH, WEIGHT = "day", "free", "time", "length", "weight"
CLOCKS = ("h:m", "h:m:s")
"""Dimensions: days of the calendar, ...; others are currencies, areas, volumes, or the word after a number."""
MONEY = frozenset({FREE, "元", "美元", "港元", "日元", "欧元", "英镑", "韩元", "台币"})
"""The dimensions that prices have."""


class Size(NamedTuple):
    """How large a value is: in what dimension, and from where to where."""

    dimension: str
    low: float
    high: float

    def fits(self, other: Size) -> bool:
        """Tell whether two sizes can be compared at all."""
        return self.dimension == other.dimension or (FREE in {self.dimension, other.dimension} and other.low >= 0)

    def same(self, other: Size) -> bool:
        """Tell whether two sizes are equally large."""
        return self.fits(other) and self[1:] == other[1:]

    def beyond(self, other: Size) -> bool:
        """Tell whether this is surely the larger one: of dates wholly later, of ranges at no end smaller.

        >>> hours, days, wide = Size(TIME, 2, 4), Size(TIME, 24, 24), Size(TIME, 1, 5)
        >>> days.beyond(hours), hours.beyond(days), hours.beyond(wide), wide.beyond(hours)
        (True, False, False, False)
        """
        if not self.fits(other) or self.same(other):
            return False
        if self.dimension == DAY:
            return self.low > other.high
        return self.low >= other.low and self.high >= other.high

    @property
    def is_nothing(self) -> bool:
        """Whether no price can be lower."""
        return self.dimension in MONEY and self.high == 0


_TENS = {"千": 1e3, "万": 1e4, "亿": 1e8}
_DAY = 86400.0
_TABLE: dict[str, dict[str, float]] = {
    "元": {"元": 1, "块": 1, "块钱": 1, "圆": 1, "人民币": 1, "元人民币": 1, "rmb": 1, "cny": 1, "角": 0.1},
    "美元": {"美元": 1, "美金": 1, "usd": 1},
    "港元": {"港元": 1, "港币": 1},
    "日元": {"日元": 1},
    "欧元": {"欧元": 1},
    "英镑": {"英镑": 1},
    "韩元": {"韩元": 1},
    "台币": {"台币": 1, "新台币": 1},
    TIME: {"秒": 1, "秒钟": 1, "s": 1, "分钟": 60, "min": 60, "mins": 60, "小时": 3600, "钟头": 3600, "h": 3600}
    | {"天": _DAY, "周": 7 * _DAY, "星期": 7 * _DAY, "个月": 30 * _DAY, "年": 365 * _DAY},
    LENGTH: {"毫米": 1e-3, "mm": 1e-3, "厘米": 1e-2, "公分": 1e-2, "cm": 1e-2, "分米": 0.1, "米": 1, "m": 1, "公尺": 1}
    | {"公里": 1e3, "km": 1e3, "里": 500, "海里": 1852, "英里": 1609.344, "英尺": 0.3048, "英寸": 0.0254},
    WEIGHT: {"毫克": 1e-3, "mg": 1e-3, "克": 1, "g": 1, "公斤": 1e3, "kg": 1e3, "斤": 500, "吨": 1e6, "t": 1e6},
    "area": {
        "平方米": 1,
        "平米": 1,
        "m2": 1,
        "亩": 2000 / 3,
        "公顷": 1e4,
        "平方公里": 1e6,
        "平方千米": 1e6,
        "km2": 1e6,
    },
    "volume": {"毫升": 1e-3, "ml": 1e-3, "升": 1, "l": 1},
    "": dict.fromkeys("个人名位首本部张次集口家页字册篇章枚级座条项种只辆艘间层件", 1.0),
}
_UNITS = {unit: (dimension, factor) for dimension, units in _TABLE.items() for unit, factor in units.items()}
_LONGEST = max(map(len, _UNITS))
_SIGNS = {"$": "美元", "¥": "元", "€": "欧元", "cny": "元", "rmb": "元"}
_AMOUNT = re.compile(
    r"(?:(?P<sign>\$|¥|€|cny|rmb)\s{0,3})?(?P<minus>(?:(?<!\S)|(?<=[(,;:~]))-)?(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)"
    r"\s{0,3}(?P<tens>[千万亿]{0,3})[多余几]?\s{0,3}"
)
_WORD = re.compile(r"[^\W\d_]{1,6}")
_PER = re.compile(r"\s*/\s*[^\W\d_]{1,4}")
_RANGE = re.compile(r"\s*[-~至到—–]+\s*")
_MINUTES = re.compile(r"(\d)分(?=\s*\d+\s*秒)|(时\s*\d{1,2})分(?!钟)")
_DATES = re.compile(
    r"(?P<era>公元前)?(?<![\d.])(?:(?P<year>\d{3,4})\s*年\s*(?P<month>1[0-2]|0?[1-9])\s*月(?:\s*(?P<day>\d{1,2})\s*日?)?"
    r"|(?P<only>[12]\d{3}|(?<=公元前)\d{1,4})\s*年(?!\s*(?:历史|的历史|来|多|余))"
    r"|(?P<y2>[12]\d{3})(?P<mark>[-/.])(?P<m2>1[0-2]|0?[1-9])(?:(?P=mark)(?P<d2>\d{1,2}))?(?![\d:]|\s*[^\W\d_]))"
)
_CLOCK = re.compile(r"(?<![\d:])(\d{1,2}):(\d{2})(?::(\d{2}))?(?![\d:])")
_NOTES = re.compile(r"\([^()]*\)")
_IS_FREE = re.compile(
    r"\W*(?:参观|入园|入馆|门票|景区|公园|全年|全部|全天)?"
    r"(?:免费(?!停车|讲解|班车|接送)|免票|免门票|免收门票|不要钱|(?:无需|不需要?|不用|不收|不要|没有)(?:门票|购票|买票|付费|费用|$))"
)
_ELSEWHERE = re.compile(r"包含[在于]|包括在|含在")
"""What has no price of its own and is had with the ticket of something else: nobody gets it for nothing."""


def measure(value: Scalar | tuple[str, ...]) -> Size | None:
    """Return how large a value is, for comparison; `None` where it has no size, or is not clearly one.

    It is free where a text begins with that, else from the least to the greatest of the prices, dates, or amounts of
    a single dimension in the first sentence that has any. What stands in brackets counts where nothing else does.
    Units are converted; words for things that are counted are none. Numerals in characters are not read.

    >>> measure("约1.5万字"), measure("1小时 - 2天"), measure("1,024"), measure("很多")
    (Size(dimension='', low=15000.0, high=15000.0), Size(dimension='time', low=3600.0, high=172800.0), \
Size(dimension='', low=1024.0, high=1024.0), None)
    >>> measure("免费开放。"), measure("旺季60元，淡季40元"), measure("1993年4月")
    (Size(dimension='free', low=0.0, high=0.0), Size(dimension='元', low=40.0, high=60.0), \
Size(dimension='day', low=19930401.0, high=19930431.0))
    """
    if isinstance(value, int | float):
        return Size("", float(value), float(value))
    text = unicodedata.normalize("NFKC", " ".join(value) if isinstance(value, tuple) else value).casefold().strip()
    if _IS_FREE.match(text):
        return None if _ELSEWHERE.search(text) else Size(FREE, 0.0, 0.0)
    for part in (*_NOTES.sub(" ", text).split("。"), *text.split("。")):
        if found := [*_sizes(part)]:
            return _one(found)
    return None


def _one(found: list[Size]) -> Size | None:
    """Return the stretch of several sizes: of the prices, where there are some."""
    kept = [size for size in found if size.dimension in MONEY] or found
    if not kept or len({size.dimension for size in kept}) != 1 or not all(math.isfinite(size.high) for size in kept):
        return None  # numbers beyond all floats would be equally large
    return Size(kept[0].dimension, min(size.low for size in kept), max(size.high for size in kept))


def _sizes(text: str) -> Iterator[Size]:
    """Yield the sizes in a text: dates and times of day, then what is left of it."""
    dates: list[Size] = []

    def taken(match: re.Match[str]) -> str:
        if match["mark"] == "." and not match["d2"] and match[0] != text:
            return match[0]  # 1993.9 amid other words is a number
        dates.append(_date(match))
        return ";"

    rest = _DATES.sub(taken, text)
    yield from dates
    for match in _CLOCK.finditer(rest):
        hours, minutes, seconds = (int(part or 0) for part in match.groups())
        at = float(hours * 3600 + minutes * 60 + seconds)
        yield Size(CLOCKS[match[3] is not None], at, at)
    yield from _amounts(_MINUTES.sub(r"\g<1>\g<2>分钟", _CLOCK.sub(";", rest)))


def _date(match: re.Match[str]) -> Size:
    year = int(match["year"] or match["only"] or match["y2"]) * (-1 if match["era"] else 1)
    month, day = int(match["month"] or match["m2"] or 0), int(match["day"] or match["d2"] or 0)
    low, high = (year * 10000 + (month or other) * 100 + (day or last) for other, last in ((1, 1), (12, 31)))
    return Size(DAY, float(low), float(high))


class _Amount(NamedTuple):
    number: float
    factor: float
    unit: tuple[str, float] | None
    start: int
    end: int


def _amounts(text: str) -> Iterator[Size]:
    found: list[_Amount] = []
    at = 0
    while (match := _AMOUNT.search(text, at)) is not None:
        unit, at = _unit(text, match.end())
        if match["sign"] is not None:
            unit = (_SIGNS[match["sign"]], 1.0)
        factor = 1.0
        for sign in match["tens"]:
            factor *= _TENS[sign]
        number = float(match["number"].replace(",", "")) * (-1 if match["minus"] else 1)
        found.append(_Amount(number, factor, unit, match.start(), at))
    for place in range(len(found) - 2, -1, -1):  # 2-3 hours are 2 hours to 3 hours, 1.5-2 million both millions
        one, following = found[place : place + 2]
        if one.unit is None and _RANGE.fullmatch(text[one.end : following.start]):
            factor = following.factor if one.factor == 1 else one.factor
            found[place] = one._replace(factor=factor, unit=following.unit)
    before: tuple[float, float, str] | None = None
    end = -1
    for one in found:
        dimension, factor = one.unit or ("", 1.0)
        size = one.number * one.factor * factor
        if before is not None and one.start == end and before[2] in {dimension, ""} and one.factor * factor < before[1]:
            size += before[0]  # 1 hour 30 minutes are one amount
        elif before is not None:
            yield Size(before[2], before[0], before[0])
        before, end = (size, one.factor * factor, dimension), one.end
    if before is not None:
        yield Size(before[2], before[0], before[0])


def _unit(text: str, at: int) -> tuple[tuple[str, float] | None, int]:
    """Return dimension and factor of the unit at a place, and where it ends; `None` where no word stands there."""
    found: tuple[str, float] | None = None
    end = at
    for start in (at + 1, at) if text.startswith("个", at) else (at,):
        for size in range(_LONGEST, 0, -1):
            unit = text[start : start + size]
            after = text[start + size : start + size + 1]
            if len(unit) == size and unit in _UNITS and not (unit.isascii() and after.isascii() and after.isalpha()):
                found, end = _UNITS[unit], start + size
                break
        if found is not None:
            break
    if found is None and (word := _WORD.match(text, at)):
        found, end = (word[0], 1.0), word.end()
    if found is not None and found[0] not in MONEY and (per := _PER.match(text, end)):
        found, end = (text[at : per.end()], 1.0), per.end()
    return found, end
