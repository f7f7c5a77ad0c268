"""What the simulated user takes from a turn of the staff: what it says, does, and states without ground.

In text mode intents are read from the words and stated amounts from their shapes; in act mode the intent string says
all, with the pieces of the knowledge base as arguments: `通知(ent-1-业务费用)`, `通知(账户余额)`, `通知(流量包)`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.knowledge.kb import query
from duologue.challenges.mobilecs.schema.intents import acts_of, entity_argument
from duologue.challenges.mobilecs.schema.ontology import COVERED_TYPES, NOISE, USER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Base = Mapping[str, Mapping[str, str]]

WAIT, SILENT = "稍等", ""
"""What the staff do beside the labels: ask to wait, say nothing."""
_TELLING = frozenset({"通知", "建议", "被动确认", "主动确认", "否认"})
"""Acts whose arguments are said."""

_CUES = (
    ("再见", re.compile(r"(?:再见|拜拜|再会)[。！!啊了 ]*$")),
    ("请求重复", re.compile(r"没听清|再说一|再重复|重复一下|大声一点")),
    (WAIT, re.compile(r"稍等|等一下|不要挂机|请等|稍候|正在.{0,4}查")),
    ("引导", re.compile(r"请讲|接着说|您说$|什么可以帮|什么能帮|其他问题|别的问题|其他需要|别的需要")),
    ("主动确认", re.compile(r"(?:是吗|是吧|对吗|对吧|是不是|这个吗)[?？]?$")),
    ("询问", re.compile(r"[?？吗呢]$|哪[个里一种]|什么|贵姓|怎么称呼|多久|几号")),
    ("否认", re.compile(r"^(?:不是|没有|不行)|查不到|没有查到|不清楚|不知道")),
)
"""Intents by their words; the first that is found counts, and anything else is a 通知."""

_DIGIT = r"[零一二三四五六七八九十百千万两幺点\d.]"
_NUMERAL = rf"(?<!{_DIGIT})({_DIGIT}++)"
_AMOUNTS = {
    "fee": re.compile(_NUMERAL + r"(?:块|元|毛)"),
    "volume": re.compile(_NUMERAL + r"(?:兆|个?[GgMm])"),
    "minutes": re.compile(_NUMERAL + r"分钟"),
    "duration": re.compile(_NUMERAL + r"(?:个月|天|年|个?小时)"),
}
_ANY_UNIT = re.compile(r"[块元毛兆GgMm分月天年时]")
_BARE = re.compile(_NUMERAL + r"(?![零一二三四五六七八九十百千万两幺点\d.块元毛兆GgMm分月天年时个])")
_IDLE = {
    "fee": frozenset("一点"),
    "volume": frozenset("点"),
    "minutes": frozenset("一两点"),
    "duration": frozenset("一两点"),
}
"""Numerals of phrases such as 一块, 一分钟, 一个月, 两天, which state nothing."""
_SHAPES = {
    **dict.fromkeys(
        ("业务费用", "账户余额", "账户余额（欠费）", "欠费", "话费余额", "剩余话费", "国内主叫"),
        "fee",
    ),
    **dict.fromkeys(("流量总量", "流量余额"), "volume"),
    "通话时长": "minutes",
    "业务时长": "duration",
}
"""Shape of the amounts that a slot has."""


class Amount(NamedTuple):
    """An amount in a text."""

    shape: str
    """`fee`, `volume`, `minutes` or `duration`."""
    numeral: str


class StaffTurn(NamedTuple):
    """One turn of the staff as the user takes it."""

    text: str
    """What is said; in act mode with the values of the pieces."""
    does: frozenset[str]
    """Labels of the staff's intents, `稍等`, or nothing at all (an empty text)."""
    groundless: int
    """In act mode: pieces that the knowledge base does not have."""
    told: tuple[str, ...] = ()
    """In act mode: what the pieces that it has say."""


def read_text(reply: str) -> StaffTurn:
    """Return a turn of which only the words are known."""
    text = reply.strip()
    if not text:
        return StaffTurn(reply, frozenset({SILENT}), 0)
    return StaffTurn(reply, frozenset({next((name for name, cue in _CUES if cue.search(text)), "通知")}), 0)


def read_acts(reply: str, intent: str, base: Base) -> StaffTurn:
    """Return a turn of which the intents are known; the values of its pieces are said after the words of `reply`."""
    told: list[str] = []
    groundless, does = 0, set()
    for act in acts_of(intent, "system"):
        does.add(act.name)
        for argument in act.args if act.name in _TELLING else ():
            found = piece_of(argument, base)
            if found:
                told.append(found)
            else:
                groundless += 1
    said = [reply, *told] if reply else told
    return StaffTurn("，".join(said), frozenset(does or {SILENT}), groundless, tuple(told))


def piece_of(argument: str, base: Base) -> str:
    """Return what an argument `<id>-<slot>`, `<name>-<slot>`, `<user slot>` or `<type>` has; empty where nothing.

    >>> piece_of("ent-1-业务费用", {"ent-1": {"name": "彩铃", "业务费用": "五元"}})
    '五元'
    """
    parsed = entity_argument(argument)
    if parsed is not None:
        return base.get(parsed[0], {}).get(parsed[1], "")
    name, dash, slot = argument.rpartition("-")
    if dash:
        found = query(base, ent_name=name, prop=slot, with_alter=False)
    elif argument.lower() in COVERED_TYPES and argument not in base.get(USER, {}):
        found = query(base, ent_type=argument)
    else:
        found = base.get(USER, {}).get(argument)
    return ",".join(found) if isinstance(found, list) else found or ""


class StatedAmounts:
    """Finds amounts in replies that the knowledge base does not bear out.

    Fees, volumes, minutes and durations are found by their shape; rules, areas and other free texts are not judged.
    """

    def __init__(self, base: Base, goal: Mapping[str, object]) -> None:
        self._base = base
        self._names = sorted(
            {name for slots in base.values() for name in slots.get("name", "").split(",") if name}, key=_longest_first
        )
        self._known: set[Amount] = set()
        self._bare: set[str] = set()
        texts = [value for slots in base.values() for value in slots.values()]
        texts += [value for entry in goal.values() if isinstance(entry, dict) for value in entry.values()]
        for text in texts:
            self._known.update(_amounts(text))
            self._bare.update(found for value in _clean(text).split(",") for found in _bare_numerals(value))

    def groundless(self, reply: str, asked: Iterable[tuple[str, str]]) -> int:
        """Return how many amounts of a reply are wrong.

        An amount is wrong if neither the knowledge base nor the goal has it, or if it has the shape of an asked slot
        `(owner, slot)` whose own values have none such, and no own value is said.
        """
        if not _ANY_UNIT.search(reply):
            return 0
        stated = list(_amounts(reply))
        wrong = {one for one in stated if one not in self._known and one.numeral not in self._bare}
        for owner, slot in asked:
            own = self._base.get(owner, {}).get(slot, "")
            shape = _SHAPES.get(slot)
            if shape is None:
                continue
            right = {*_amounts(own), *(Amount(shape, found) for one in own.split(",") for found in _bare_numerals(one))}
            told = {one for one in _amounts(self._without_names(reply)) if one.shape == shape}
            if not told & right and not any(value and value in reply for value in own.split(",")):
                wrong |= told
        return len(wrong)

    def _without_names(self, text: str) -> str:
        for name in self._names:
            text = text.replace(name, "，")
        return text


def _longest_first(name: str) -> tuple[int, str]:
    return (-len(name), name)


def _clean(text: str) -> str:
    for one in NOISE:
        text = text.replace(one, "")
    return text


def _amounts(text: str) -> Iterator[Amount]:
    text = _clean(text)
    for shape, pattern in _AMOUNTS.items():
        for found in pattern.finditer(text):
            if found[1] not in _IDLE[shape]:
                yield Amount(shape, found[1])


def _bare_numerals(value: str) -> Iterator[str]:
    """Yield the numerals of a value or name: 五十 of a fee without unit, 十八 of 十八的."""
    for found in _BARE.finditer(value):
        yield found[1]
