"""Slot values in a passage of a document: found by the slot's name before a colon, or by the unit of an amount.

Clauses in which no value is found are the rules of the product, word for word. Nothing is computed or put in other
words: what is told stands in the passage.
"""

from __future__ import annotations

import re

from duologue.challenges.mobilecs.schema.ontology import (
    CALL_AREA,
    DATA_AREA,
    DURATION,
    FEE,
    MINUTES,
    RULE,
    SERVICE_SLOTS,
    VOLUME,
)

_DIGITS = "零一二两三四五六七八九十百千万半"
_NUMBER = rf"(?:(?<![\d.])\d{{1,7}}(?:\.\d{{1,3}})?|(?<![{_DIGITS}])[{_DIGITS}]{{1,9}})"
"""A whole one: what goes on longer is none. All that repeats here has a bound, so time grows as the text does."""
_JIAO = r"[\d一二两三四五六七八九半](?![十百千万个天年月分兆MmGg])毛?"
"""What may follow the yuan; the number of another unit does not."""
_MONEY = rf"{_NUMBER}(?:块钱|元钱|块|元)(?:{_JIAO})?"
_RATE = rf"(?:{_MONEY}|{_NUMBER}[毛角分]{_NUMBER}?钱?)"
_MEGABYTE = r"(?:兆|[Mm][Bb]?)"
_AREA = "省内|国内|全国|本地|市内|省外"
_CHANNEL = "(?:手机|网上|掌上)?营业厅|短信|[Aa][Pp]{2}|官网|微信公众号|10086"
_NAMES = {
    **{slot: slot for slot in SERVICE_SLOTS},
    **dict.fromkeys(("月费", "月租", "资费", "价格", "费用", "收费"), FEE),
    **dict.fromkeys(("流量", "包含流量", "套餐流量"), VOLUME),
    **dict.fromkeys(("语音", "通话", "通话分钟", "语音时长"), MINUTES),
    **dict.fromkeys(("有效期", "合约期", "期限", "时长"), DURATION),
    **dict.fromkeys(("办理方式", "开通方式", "办理方法"), "办理渠道"),
    **dict.fromkeys(("规则", "说明", "使用规则", "限制", "生效"), RULE),
    **dict.fromkeys(("主叫",), "国内主叫"),
    **dict.fromkeys(("被叫", "接听"), "国内被叫"),
    **dict.fromkeys(("套餐外流量", "超出流量"), "套餐外流量计费"),
    **dict.fromkeys(("套餐外通话", "套餐外语音", "超出通话"), "套餐外通话计费"),
    **dict.fromkeys(("互斥", "不能同时办理"), "互斥业务"),
}
"""Slots by the names that documents have for them."""
_LABELLED = re.compile(rf"^(?P<name>{'|'.join(sorted(_NAMES, key=len, reverse=True))})\s{{0,3}}[：:](?P<value>.+)$")
_APART = "[^，,]{0,12}"
"""Words between those that belong together."""
_BEYOND = rf"(?:套餐外|超出){_APART}?"
_PATTERNS = tuple(
    (slot, re.compile(pattern))
    for slot, pattern in (
        ("流量封顶", rf"流量{_APART}?(?P<value>{_NUMBER}(?:个?[Gg][Bb]?|{_MEGABYTE})){_APART}?封顶"),
        ("套餐外流量计费", rf"(?P<value>(?:[每一]{_MEGABYTE}{_RATE}|{_RATE}(?:每|一|/){_MEGABYTE}))"),
        ("套餐外通话计费", rf"{_BEYOND}(?P<value>(?:[每一]分钟{_RATE}|{_RATE}(?:每|一|/)分钟))"),
        ("国内主叫", rf"(?P<value>(?:[每一]分钟{_RATE}|{_RATE}(?:每|一|/)分钟))"),
        ("国内被叫", r"(?:被叫|接听)[^，,]{0,4}?(?P<value>免费|不收费|不要钱)"),
        ("扣费日期", rf"(?P<value>(?:每月|下月|次月)?{_NUMBER}[号日])[^，,]{{0,4}}扣"),
        (FEE, rf"(?P<value>(?:每个?月|每年|每天|一个月|一年|一天)?{_MONEY}(?:/月|/年|每个?月|每年|每天|一个月|一天)?)"),
        (FEE, r"(?:月租|月费|功能费|费用|资费)[^，,]{0,4}?(?P<value>免费|不收费)"),
        (VOLUME, rf"(?P<value>{_NUMBER}(?:个?[Gg][Bb]?|{_MEGABYTE}))"),
        (MINUTES, rf"(?P<value>{_NUMBER}分钟)"),
        (DURATION, rf"(?P<value>{_NUMBER}(?:个月|个小时|小时|天|年)|半年|长期)"),
        (DATA_AREA, rf"(?P<value>{_AREA})(?:通用)?的?(?:上网)?流量"),
        (CALL_AREA, rf"(?P<value>{_AREA})的?(?:语音|通话|主叫|电话)"),
        (
            "办理渠道",
            rf"(?P<value>{_CHANNEL})(?={_APART}(?:办|开通|申请))",
        ),
        ("隶属业务", r"(?:属于|隶属于?)(?P<value>[^，,]{2,20})"),
        ("互斥业务", r"[与和跟](?P<value>[^，,]{2,20}?)(?:不能同时|互斥|冲突)"),
    )
)
"""Slots by the amounts and words that tell them; what one has taken, a later one does not."""
_SENTENCE, _CLAUSE = re.compile(r"[。；;！!？?\n]+"), re.compile(r"[，,]")
_SHORTEST_RULE = 4


def values_in(passage: str, name: str) -> dict[str, list[str]]:
    """Return the values of each slot of the product `name` in a passage about it, as they stand there.

    >>> values_in("晴空套餐：每月38元，含5GB国内流量。办了以后次月生效", "晴空套餐")
    {'业务费用': ['每月38元'], '流量总量': ['5GB'], '流量范围': ['国内'], '业务规则': ['办了以后次月生效']}
    """
    found: dict[str, dict[str, None]] = {}
    without_name = re.compile(rf"^\s*{re.escape(name)}\s*[：:是为]?\s*", re.IGNORECASE)
    for sentence in _SENTENCE.split(passage):
        rules = []
        for clause in _CLAUSE.split(sentence):
            said = without_name.sub("", clause).strip()
            told = list(_told(said))
            for slot, value in told:
                found.setdefault(slot, {})[value] = None
            if not told and len(said) >= _SHORTEST_RULE and not said.endswith(("：", ":")):
                rules.append(said)
        if rules:
            found.setdefault(RULE, {})["，".join(rules)] = None
    return {slot: list(values) for slot, values in found.items()}


def _told(clause: str) -> list[tuple[str, str]]:
    """Return slots and values of a clause."""
    labelled = _LABELLED.match(clause)
    if labelled is not None:
        return [(_NAMES[labelled["name"]], labelled["value"].strip())]
    taken = bytearray(len(clause))
    found: list[tuple[int, str, str]] = []
    for slot, pattern in _PATTERNS:
        for match in pattern.finditer(clause):
            start, end = match.span("value")
            if not any(taken[start:end]):
                taken[start:end] = b"\1" * (end - start)
                found.append((start, slot, match["value"].strip()))
    return [(slot, value) for _, slot, value in sorted(found)]
