"""A small graph with ways of all kinds, of invented names."""

from __future__ import annotations

from duologue.core.records import Fact
from duologue.knowledge.graph import Graph

_PEOPLE = {
    "沈青梧": ("画师", "181厘米", "1951年3月2日", "鹿鸣镇"),
    "贺兰舟": ("画师", "172厘米", "1948年7月9日", "白塔城"),
    "柏子衿": ("画师", "165厘米", "1969年1月5日", "鹿鸣镇"),
    "钟离雪": ("铁匠", "190厘米", "1972年8月8日", "白塔城"),
}
_TOWNS = {"鹿鸣镇": ("4100人", "蜂蜜"), "白塔城": ("98000人", "瓷器")}
_BOOKS = {
    "星河札记": ("沈青梧", "45元", ("贺兰舟", "柏子衿", "钟离雪")),
    "孤灯夜话": ("贺兰舟", "30元", ("沈青梧", "柏子衿")),
    "雾中行旅": ("沈青梧", "62元", ("钟离雪", "贺兰舟")),
}

ROWS = [
    *(
        (name, relation, value)
        for name, row in _PEOPLE.items()
        for relation, value in zip(("职业", "身高", "生日", "家乡"), row, strict=True)
    ),
    *(
        (name, relation, value)
        for name, row in _TOWNS.items()
        for relation, value in zip(("人口", "特产"), row, strict=True)
    ),
    *((name, "作者", row[0]) for name, row in _BOOKS.items()),
    *((name, "售价", row[1]) for name, row in _BOOKS.items()),
    *((name, "主要人物", one) for name, row in _BOOKS.items() for one in row[2]),
]
WORLD = Graph("small world", [Fact(subject=s, relation=r, object=o) for s, r, o in ROWS])
