"""English names of entity types, slots and intents, told beside the Chinese literals that files hold."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.schema.intents import entity_argument
from duologue.challenges.mobilecs.schema.ontology import CONSULT, GOAL_ENTITY_INTENTS, GOAL_USER_INTENTS, USER
from duologue.core.annotation import Bilingual
from duologue.core.dialogue_view import in_two

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.dialogue_view import Said
    from duologue.core.records import Act

TYPE_NAMES = MappingProxyType(
    {
        "业务": "service",
        "数据业务": "data service",
        "套餐": "plan",
        "主套餐": "main plan",
        "4G套餐": "4G plan",
        "5G套餐": "5G plan",
        "附加套餐": "add-on plan",
        "流量包": "data pack",
        "长途业务": "long-distance calls",
        "国际漫游业务": "international roaming",
    }
)
"""The ten entity types."""

SLOT_NAMES = MappingProxyType(
    {
        "业务费用": "fee",
        "业务规则": "rule",
        "业务时长": "duration",
        "流量总量": "data volume",
        "流量范围": "data area",
        "通话时长": "call minutes",
        "通话范围": "call area",
        "国内主叫": "outgoing call rate",
        "国内被叫": "incoming call rate",
        "套餐外流量计费": "data rate beyond the plan",
        "套餐外通话计费": "call rate beyond the plan",
        "流量封顶": "data cap",
        "办理渠道": "where to apply",
        "扣费日期": "charging date",
        "计费方式": "charging mode",
        "隶属业务": "belongs to",
        "互斥业务": "excludes",
        "用户需求": "need",
        "用户要求": "demand",
        "用户状态": "status",
        "短信": "text message",
        "持有套餐": "plan held",
        "账户余额": "account balance",
        "流量余额": "data left",
        "话费余额": "call balance",
        "欠费": "arrears",
        "剩余话费": "call credit left",
        "用户积分": "points",
        "故障问题": "fault",
        "账户余额（欠费）": "account balance (arrears)",
    }
)
"""Slots of services, and those of the user as the union of all sources."""

INTENT_NAMES = MappingProxyType(
    {
        "求助-查询": "seek help: query",
        "求助-故障": "seek help: fault",
        "提供信息": "give information",
        "投诉反馈": "complain",
        "取消": "cancel",
        "询问": "ask",
        "请求重复": "ask to repeat",
        "主动确认": "seek confirmation",
        "被动确认": "confirm",
        "否认": "deny",
        "问候": "greet",
        "再见": "say goodbye",
        "客套": "courtesy",
        "其他": "other",
        "通知": "inform",
        "建议": "suggest",
        "引导": "guide",
        "抱歉": "apologise",
    }
)
"""Intents of the user and of the staff."""

_KEYS = {CONSULT: "consultation", GOAL_ENTITY_INTENTS: "asked with", GOAL_USER_INTENTS: "asked with"}
"""Keys of a goal that are no slots."""
_NAMES = {**TYPE_NAMES, **SLOT_NAMES, **INTENT_NAMES, **_KEYS}
_LOWER = {chinese.lower(): english for chinese, english in _NAMES.items()}
"""By lower-cased literal too: knowledge bases spell `4g套餐`."""


def bilingual(literal: str) -> str:
    """Return a type, slot or intent with its English name; one that has none as it is.

    >>> bilingual("4g套餐"), bilingual("name")
    ('4g套餐 (4G plan)', 'name')
    """
    english = _LOWER.get(literal.lower())
    return literal if english is None else f"{literal} ({english})"


def bilingual_argument(argument: str) -> str:
    """Return an argument of an intent with the English name of its slot or type.

    >>> bilingual_argument("ent-12-业务规则"), bilingual_argument("飞享套餐-业务费用"), bilingual_argument("短信")
    ('ent-12 业务规则 (rule)', '飞享套餐 业务费用 (fee)', '短信 (text message)')
    """
    owner, mark, slot = argument.rpartition("-")
    owner, slot = entity_argument(argument) or (owner, slot)
    return f"{owner} {bilingual(slot)}" if mark and owner else bilingual(argument)


def bilingual_acts(acts: Iterable[Act]) -> str:
    """Return acts in one line: `询问 (ask): ent-1 业务费用 (fee), ent-1 业务规则 (rule); 客套 (courtesy)`."""
    return "; ".join(
        bilingual(act.name) + (f": {', '.join(map(bilingual_argument, act.args))}" if act.args else "") for act in acts
    )


def told_acts(acts: Sequence[Act]) -> Bilingual:
    """Return acts in one line of both languages, the Chinese one without English names."""
    chinese = [act.name + (f"：{'、'.join(map(_argument, act.args))}" if act.args else "") for act in acts]
    return Bilingual(en=bilingual_acts(acts), zh="；".join(chinese))


def _argument(argument: str) -> str:
    found = entity_argument(argument)
    return argument if found is None else " ".join(found)


def owner_of(entity: str | None) -> str:
    """Return whom a slot belongs to, for people: an entity id, or `user` where the files say `NA`."""
    return told_owner(entity).en


def told_label(literal: str) -> Said:
    """Return a type, slot or intent in both languages, the Chinese one without its English name."""
    return in_two(bilingual(literal), literal)


def told_owner(entity: str | None) -> Bilingual:
    """Return whom a slot belongs to in both languages."""
    return Bilingual(en="user", zh="用户") if entity in {None, USER} else Bilingual(en=str(entity), zh=str(entity))
