"""File keys, entity types and slots of MobileCS, with English names for the literals (specification, section 2)."""

from __future__ import annotations

USER_TEXT, STAFF_TEXT = "用户", "客服"
"""Keys of the two utterances of a re-paired turn."""
USER_INTENT, STAFF_INTENT = "用户意图", "客服意图"
GENERATED_USER_INTENT, GENERATED_STAFF_INTENT, GENERATED_REPLY = "用户意图-生成", "客服意图-生成", "客服-生成"
"""Keys of a system's answer in a track 2 result: user intent, system intent, reply."""
GENERATED = (GENERATED_USER_INTENT, GENERATED_STAFF_INTENT, GENERATED_REPLY)
SPEAKERS = ("[SPEAKER 1]", "[SPEAKER 2]")
"""Keys of the utterances of a raw turn. The order of the intent keys, not the number, says who speaks first."""

USER = "NA"
"""The user's entry in a knowledge base, and the `ent-id` of the user's own slot values: never an entity."""
CONFUSED = "意图混乱"  # the mark of the annotators on a dialogue that cannot be used
CONSULT = "咨询"  # goal entry: which services of a type are there
GOAL_ENTITY_INTENTS, GOAL_USER_INTENTS = "用户意图", "意图"
"""Goal keys of the intent labels with which the user asked: for an entity's slot, for the user's own (sic)."""
REQUESTED = "?"
"""In a goal, the value of a requested slot."""
UNTRANSCRIBED = "[UNK]"
NOISE = " _"
"""Characters for breaks inside an utterance; the official scorer deletes them from names and values."""

SERVICE = "业务"
DATA_SERVICE = "数据业务"
ENTITY_TYPES = (
    SERVICE,  # any service
    DATA_SERVICE,
    "套餐",  # plan
    "主套餐",  # main plan
    "4G套餐",
    "5G套餐",
    "附加套餐",  # add-on plan
    "流量包",  # data pack
    "长途业务",  # long-distance calls
    "国际漫游业务",  # international roaming
)

COVERED_TYPES: dict[str, tuple[str, ...]] = {
    "业务": ("业务", "数据业务"),
    "数据业务": ("数据业务",),
    "套餐": ("套餐", "主套餐", "4g套餐", "5g套餐"),
    "主套餐": ("主套餐", "4g套餐", "5g套餐"),
    "附加套餐": ("附加套餐", "流量包", "国际漫游业务", "长途业务"),
    "流量包": ("流量包",),
    "长途业务": ("长途业务",),
    "国际漫游业务": ("国际漫游业务",),
    "4g套餐": ("4g套餐",),
    "5g套餐": ("5g套餐",),
}
"""What a query for a type returns, in lower case; a query for plans returns no add-ons (sic)."""

DATA_SERVICES = ("积分倍享合约", "停开机", "手机报", "139邮箱", "来电提醒", "和对讲个人版")
"""The official scorer takes a mention whose cleaned name contains one of these for a data service."""

FEE, RULE, DURATION, VOLUME, DATA_AREA, MINUTES, CALL_AREA = (
    "业务费用",
    "业务规则",
    "业务时长",
    "流量总量",
    "流量范围",
    "通话时长",
    "通话范围",
)

SERVICE_SLOTS = (
    FEE,
    RULE,
    DURATION,
    VOLUME,
    DATA_AREA,
    MINUTES,
    CALL_AREA,
    "国内主叫",  # rate of outgoing calls
    "国内被叫",  # rate of incoming calls
    "套餐外流量计费",  # data beyond the plan
    "套餐外通话计费",  # calls beyond the plan
    "流量封顶",  # data cap
    "办理渠道",  # where to apply
    "扣费日期",  # date of charging
    "计费方式",  # mode of charging
    "隶属业务",  # belongs to
    "互斥业务",  # excludes
)

RULE_FALLBACKS = (FEE, DURATION, CALL_AREA, DATA_AREA, MINUTES, VOLUME)
"""Slots that a knowledge base query returns in place of a missing rule, in this order."""

BALANCES = ("剩余话费", "话费余额")
"""Two names of the call balance; a query for one also finds the other."""

QUERY_USER_SLOTS = ("用户需求", "用户要求", "用户状态", "短信", "持有套餐", "账户余额", "流量余额", "话费余额", "欠费")
"""User slots as the official preprocessing lists them: what an argument without an entity id may be."""

USER_SLOTS = (*QUERY_USER_SLOTS, "剩余话费", "用户积分", "故障问题", "账户余额（欠费）", "流量总量")
"""The union over all sources, which do not agree (specification, section 2)."""
