"""What the names and values of a planned entity tell whoever reads the call: of what type it is, and which one.

Exact annotation can only be learned where the call bears it out: a plan of which nothing is said but 十八的 may be of
five types, and 套餐 may be either of two plans.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.challenges.mobilecs.simulator.planned_entity import PlannedEntity
    from duologue.challenges.mobilecs.simulator.utterance import Text

_WORDS: dict[str, tuple[str, ...]] = {
    "流量包": ("流量", "兆", "g", "G"),
    "业务": ("业务", "活动", "功能", "服务", "优惠"),
    "套餐": ("套餐", "月租"),
    "主套餐": ("套餐", "资费", "月租"),
    "附加套餐": ("附加", "叠加"),
    "国际漫游业务": ("漫游",),
    "长途业务": ("长途",),
}
"""Words of names that tell a type, besides the names of products."""
_OTHER_WORDS = ("长途", "漫游", "流量", "彩信包", "短信包")
"""Words of products of the type 业务 that tell other types."""
_GENERATIONS = {"4G套餐": ("四G", "四g", "4G"), "5G套餐": ("五G", "5G")}
_MAIN = "主"
_MAIN_SLOTS = frozenset({"流量总量", "通话时长", "国内主叫", "国内被叫", "通话范围", "流量范围", "套餐外通话计费"})
"""Slots that a main plan has and a plan in general has not."""


def tells_type(entity: PlannedEntity) -> bool:
    """Return whether the names and slots of an entity tell its type."""
    kind = entity.product.type
    texts = [name.text for name in entity.names]
    if kind in _GENERATIONS:
        return _holds(texts, _GENERATIONS[kind])
    if kind == "业务" and _holds((entity.product.name,), _OTHER_WORDS):
        return False
    if kind == "流量包" and "流量总量" in entity.slots:
        return True
    if not _holds(texts, (*_WORDS.get(kind, ()), entity.product.name)):
        return False
    return kind != "主套餐" or _holds(texts, (_MAIN,)) or bool(_MAIN_SLOTS & entity.slots.keys())


def is_telling(entity: PlannedEntity, name: Text) -> bool:
    """Return whether a name of an entity tells which one it is: it has the product or a value in it."""
    return entity.product.name in name.text or any(not mark.is_mention for _, _, mark in name.spans)


def tells_apart(entity: PlannedEntity, others: Sequence[PlannedEntity]) -> bool:
    """Return whether an entity's first name tells it from the others, and none of its names is one of theirs."""
    first = entity.names[0]
    if any(mark in first.text for mark in ("这", "那", "它")) or (others and not is_telling(entity, first)):
        return False
    values = {value for name in entity.names for value in _values_in(name)}
    for other in others:
        if other.product is entity.product or {name.text for name in other.names} & {
            name.text for name in entity.names if is_telling(entity, name)
        }:
            return False
        if values & {value for name in other.names for value in _values_in(name)}:
            return False
    return True


def _values_in(name: Text) -> Iterable[str]:
    return (name.text[start:end] for start, end, mark in name.spans if not mark.is_mention)


def _holds(texts: Iterable[str], words: Iterable[str]) -> bool:
    return any(word in text for text in texts for word in words)
