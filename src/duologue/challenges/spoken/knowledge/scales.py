"""Scales: what kind of size the values of an attribute have, told by its name and by the values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

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


def is_date(value: Scalar | tuple[str, ...]) -> bool:
    """Tell whether a value is a date and nothing else.

    >>> is_date("1993年4月"), is_date("1993-04-05"), is_date("1993"), is_date("生于1993年4月")
    (True, True, False, False)
    """
    return isinstance(value, str) and DATE.fullmatch(value.strip()) is not None


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
    """
    known = list(values)
    if known and all(map(is_date, known)):
        return "date"
    if not known or not all(map(is_plain, known)):
        return None
    for scale, names in _NAMES:
        if relation.endswith(names):
            return scale
    return "level"
