"""How products are named: kinds at the end of names, amounts in them, and words that name none."""

from __future__ import annotations

import re

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, NOISE
from duologue.challenges.mobilecs.schema.spoken_numbers import spoken


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


KINDS = sorted(
    {one.lower() for one in ENTITY_TYPES}
    | _words(
        "包 卡 合约 服务 功能 活动 日包 月包 季包 年包 语音包 短信包 彩信包 漫游包 加油包 叠加包 分钟包 大礼包 副卡"
    ),
    key=lambda one: (-len(one), one),
)
"""What names end with that says what kind of product it is, longest first."""
_OTHERWISE = {"包": "包(?!含|多少(?:流量|分钟))", "合约": "合约(?![期机])"}
KIND = re.compile("|".join(_OTHERWISE.get(one, one) for one in KINDS))
"""A kind of product in a text; where it goes on otherwise, 包 is a verb and 合约 no product."""
EDGES = frozenset(
    "的嘞了吗呢吧啊呀嘛哦噢嗯呃诶唉喂我你您它他她们是有在搁把给让个些种各样这那哪什么啥多少几办换改退订要想问查看说讲叫懂弄"
    "用过去和跟与还就都也又再没不别怎为对该得或关于因上下事开钱补销刷插无咯哈呗着，"
)
"""Characters that are not in the name of a product right before its kind."""
ADVERBS = frozenset("老很太真挺最更新旧")
"""Characters before a kind that name none: 网很卡, 新套餐."""
WORDS = _words(
    "介绍 知道 然后 取消 开通 使用 推荐 咨询 了解 需要 所有 全部 里面 里头 便宜 优惠 免费 收费 最近 现在 以前 原来",
    "自己 目前 手机 电话 话费 一共 总共 到底 大概 每月 合适 基本 上网 流量 增值 附加 主资费 发票 效期 期限 时限",
)
"""Words before a kind of product, or in its place, that name none."""
POINTERS = frozenset("这那它")
NUMBER = re.compile("[零一二三四五六七八九十百千万半]{1,9}")
_AMOUNT = re.compile(rf"(?P<number>{NUMBER.pattern})(?P<unit>块钱|元钱|块|元|兆|个?g|分钟)?(?:每月|包月)?的?$")
_LONGEST = 16
"""Characters of the longest amount."""
_GENERATIONS = frozenset({"四g", "五g"})
_PLACES = frozenset("十百千万")
_BARE = 3
"""Digits of the longest number that is read without places (幺三八); a longer one is that of a telephone."""
SHORTEST = 2
"""Characters of the shortest own part of a name."""
_PLAIN = str.maketrans("两幺,。？?、", "二一，，，，，", NOISE)
_DIGITS = re.compile(r"\d+")
_READABLE = 5
_TWICE = re.compile(r"(.)\1+")


def plain(text: str) -> str:
    """Return a text in lower case without breaks inside it and without stammers, its numbers in words.

    >>> plain("那个 38元的畅畅享_套餐")
    '那个三十八元的畅享套餐'
    """
    words = _DIGITS.sub(_in_words, text.lower())
    return _TWICE.sub(r"\1", words.translate(_PLAIN))


def own_part(name: str) -> str:
    """Return what is a name's own: without the kind of product at its end; maybe nothing.

    >>> own_part("青松套餐"), own_part("流量包")
    ('青松', '')
    """
    return name.removesuffix(next((one for one in KINDS if name.endswith(one)), ""))


def is_name(name: str) -> bool:
    """Return whether a name tells its product from others of its kind.

    >>> is_name("青松套餐"), is_name("这个套餐"), is_name("基本套餐")
    (True, False, False)
    """
    own = own_part(name)
    return len(own) >= SHORTEST and own not in WORDS and own[0] not in POINTERS


def amount_before(text: str, end: int) -> re.Match[str] | None:
    """Return the amount of a plain text that ends at a place, if one does that may be a name: 三十八的, 八块钱."""
    found = _AMOUNT.search(text, max(0, end - _LONGEST), end)
    if found is None or found["number"] + (found["unit"] or "") in _GENERATIONS:
        return None
    number = found["number"]
    is_bare = 1 < len(number) <= _BARE or (len(number) > 1 and not _PLACES.isdisjoint(number))
    return found if found["unit"] or is_bare else None


def _in_words(digits: re.Match[str]) -> str:
    return spoken(int(digits[0])) if len(digits[0]) <= _READABLE else "，"
