"""Scales: what kind of size the values of an attribute have, told by its name and by the values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from duologue.knowledge.size import CLOCKS, DAY, LENGTH, MONEY, TIME, WEIGHT, measure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duologue.core.records import Scalar

Scale = Literal["price", "height", "weight", "duration", "date", "size", "number", "level"]

DATE = re.compile(r"\d{3,4}(?:年(?:\d{1,2}月(?:\d{1,2}日)?)?|[-./]\d{1,2}(?:[-./]\d{1,2})?)")
_PLAIN = re.compile(r"约?\d[\d,.]{0,12}[千万亿]{0,2}[^\W\d]{0,6}")
_LONGEST_NUMBER = 7
"""Digits of a text without a unit that is a number, and not that of a telephone."""
_NAMES: tuple[tuple[Scale, tuple[str, ...]], ...] = (
    ("price", ("门票", "票价", "价格", "售价", "价钱", "成本", "单价", "价")),
    ("height", ("身高", "海拔", "高度")),
    ("weight", ("体重", "重量")),
    ("duration", ("片长", "时长", "游玩时间", "耗时", "工期", "寿命", "长度")),
    ("size", ("面积", "大小", "年龄", "号码", "吨位", "容量")),
    ("number", ("人口", "数量", "人数", "员工数", "页数", "字数", "销量", "票房", "曲目数量", "资本", "藏书量")),
)

_DIMENSIONS: dict[Scale, frozenset[str]] = {
    "price": MONEY,
    "height": frozenset({LENGTH}),
    "weight": frozenset({WEIGHT}),
    "duration": frozenset({TIME, LENGTH}),
    "size": frozenset({"area", "volume"}),
    "number": MONEY | {""},
}
"""What the values of a scale may measure in other words than a plain number, as ranges or `免费`."""


def is_date(value: Scalar | tuple[str, ...]) -> bool:
    """Tell whether a value is a date and nothing else.

    >>> is_date("1993年4月"), is_date("1993-04-05"), is_date("1993"), is_date("生于1993年4月"), is_date("120.5")
    (True, True, False, False, False)
    """
    if not isinstance(value, str) or DATE.fullmatch(value.strip()) is None:
        return False
    size = measure(value)
    return size is not None and size.dimension == DAY


def is_plain(value: Scalar | tuple[str, ...]) -> bool:
    """Tell whether a value is one number, with its unit or without.

    >>> is_plain(70), is_plain("约1.5万字"), is_plain("60元"), is_plain("成人20元，学生10元"), is_plain("1993年4月5日")
    (True, True, True, False, False)
    """
    if isinstance(value, int | float):
        return not isinstance(value, bool)
    if not isinstance(value, str) or (value.isdigit() and len(value) > _LONGEST_NUMBER):
        return False
    return _PLAIN.fullmatch(value.strip()) is not None and not is_date(value)


def scale_of(relation: str, values: Iterable[Scalar | tuple[str, ...]]) -> Scale | None:
    """Return the scale of an attribute with these values; `None` where they are no sizes, or of several kinds.

    >>> scale_of("门票", ["60元"]), scale_of("日期", ["1993年4月"]), scale_of("评分", [8.1]), scale_of("地址", ["x"])
    ('price', 'date', 'level', None)
    >>> scale_of("门票", ["60元", "免费开放。"]), scale_of("片长", ["90分钟", "1小时 - 2小时"])
    ('price', 'duration')
    """
    known = list(values)
    if known and all(map(is_date, known)):
        return "date"
    plain = [is_plain(value) for value in known]
    for scale, names in _NAMES:
        if relation.endswith(names):
            fitting = _DIMENSIONS.get(scale, frozenset())
            sized = all(one or _measures(value, fitting) for value, one in zip(known, plain, strict=True))
            return scale if known and sized else None
    return "level" if known and all(plain) else None


def _measures(value: Scalar | tuple[str, ...], dimensions: frozenset[str]) -> bool:
    size = measure(value)
    return size is not None and size.dimension in dimensions


def has_order(relation: str, values: Iterable[Scalar | tuple[str, ...]]) -> bool:
    """Tell whether an attribute is one that people compare, as far as its values have sizes at all.

    The number of a house has a size, and no order that anybody asks for.

    >>> has_order("门票", ["60元", "请咨询"]), has_order("地址", ["长街19号院内"])
    (True, False)
    >>> has_order("首映", ["1993年4月（上海）"])
    True
    """
    sized = [(value, size) for value in values if (size := measure(value)) is not None]
    timed = all(size.dimension == DAY or size.dimension in CLOCKS for _, size in sized)
    return bool(sized) and (timed or scale_of(relation, [value for value, _ in sized]) is not None)
