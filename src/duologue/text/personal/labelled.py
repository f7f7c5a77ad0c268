"""Labelled personal data: orders, accounts, plates, documents, messengers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from duologue.text.personal.spans import PersonalSpan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

_MARK = r"(?:number|numbers|num|no|nr|id|ids|code|ref|reference|#)"
_LINK = r"(?:[ ]?(?:is|was|are|:|=|#|-|->|under|as|at|of|to|for|my|the|it's|its|your)(?![A-Za-z])){0,3}"
_VALUE = r"(?P<value>#?[A-Za-z0-9](?:[A-Za-z0-9]|[\-_/.](?=[A-Za-z0-9])|[ ](?=[0-9])){1,39})"
_EDGE = r"(?![A-Za-z0-9])"


class _Label(NamedTuple):
    """A label with what may follow it."""

    kind: str
    pattern: re.Pattern[str]
    least: int
    """Digits that the value must have."""
    bare: int
    """The same where no word such as `number` stands between."""
    words: frozenset[str] | None
    """Words of which a text with such a label has one; `None`: it has Chinese signs."""


def _english(kind: str, words: str, *, least: int = 3, bare: int = 5) -> _Label:
    pattern = re.compile(
        rf"(?<![A-Za-z])(?:{words})(?:(?<=[A-Za-z]{{4}})|(?![A-Za-z0-9]))[ ]?(?P<mark>{_MARK}\.?(?![A-Za-z])|"
        rf"[:#=])?{_LINK}[ :#=]{{0,4}}[\"'(]?{_VALUE}{_EDGE}",
        re.IGNORECASE,
    )
    return _Label(kind, pattern, least, bare, frozenset(re.findall(r"[a-z]+", words)))


def _chinese(kind: str, words: str, *, least: int = 3, bare: int = 6) -> _Label:
    pattern = re.compile(
        rf"(?:{words})(?P<mark>(?:编|单)?(?:号码?|码|编号|ID|id|No\.?|[:：#]))?[ ]{{0,2}}(?:是|为|就是|[:：#=]|"
        rf"\(){{0,2}}[ ]{{0,2}}{_VALUE}{_EDGE}"
    )
    return _Label(kind, pattern, least, bare, None)


_LABELS = (
    _english(
        "ORDER",
        r"orders?|purchase order|po|tracking|track|parcel|package|shipment|consignment|waybill|awb|ticket|case|"
        r"incident|complaint|reference|ref|"
        r"invoice|receipt|booking|reservation|confirmation|pnr|record locator|itinerary|claim|transaction|txn|return|"
        r"rma|refund|repair|job|request|service request|enquiry|inquiry|quote|delivery",
    ),
    _english(
        "ACCOUNT",
        r"account|acct|a/c|bank account|sort code|routing|iban|swift|member|membership|customer|client|user|"
        r"subscriber|loyalty|rewards?|"
        r"frequent flyer|frequent flier|skywards|avios|policy|insurance|contract|meter|mpan|card|debit card|"
        r"credit card|gift card|voucher|imei|"
        r"serial|serial no|s/n|vin|chassis|device|student|employee|staff|patient|medical record|mrn|nhs|medicare|"
        r"medicaid|library card",
    ),
    _english(
        "IDENTITY",
        r"passport|ssn|social security|social insurance|sin|national insurance|nino|ni|national id|identity card|"
        r"identity|id card|id|driver'?s? licen[cs]e|driving licen[cs]e|licen[cs]e|tax|tin|itin|ein|vat|visa|"
        r"resident permit|green card|aadhaar|pan|nric|cpf|dni|nie",
        least=5,
        bare=6,
    ),
    _chinese(
        "ORDER",
        r"订单|运单|快递|物流|单号|工单|流水|交易|包裹|退货|退款|换货|维修|投诉|受理|预约|预订|预定|案件|案|发票|合同|票|取票|取件|报修|服务单|申请|订房|确认",
    ),
    _chinese(
        "ACCOUNT",
        r"账|帐|账户|帐户|账号|帐号|银行卡|信用卡|储蓄卡|借记卡|卡|会员|会员卡|客户|用户|保单|宽带|宽带账号|设备|序列|车架|发动机|社保|社保卡|医保|医保卡|公积金|户|学|工|员工|病历|就诊卡|"
        r"档案|准考证|电表|水表|燃气|缴费|户号|卡号",
    ),
    _chinese(
        "IDENTITY",
        r"护照|身份证|证件|驾照|驾驶证|通行证|居住证|军官证|港澳通行证|台胞证|回乡证|签证|税|纳税人",
        least=5,
        bare=5,
    ),
)
_ENDING = re.compile(
    r"(?:(?<![A-Za-z])(?:ending(?: (?:in|with))?|ends (?:in|with)|last (?:four|4|three|3|six|6)(?: digits?|"
    r" numbers?)?(?: (?:of|on) (?:my|the) (?:\w{1,12} ){0,2}\w{1,12})?)(?:[ ]?(?:is|are|were|:|=|-)){0,2}|"
    r"尾号|后四位|末四位|末尾|卡尾号|后[三四六]位|末[三四六]位)(?:是|为|:|：|[ ]){0,2}(?P<value>[0-9](?:[ ]?[0-9]){2,5})(?![0-9A-Za-z])",
    re.IGNORECASE,
)
_SORT_CODE = re.compile(
    r"(?<![A-Za-z])sort ?code[ :]{0,3}(?:is )?(?P<value>[0-9]{2}-[0-9]{2}-[0-9]{2})(?![0-9])", re.IGNORECASE
)
_STARS = re.compile(r"(?<![A-Za-z0-9])(?:[*xX•·●]{2,16}+[ \-]?){1,4}(?P<value>[0-9]{3,6})(?![0-9A-Za-z])")
_RECORD = re.compile(
    r"(?<![A-Za-z])(?:[Bb]ooking|[Rr]eservation|[Cc]onfirmation|PNR|[Rr]ecord [Ll]ocator)[ ]?(?:[Cc]ode|[Rr]eference|"
    r"[Rr]ef\.?|[Nn]umber|[Nn]o\.?|#)?[ ]?(?:is|was|:|=|#)?[ ]{0,2}"
    r"(?P<value>(?!NUMBER|REFUND|CANCEL|ONLINE|SYSTEM|STATUS|PLEASE|CHANGE|OFFICE|AGENCY)[A-Z0-9]{6})(?![A-Za-z0-9])"
)
_MESSENGER = re.compile(
    r"(?:(?<![A-Za-z])(?:we ?chat|wx|vx|qq|skype|telegram|line|snap(?:chat)?|insta(?:gram)?|ig|twitter|discord|kik|"
    r"tiktok|facebook|fb|messenger|github|linkedin|reddit|steam|psn|xbox|gamertag|twitch|venmo|cashapp|whatsapp|"
    r"signal|weibo|paypal)"
    r"(?:[ ]?(?:id|name|username|user name|handle|account|tag|number|no|号码?|号|账号|帐号|群)){0,2}|微信(?:号码?|id|ID|账号|帐号)?|"
    r"微博(?:号|账号|昵称)?|抖音(?:号)?|快手(?:号)?|小红书(?:号)?|支付宝(?:账号|帐号|号)?|企鹅号?|[Qq]号|扣扣|薇信|威信|V信|陌陌号?|淘宝(?:账号|帐号|号|ID|id)|京东(?:账号|"
    r"帐号|号)|游戏(?:账号|帐号|ID|id)|B站(?:账号|ID|id)?)"
    r"(?P<link>[ ]{0,2}(?:is|=|:|：|是|为|叫|加|→|->)?[ ]{0,2})(?P<value>@?[A-Za-z0-9_](?:[A-Za-z0-9_\-]|"
    r"\.(?=[A-Za-z0-9])|#(?=[0-9])|:(?=[A-Za-z])){3,31})(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_REDDIT = re.compile(r"(?<![A-Za-z0-9/])/?u/[A-Za-z0-9_\-]{3,20}(?![A-Za-z0-9/])")
_DISCORD = re.compile(r"(?<![A-Za-z0-9_#])[A-Za-z][A-Za-z0-9_.]{1,31}#[0-9]{4}(?![A-Za-z0-9])")
_PLATE = re.compile(
    r"(?:(?<![A-Za-z])(?:(?:licen[cs]e|number|car|vehicle|registration|reg)[ ]?plates?|plates?|rego|registration|reg|"
    r"vrm|tags?|kennzeichen)(?![A-Za-z])(?:[ ]?(?:number|no\.?|is|was|:|=|#|-)){0,3}|车牌(?:号码?)?(?:是|为|[:：])?)"
    r"[ ]{0,2}(?P<value>(?=[A-Za-zÄÖÜ0-9\- ]{0,7}[0-9])[A-ZÄÖÜa-z0-9]{1,4}(?:[ \-·]?[A-ZÄÖÜ0-9]{1,5}){1,2})"
    r"(?![A-Za-z0-9])",
    re.IGNORECASE,
)
NETWORKS = frozenset(
    "wechat chat wx vx qq skype telegram line snap snapchat insta instagram ig twitter discord kik tiktok facebook "
    "fb messenger github linkedin reddit "
    "steam psn xbox gamertag twitch venmo cashapp whatsapp signal weibo paypal u booking reservation confirmation pnr locator".split()
)
"""Without one of these words or Chinese signs `named` finds only what has a form of its own."""
_PLATE_WORDS = frozenset("plate plates rego registration reg vrm tag tags kennzeichen".split())
_WORDS_AFTER = frozenset("issues issue please thanks online today tomorrow problem update support account".split())


def labelled(text: str, words: AbstractSet[str], *, has_han: bool) -> Iterator[PersonalSpan]:
    """Yield numbers behind a label such as `order no.`, `卡号` or `ending in`.

    `words` are those of the text in small letters, `has_han` tells whether any sign is Chinese.
    """
    for label in _LABELS:
        if has_han if label.words is None else not words.isdisjoint(label.words):
            for match in label.pattern.finditer(text):
                span = _value(label, match)
                if span is not None:
                    yield span
    ending = (_ENDING,) if has_han or not words.isdisjoint(("ending", "ends", "last")) else ()
    for pattern in (*ending, _STARS, _SORT_CODE):
        for match in pattern.finditer(text):
            yield PersonalSpan(match.start("value"), match.end("value"), "ACCOUNT")
    for match in _PLATE.finditer(text) if has_han or not words.isdisjoint(_PLATE_WORDS) else ():
        if not re.fullmatch(r"(?:19|20)[0-9]{2}|[0-9]{1,3}|[0-9]{1,4} [a-z ]+", match["value"]):
            yield PersonalSpan(match.start("value"), match.end("value"), "PLATE")


def _value(label: _Label, match: re.Match[str]) -> PersonalSpan | None:
    value = match["value"].rstrip(" ")
    head = re.match(r"[^ ]*(?: [0-9]{2,}(?![A-Za-z]))*", value)
    value = value if head is None else head[0]
    digits = sum(map(str.isdigit, value))
    marked = match["mark"] is not None or value.startswith("#")
    if digits < (label.least if marked else label.bare) or not any(map(str.isdigit, value.split(" ")[0])):
        return None
    if _is_date(value) or _UNITS.match(match.string, match.start("value") + len(value)):
        return None
    if not marked and re.search(r"[0-9][./][0-9]", value):
        return None
    return PersonalSpan(match.start("value"), match.start("value") + len(value), label.kind)


_UNITS = re.compile(
    r"[ ]?(?:元|块|万|亿|美元|次|个|条|件|台|份|家|户|岁|年|月|日|号楼|天|小时|分钟|折|人|积分|%|(?:dollars?|euros?|pounds?|usd|units?|pieces?|"
    r"items?|people|users?|customers?|members?|points?|km|miles?|times|days?|hours?|orders?|years?)(?![A-Za-z]))",
    re.IGNORECASE,
)
_DATES = re.compile(
    r"(?:(?:1[5-9]|20)[0-9]{2}[\-/.](?:0?[1-9]|1[0-2])(?:[\-/.][0-3]?[0-9])?|[0-3]?[0-9][\-/.][0-3]?[0-9][\-/.](?:19|"
    r"20)?[0-9]{2})(?: [0-9]{1,2})?|(?:19|20)[0-9]{2}"
)


def _is_date(value: str) -> bool:
    return _DATES.fullmatch(value) is not None


def named(text: str) -> Iterator[PersonalSpan]:
    """Yield names and numbers of messengers and networks behind their label, and airlines' codes of letters."""
    for match in _RECORD.finditer(text):
        yield PersonalSpan(match.start("value"), match.end("value"), "ORDER")
    for match in _MESSENGER.finditer(text):
        value = match["value"]
        marked = re.search(r"[:=：是为叫加]|is", match["link"]) is not None or re.search(
            r"(?:id|name|handle|tag|号|账号|帐号)\s*$",
            match.string[match.start() : match.start("value")].rstrip(" @"),
            re.IGNORECASE,
        )
        is_odd = any(map(str.isdigit, value)) or "_" in value
        if (
            is_odd
            or (marked and not value.isalpha())
            or (marked and not match[0].isascii() and value.lower() not in _WORDS_AFTER)
        ):
            yield PersonalSpan(match.start("value"), match.end("value"), "HANDLE")
    for pattern in (_REDDIT, _DISCORD):
        for match in pattern.finditer(text):
            yield PersonalSpan(match.start(), match.end(), "HANDLE")
