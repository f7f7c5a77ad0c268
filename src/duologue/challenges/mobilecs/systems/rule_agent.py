"""A rule agent: finds service and slot in the user's words by cues, and recites what the knowledge base has of it.

It learns from nothing and knows only the cues below. These were written beside the phrases of our simulator, so it
understands simulated users better than it would people.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.knowledge.kb import base_of, query
from duologue.challenges.mobilecs.schema.intents import ASK
from duologue.challenges.mobilecs.schema.ontology import USER
from duologue.challenges.mobilecs.systems.local_knowledge import refuse_knowledge
from duologue.core.records import Act, Annotation, Answer, Record
from duologue.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import TaskInfo, World
    from duologue.core.records import Sample

    Base = dict[str, dict[str, str]]

_TYPES = (
    ("流量包", r"(?:什么|哪些|哪几|几个|想加).{0,6}(?:流量|档次)"),
    ("4G套餐", r"四[Gg].{0,4}套餐"),
    ("5G套餐", r"五[Gg].{0,4}套餐"),
    ("附加套餐", r"(?:什么|哪些|有).{0,6}(?:语音)?包"),
    ("套餐", r"(?:有|换|你们).{0,8}(?:哪些|什么|便宜).{0,6}套餐|套餐.{0,4}(?:哪些|什么样|划算)"),
    ("国际漫游业务", r"出国|国外"),
    ("长途业务", r"长途.{0,4}(?:优惠|业务)"),
    ("业务", r"(?:什么|哪些).{0,6}(?:业务|活动|优惠)"),
)
_OWN_SLOTS = (
    ("持有套餐", r"我.{0,12}(?:什么套餐|什么业务|哪些业务|扣些什么)"),
    ("流量余额", r"[剩还].{0,4}流量|查.{0,6}流量|流量用了多少"),
    ("账户余额（欠费）", r"欠"),
    ("账户余额", r"话费|余额|卡里"),
    ("流量总量", r"我.{0,8}(?:个月|每月).{0,4}流量"),
)
_SLOTS = (
    ("套餐外流量计费", r"流量超|超出.{0,4}流量|用超"),
    ("套餐外通话计费", r"超了|打超|超出"),
    ("流量封顶", r"封顶"),
    ("国内被叫", r"接(?:电话|听)"),
    ("通话时长", r"多少分钟|能打多少"),
    ("国内主叫", r"打(?:电话|出去).{0,6}(?:钱|收费)|主叫"),
    ("通话范围", r"打.{0,4}(?:外地|外省|长途|哪里|全国)"),
    ("业务时长", r"多长时间|用多久|几个月的|到期|管多"),
    ("流量范围", r"省内|外地|哪[里儿]?用|出省"),
    ("流量总量", r"多少流量|流量.{0,2}多少|几个[Gg]|多少兆"),
    ("扣费日期", r"几号|什么时候扣"),
    ("办理渠道", r"哪[里儿]?办|怎么(?:办|开通)|网上办|营业厅"),
    ("计费方式", r"怎么计费|按.{0,3}[算收]"),
    ("隶属业务", r"属于|里面的|面的"),
    ("互斥业务", r"冲突|和什么"),
    ("业务费用", r"多少钱|收费|月租|[收扣]多少|免费|费用"),
    ("业务规则", r"回事|什么(?:要求|限制|条件|意思)|生效|用不完|能不能"),
)
_COURTESIES = (
    ("再见", r"再见|拜拜|挂了", "再见"),
    ("客套", r"谢谢|麻烦", "不客气，请问还有其他可以帮您的吗"),
    ("问候", r"你好|您好|喂", "您好，请讲"),
)
_INVITATIONS = ("您请讲", "好的，您接着说", "嗯，请问还有其他问题吗")


class FoundValues(NamedTuple):
    """What the agent takes a request for, and what the base has."""

    argument: str
    """`<name>-<slot>`, a slot of the user, or a type."""
    values: str


class RuleAgent:
    """Serve customers by rules: cues in what they say, and a query to the call's knowledge base."""

    Recipe: type[Record] = Record
    scope = Scope(tasks=("mobilecs/dialogue",))
    seen = "nothing"
    external: tuple[str, ...] = ()

    def __init__(self, recipe: Record | None = None) -> None:
        self.recipe = recipe or Record()

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Nothing is needed. Raises `UsageError` for knowledge from outside the call, which it does not read."""
        del info, seed  # rules need neither
        refuse_knowledge(worlds, "rule-agent")

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return intents and a reply for each sample."""
        return [_reply(sample) for sample in samples]


def _reply(sample: Sample) -> Answer:
    said = [turn.text for turn in sample.history if turn.speaker == "user"]
    base = {name: slots for name, slots in base_of(sample.knowledge).items() if name == USER or slots.get("name")}
    found = _look_up(said, base)
    if found is not None:
        return _answer(Act(speaker="user", name=ASK, args=(found.argument,)), "通知", f"您好，{found.values}")
    for label, cue, reply in _COURTESIES:
        if said and re.search(cue, said[-1]):
            return _answer(Act(speaker="user", name=label), label, reply)
    return _answer(Act(speaker="user", name="提供信息"), "引导", _INVITATIONS[len(said) % len(_INVITATIONS)])


def _answer(understood: Act, label: str, text: str) -> Answer:
    return Answer(text=text, annotation=Annotation(acts=(understood, Act(speaker="system", name=label))))


def _look_up(said: Sequence[str], base: Base) -> FoundValues | None:
    """Return what the base has of what the last utterance asks for; the service may have been named before."""
    last = said[-1] if said else ""
    named = _named(last, base)
    if not named:
        for slot, cue in _OWN_SLOTS:
            if slot in base.get(USER, {}) and re.search(cue, last):
                return FoundValues(slot, base[USER][slot])
        for kind, cue in _TYPES:
            names = query(base, ent_type=kind) if re.search(cue, last) else None
            if names:
                return FoundValues(kind, "，".join(names))
    name = named or next(filter(None, (_named(text, base) for text in reversed(said[:-1]))), "")
    without_name = last.replace(name, "") if name else last
    for slot, cue in _SLOTS:
        values = query(base, ent_name=name, prop=slot) if name and re.search(cue, without_name) else None
        if values:
            return FoundValues(f"{name}-{slot}", str(values))
    return None


def _named(text: str, base: Base) -> str:
    """Return the longest name of a service in a text, the last of equally long ones; empty where there is none."""
    folded = text.lower()
    names = {name for key, slots in base.items() if key != USER for name in slots.get("name", "").split(",") if name}
    return max((name for name in names if name in folded), key=lambda name: (len(name), folded.rfind(name)), default="")
