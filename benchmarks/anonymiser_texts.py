"""Made-up texts for `anonymiser.py`: half with something personal in them, half with numbers and words that are not.

All numbers, names and addresses are made up; card, identity and account numbers have right check digits, as real ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random


class Text(NamedTuple):
    """A text, what is personal in it, and of which kind; both empty where nothing is."""

    text: str
    secret: str = ""
    kind: str = ""


ENGLISH = (
    "{}", "hi, {}", "please use {} thanks", "My details: {}.", "it's {}, can you check?", "{} is mine, still waiting",
    "I already sent {} twice!!", "@AirCare {} please help", "Sure. {}", "(see {})", "re: {} / any news?", "\n{}\nthanks",
)  # fmt: skip
CHINESE = (
    "{}", "你好，{}", "麻烦看一下{}谢谢", "这是我的：{}。", "{}是我的，还在等", "我发过两次了{}！！", "请用{}处理", "（{}）",
    "就是{}，帮我查一下吧", "嗯{}嗯", "\n{}\n谢谢",
)  # fmt: skip


def _digits(chance: Random, count: int, first: str = "0123456789") -> str:
    return "".join(chance.choice(first if at == 0 else "0123456789") for at in range(count))


def _letters(chance: Random, count: int, of: str = "ABCDEFGHJKLMNPRSTUVWXYZ") -> str:
    return "".join(chance.choice(of) for _ in range(count))


def _grouped(digits: str, sizes: tuple[int, ...], sign: str) -> str:
    parts, at = [], 0
    for size in sizes:
        parts.append(digits[at : at + size])
        at += size
    return sign.join(parts)


def _wide(text: str) -> str:
    return "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text)


_SPOKEN = dict(zip("0123456789", "零幺二三四五六七八九", strict=True))


def _chinese_mobile(chance: Random) -> str:
    digits = "1" + chance.choice("3456789") + _digits(chance, 9)
    how = chance.randrange(14)
    if how < 4:
        return digits
    if how < 8:
        return _grouped(
            digits,
            chance.choice(((3, 4, 4), (3, 4, 4), (3, 3, 5), (4, 3, 4))),
            chance.choice((" ", "-", ".", "—", " - ")),
        )
    return (
        f"+86 {digits}", f"+86-{_grouped(digits, (3, 4, 4), '-')}", f"0086{digits}", _wide(digits),
        "".join(_SPOKEN[digit] for digit in digits), f"{digits[:7]}\n{digits[7:]}",
    )[how - 8]  # fmt: skip


def _phone(chance: Random) -> str:
    area, line = str(chance.randrange(201, 799)), f"{chance.randrange(200, 999)}"
    last = _digits(chance, 4)
    return chance.choice(
        (
            f"({area}) {line}-{last}", f"{area}-{line}-{last}", f"{area}.{line}.{last}", f"{area} {line} {last}", f"+1 {area} {line} {last}",
            f"+1-{area}-{line}-{last}", f"1-{area}-{line}-{last}", f"+1{area}{line}{last}", f"({area}){line}-{last}", f"{area}-{line}-{last} ext. 12",
            f"+44 20 7{_digits(chance, 3)} {last}", f"020 7{_digits(chance, 3)} {last}", f"07{_digits(chance, 3)} {_digits(chance, 6)}",
            f"+44 7{_digits(chance, 3)} {_digits(chance, 6)}", f"+49 30 {_digits(chance, 7)}", f"+33 6 {_grouped(_digits(chance, 8), (2, 2, 2, 2), ' ')}",
            f"06 {_grouped(_digits(chance, 8), (2, 2, 2, 2), ' ')}", f"+61 4{_digits(chance, 2)} {_digits(chance, 3)} {_digits(chance, 3)}",
            f"04{_digits(chance, 2)} {_digits(chance, 3)} {_digits(chance, 3)}", f"+91 9{_digits(chance, 4)} {_digits(chance, 5)}",
            f"+852 9{_digits(chance, 3)} {last}", f"+81-90-{_digits(chance, 4)}-{last}", f"090-{_digits(chance, 4)}-{last}", f"0049 171 {_digits(chance, 7)}",
        )
    )  # fmt: skip


def _landline(chance: Random) -> str:
    area = chance.choice(("010", "021", "020", "0755", "0571", "0371", "028"))
    line = _digits(chance, 8 if len(area) == 3 else chance.choice((7, 8)), "2345678")
    return chance.choice(
        (
            f"{area}-{line}",
            f"({area}){line}",
            f"（{area}）{line}",
            f"{area} {line}",
            f"{area}{line}",
            f"+86 {area[1:]} {line}",
            f"{area}-{line}-801",
            f"{area}-{line}转12",
        )
    )


def _card(chance: Random) -> str:
    start, size = chance.choice((("4", 16), ("51", 16), ("622202", 16), ("622848", 19), ("37", 15), ("6011", 16)))
    body = start + _digits(chance, size - len(start) - 1)
    total = sum(
        (value - 9 if value > 9 else value)
        for value in (int(digit) << (1 - (at & 1)) for at, digit in enumerate(reversed(body)))
    )
    digits = body + str(-total % 10)
    if size == 15:
        return chance.choice((digits, _grouped(digits, (4, 6, 5), chance.choice(" -"))))
    groups = (4, 4, 4, 4) if size == 16 else (4, 4, 4, 4, 3)
    return chance.choice((digits, _grouped(digits, groups, " "), _grouped(digits, groups, "-"), _wide(digits)))


def _chinese_identity(chance: Random) -> str:
    body = (
        chance.choice(("110101", "310104", "440305", "510107", "330106"))
        + f"{chance.randrange(1950, 2010)}{chance.randrange(1, 13):02}{chance.randrange(1, 29):02}"
        + _digits(chance, 3)
    )
    total = sum(
        int(digit) * weight
        for digit, weight in zip(body, (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2), strict=True)
    )
    digits = body + "10X98765432"[total % 11]
    return chance.choice((digits, digits, digits.lower(), _grouped(digits, (6, 8, 4), " "), _wide(digits)))


def _identity(chance: Random) -> str:
    return chance.choice(
        (
            f"{chance.randrange(100, 665)}-{chance.randrange(10, 99)}-{_digits(chance, 4)}", f"SSN {chance.randrange(100, 665)} {chance.randrange(10, 99)} {_digits(chance, 4)}",
            f"passport number {_letters(chance, 1)}{_digits(chance, 8)}", f"passport: {_digits(chance, 9, '123456789')}", f"NI number {_letters(chance, 2, 'ABCEHJ')} {_grouped(_digits(chance, 6), (2, 2, 2), ' ')} C",
            f"driver's license {_letters(chance, 1)}{_digits(chance, 7)}", f"E{_digits(chance, 8)}",
        )
    )  # fmt: skip


def _email(chance: Random) -> str:
    name = chance.choice(("jo.doe", "wang_xm", "maria-k", "li", "k.m+shop", "zhang88", "12345678", "T.Brown"))
    host = chance.choice(
        ("mail.com", "qq.com", "gmail.com", "163.com", "uni-bonn.de", "post.example.co.uk", "foxmail.com")
    )
    return chance.choice(
        (
            f"{name}@{host}", f"{name}@{host}", f"{name}@{host}", _wide(f"{name}@{host}"), f"{name.replace('+shop', '')}＠{host}", f"{name.split('.')[0].replace('+', '')} at {host.split('.')[0]} dot com",
            f"{name.replace('+', '')}[at]{host}", f"{name.replace('+', '')} (at) {host.split('.')[0]} (dot) com", f"{name} @ {host}", f"{name.replace('+', '').replace('.', '_')}艾特{host.split('.')[0]}点com",
        )
    )  # fmt: skip


def _url(chance: Random) -> str:
    token = _letters(chance, 6, "abcdefkmz") + _digits(chance, 5) + _letters(chance, 6, "abcdefXYZ")
    host = chance.choice(("https://shop.com", "http://www.bank.cn", "www.air-line.com", "https://m.jd.com"))
    return chance.choice(
        (
            f"{host}/reset?token={token}", f"{host}/login?session={token}&lang=en", f"{host}/account?user=jo.doe", f"{host}/verify/{token}", f"{host}/track?order={_digits(chance, 8)}",
            f"{host}/invite/{token}", f"{host}/#access_token={token}", f"{host}/u?email=jo%40mail.com", f"{host}/p/{_digits(chance, 3)}{token}x", f"https://jo:pw{_digits(chance, 3)}@host.com/x",
        )
    )  # fmt: skip


def _handle(chance: Random) -> str:
    name = chance.choice(("jo_doe", "Li.Ming88", "sky_walker", "MariaK", "zhang_san", "x1ao_bai")) + _digits(chance, 2)
    return chance.choice(
        (f"@{name}", f"＠{name}", f"@{name}", f"insta: {name}", f"telegram @{name}", f"my twitter handle is {name}")
    )


def _messenger(chance: Random) -> str:
    name, number = (
        f"{chance.choice(('abc', 'wang', 'lucky', 'xm'))}_{_digits(chance, 4)}",
        _digits(chance, chance.choice((8, 9, 10)), "123456789"),
    )
    return chance.choice(
        (
            f"微信号: {name}",
            f"微信{name}",
            f"加我微信：{name}",
            f"QQ {number}",
            f"QQ：{number}",
            f"qq号是{number}",
            f"vx：{name}",
            f"我的QQ是{number}",
            f"＠{name}",
            f"抖音号：{name}",
        )
    )


def _ip(chance: Random) -> str:
    four = f"{chance.choice((23, 58, 101, 172, 203))}.{chance.randrange(17, 250)}.{chance.randrange(250)}.{chance.randrange(2, 250)}"
    six = f"2001:db8:{_digits(chance, 2)}a:{_digits(chance, 3)}::{_digits(chance, 2)}f"
    return chance.choice(
        (
            four,
            four,
            six,
            f"fe80::{_digits(chance, 3)}b:{_digits(chance, 2)}ff:fe{_digits(chance, 2)}:1",
            f"{chance.randrange(10, 99)}:1b:44:11:3a:b{_digits(chance, 1)}",
        )
    )


def _plate(chance: Random) -> str:
    return chance.choice(
        (
            f"{_letters(chance, 2)}{_digits(chance, 2, '567')} {_letters(chance, 3)}", f"license plate {_digits(chance, 1, '123456789')}{_letters(chance, 3)}{_digits(chance, 3)}", f"plate number {_letters(chance, 3)}-{_digits(chance, 4)}",
            f"reg is {_letters(chance, 2)}{_digits(chance, 2)}{_letters(chance, 3)}", f"my number plate: {_letters(chance, 1)}-{_letters(chance, 2)} {_digits(chance, 4, '123456789')}", f"{_letters(chance, 2)}-{_digits(chance, 3)}-{_letters(chance, 2)}",
        )
    )  # fmt: skip


def _chinese_plate(chance: Random) -> str:
    start = chance.choice("京沪粤浙苏川鲁") + chance.choice("ABCDEF")
    return chance.choice(
        (
            f"{start}{_digits(chance, 5)}",
            f"{start}·{_digits(chance, 5)}",
            f"{start}{_letters(chance, 1)}{_digits(chance, 4)}",
            f"{start}D{_digits(chance, 5)}",
            f"{start} {_digits(chance, 3)}{_letters(chance, 2)}",
            f"{start}·F{_digits(chance, 5)}",
        )
    )


def _order(chance: Random) -> str:
    return chance.choice(
        (
            f"order #{_letters(chance, 1)}{_digits(chance, 7)}", f"order number {_digits(chance, 3)}-{_digits(chance, 7)}-{_digits(chance, 7)}", f"tracking number 1Z{_digits(chance, 3)}AA{_digits(chance, 10)}",
            f"case {_digits(chance, 8)}", f"ticket #{_digits(chance, 6)}", f"booking reference {_letters(chance, 6)}", f"invoice no. INV-{_digits(chance, 6)}", f"my order is {_digits(chance, 10, '123456789')}", f"ref: {_letters(chance, 2)}{_digits(chance, 6)}",
        )
    )  # fmt: skip


def _chinese_order(chance: Random) -> str:
    return chance.choice(
        (
            f"订单号{_digits(chance, 14, '2')}",
            f"订单编号：{_digits(chance, 10, '123')}",
            f"快递单号SF{_digits(chance, 13)}",
            f"运单{_digits(chance, 12, '47')}",
            f"工单号是{_digits(chance, 9)}",
            f"单号：YT{_digits(chance, 13)}",
            f"订单 {_digits(chance, 12, '123')}",
        )
    )


def _account(chance: Random) -> str:
    return chance.choice(
        (
            f"account number {_digits(chance, 8, '123456789')}", f"acct no: {_digits(chance, 10, '123456789')}", f"card ending in {_digits(chance, 4)}", f"last four digits {_digits(chance, 4)}", "IBAN DE89 3704 0044 0532 0130 00",
            "GB29NWBK60161331926819", f"member ID {_letters(chance, 2)}{_digits(chance, 6)}", f"customer number is {_digits(chance, 7, '123456789')}", f"policy no. {_letters(chance, 3)}{_digits(chance, 6)}",
        )
    )  # fmt: skip


def _chinese_account(chance: Random) -> str:
    return chance.choice(
        (
            f"尾号{_digits(chance, 4)}",
            f"卡号{_digits(chance, 16, '6')}",
            f"账号：{_digits(chance, 10, '123')}",
            f"会员号{_digits(chance, 8)}",
            f"户号 {_digits(chance, 10)}",
            f"银行卡号：{_digits(chance, 19, '6')}",
            f"后四位是{_digits(chance, 4)}",
        )
    )


_FIRST = (
    "John",
    "Sarah",
    "Mohammed",
    "Emily",
    "David",
    "Priya",
    "Carlos",
    "Grace",
    "Mark",
    "Oluwaseun",
    "Zoltan",
    "Mei",
)
_LAST = ("Smith", "Jones", "Kowalski", "García", "O'Brien", "Nguyen", "Baker", "van Dijk", "Okafor", "Müller")
_SURNAMES, _GIVEN = (
    "王李张刘陈杨黄赵周吴徐孙马朱胡林高罗郑梁",
    "伟芳娜秀英敏静丽强磊军洋勇艳杰娟涛明超兰霞平刚桂建国子轩雨涵",
)


def _name(chance: Random) -> str:
    first, last = chance.choice(_FIRST), chance.choice(_LAST)
    return chance.choice(
        (
            f"My name is «{first} {last}»",
            f"this is «{first} {last}»",
            f"Regards, «{first}»",
            f"Dear Mr. «{last}»",
            f"Hi «{first}», thanks",
            f"I spoke to «{first}» yesterday",
            f"I'm «{first} {last}»",
            f"name: «{first} {last}»",
            f"thanks «{first}»",
            f"«{first} {last}» called me",
        )
    )


def _chinese_name(chance: Random) -> str:
    surname, given = chance.choice(_SURNAMES), "".join(chance.choice(_GIVEN) for _ in range(chance.choice((1, 2, 2))))
    return chance.choice(
        (
            f"我叫«{surname}{given}»",
            f"我是«{surname}{given}»，想问一下",
            f"«{surname}»先生您好",
            f"收件人：«{surname}{given}»",
            f"姓名«{surname}{given}»",
            f"联系«{surname}{given}»就行",
            f"«{surname}{given}»女士",
            f"找«{surname}»经理",
            f"我老公«{surname}{given}»说的",
            f"«{surname}{given}»昨天投诉过",
        )
    )


def _address(chance: Random) -> str:
    street = chance.choice(
        ("Baker Street", "Main St", "Oak Avenue", "Park Road", "Elm Drive", "King's Lane", "5th Avenue", "Market Sq")
    )
    number = chance.randrange(1, 999)
    return chance.choice(
        (
            f"I live at «{number} {street}»",
            f"ship to «{number} {street}, Apt {chance.randrange(1, 20)}B»",
            f"address: «{number} {street}, Springfield, IL 6270{chance.randrange(9)}»",
            f"«P.O. Box {number}»",
            f"my postcode is «SW1A {chance.randrange(1, 9)}AA»",
            f"«Lindenstraße {number}, 10115 Berlin»",
            f"deliver to «flat 3, {number} {street}»",
            f"zip code «9{_digits(chance, 4)}»",
        )
    )


def _chinese_address(chance: Random) -> str:
    city = chance.choice(("北京市朝阳区", "上海市浦东新区", "广东省深圳市南山区", "杭州西湖区", "成都市武侯区"))
    road = chance.choice(("建国路", "张江路", "科技南十二路", "文三路", "人民南路四段", "中山大道"))
    number = chance.randrange(1, 999)
    return chance.choice(
        (
            f"地址：«{city}{road}{number}号»",
            f"我住在«{city}{road}{number}号{chance.randrange(1, 9)}栋{chance.randrange(101, 2600)}室»",
            f"寄到«{city}{road}{number}弄{chance.randrange(1, 50)}号»",
            f"我家在«阳光花园{chance.randrange(1, 9)}栋{chance.randrange(1, 5)}单元{chance.randrange(101, 2600)}»",
            f"«{road}{number}号»",
        )
    )


PERSONAL: tuple[tuple[str, str, Callable[[Random], str]], ...] = (
    ("PHONE", "zh", _chinese_mobile), ("PHONE", "zh", _landline), ("PHONE", "en", _phone), ("PHONE", "en", _phone), ("CARD", "en", _card), ("CARD", "zh", _card), ("IDENTITY", "zh", _chinese_identity),
    ("IDENTITY", "en", _identity), ("EMAIL", "en", _email), ("EMAIL", "zh", _email), ("URL", "en", _url), ("URL", "zh", _url), ("HANDLE", "en", _handle), ("HANDLE", "zh", _messenger), ("IP", "en", _ip), ("IP", "zh", _ip),
    ("PLATE", "en", _plate), ("PLATE", "zh", _chinese_plate), ("ORDER", "en", _order), ("ORDER", "zh", _chinese_order), ("ACCOUNT", "en", _account), ("ACCOUNT", "zh", _chinese_account),
)  # fmt: skip
"""Pattern kinds, the language of the text around, and what makes one."""
SOFT: tuple[tuple[str, str, Callable[[Random], str]], ...] = (
    ("NAME", "en", _name), ("NAME", "zh", _chinese_name), ("ADDRESS", "en", _address), ("ADDRESS", "zh", _chinese_address),
)  # fmt: skip
_LABELS = (
    "SSN ", "passport number ", "passport: ", "NI number ", "driver's license ", "license plate ", "plate number ", "reg is ", "my number plate: ", "order #", "order number ", "tracking number ", "case ", "ticket #",
    "booking reference ", "invoice no. ", "my order is ", "ref: ", "account number ", "acct no: ", "card ending in ", "last four digits ", "IBAN ", "member ID ", "customer number is ", "policy no. ", "insta: ", "telegram ", "my twitter handle is ",
    "微信号: ", "微信", "加我微信：", "QQ ", "QQ：", "qq号是", "vx：", "我的QQ是", "抖音号：", "订单号", "订单编号：", "快递单号", "运单", "工单号是", "单号：", "订单 ", "尾号", "卡号", "账号：", "会员号", "户号 ", "银行卡号：", "后四位是",
)  # fmt: skip

CLEAN_ENGLISH: tuple[Callable[[Random], str], ...] = (
    lambda c: f"It costs ${c.randrange(1, 9999):,}.{c.randrange(10, 99)} per month",
    lambda c: f"I paid {c.randrange(100, 99999)} dollars for {c.randrange(2, 9)} of them",
    lambda c: f"the meeting is on {c.randrange(1, 13):02}/{c.randrange(1, 29):02}/20{c.randrange(10, 26)} at {c.randrange(1, 13)}:{c.randrange(10, 60)} pm",
    lambda c: f"since 20{c.randrange(10, 26)}-{c.randrange(1, 13):02}-{c.randrange(1, 29):02} {c.randrange(10, 24)}:{c.randrange(10, 60)}:{c.randrange(10, 60)} nothing works",
    lambda c: f"update to version {c.randrange(1, 20)}.{c.randrange(0, 20)}.{c.randrange(0, 2000)} did not help",
    lambda c: f"firmware {c.randrange(1, 9)}.{c.randrange(0, 20)}.{c.randrange(0, 20)}.{c.randrange(0, 99)} is out",
    lambda c: f"they won {c.randrange(60, 130)}-{c.randrange(60, 130)} in 19{c.randrange(10, 99)}",
    lambda c: f"about {c.randrange(1, 99)},{c.randrange(100, 999)},{c.randrange(100, 999)} people live there",
    lambda c: f"open {c.randrange(7, 10)}:00-{c.randrange(17, 22)}:00, Mon-Fri, call 911 in an emergency",
    lambda c: f"from {c.randrange(1900, 1990)} to {c.randrange(1991, 2025)}, 24/7, {c.randrange(2, 99)}% off",
    lambda c: f"the new Galaxy S{c.randrange(20, 25)} Ultra has {c.choice((128, 256, 512))}GB and 5G, iPhone {c.randrange(11, 17)} too",
    lambda c: f"see https://www.shop.com/help/article/{c.randrange(100, 9999)}?page={c.randrange(1, 9)}",
    lambda c: f"read https://news.site.org/20{c.randrange(10, 25)}/0{c.randrange(1, 9)}/how-to-reset-your-password",
    lambda c: f"room {c.randrange(100, 999)} on floor {c.randrange(1, 40)}, gate B{c.randrange(1, 60)}, flight BA{c.randrange(100, 2999)}",
    lambda c: f"I ordered {c.randrange(2, 50)} items {c.randrange(2, 9)} weeks ago, none came",
    lambda c: f"error {c.randrange(400, 599)} again, error code 0x80070{c.randrange(100, 999)}",
    lambda c: f"use 192.168.{c.randrange(0, 3)}.1 or 127.0.0.1 to set the router up, DNS 8.8.8.8",
    lambda c: f"{c.randrange(10, 99)} x {c.randrange(10, 99)} = {c.randrange(100, 9999)}, 3.14159265{c.randrange(100, 999)}",
    lambda c: f"it took {c.randrange(2, 90)} minutes to drive {c.randrange(2, 90)} miles, turn left at the 3rd street",
    lambda c: f"1920x1080 at {c.randrange(30, 144)} fps, {c.randrange(2, 9)},{c.randrange(100, 999)} mAh, {c.randrange(10, 99)}.{c.randrange(1, 9)} kg",
    lambda c: f"ISBN 978-{c.randrange(0, 9)}-{c.randrange(10, 99)}-{c.randrange(100000, 999999)}-{c.randrange(0, 9)} is out of print",
    lambda c: f"win KB50{c.randrange(10000, 99999)} failed, see CVE-20{c.randrange(10, 25)}-{c.randrange(1000, 99999)}",
    lambda c: f"my account has been locked for {c.randrange(2, 30)} days and my password does not work",
    lambda c: f"call our hotline 1-800-{c.randrange(200, 999)}-{c.randrange(1000, 9999)} any time",
    lambda c: c.choice(("May I ask why it will not work?", "Will you be there in June, or in April?", "look at amazon dot com", "we met at noon, dot by dot", "I hope this is the right place to ask", "great service, thanks a lot!", "I have one or two or three ideas", "@ 50 each that is a lot", "the street is closed, take the second road", "Best Buy was closed, Target too")),
)  # fmt: skip
CLEAN_CHINESE: tuple[Callable[[Random], str], ...] = (
    lambda c: f"{c.choice((4, 5))}G套餐{c.randrange(18, 300)}元，含{c.randrange(10, 200)}GB流量",
    lambda c: f"每月{c.randrange(18, 300)}.{c.randrange(10, 99)}元，通话{c.randrange(100, 2000)}分钟",
    lambda c: f"20{c.randrange(10, 26)}年{c.randrange(1, 13)}月{c.randrange(1, 29)}日{c.randrange(1, 24)}点{c.randrange(10, 60)}分开会",
    lambda c: f"余额还剩{c.randrange(1, 999)}.{c.randrange(10, 99)}元，流量用了{c.randrange(1, 99)}.{c.randrange(1, 9)}G",
    lambda c: f"一共花了{c.randrange(100, 999)}0000元，买了{c.randrange(2, 99)}台",
    lambda c: f"请拨打{c.choice(('10086', '10010', '12345', '95588', '10000', '110'))}咨询",
    lambda c: f"客服热线400-{c.randrange(600, 899)}-{c.randrange(1000, 9999)}",
    lambda c: f"发送{c.randrange(100, 999)}到10086办理",
    lambda c: f"比分是{c.randrange(60, 130)}-{c.randrange(60, 130)}，上届是{c.randrange(1, 5)}:{c.randrange(1, 5)}",
    lambda c: f"版本{c.randrange(1, 20)}.{c.randrange(0, 20)}.{c.randrange(0, 99)}，系统升级到{c.randrange(1, 20)}.{c.randrange(0, 9)}.{c.randrange(0, 9)}.{c.randrange(0, 9)}",
    lambda c: f"有{c.randrange(1, 14)}{c.randrange(10000000, 99999999)}人参加",
    lambda c: f"{c.choice('GDK')}{c.randrange(1, 9999)}次列车，CA{c.randrange(1000, 9999)}航班晚点{c.randrange(2, 9)}小时",
    lambda c: f"坐地铁{c.randrange(1, 18)}号线到{c.randrange(1, 9)}号口出，{c.randrange(2, 20)}楼",
    lambda c: f"营业时间{c.randrange(7, 10)}:00-{c.randrange(17, 22)}:30，周一到周五",
    lambda c: f"身高1{c.randrange(50, 90)}，体重{c.randrange(45, 90)}公斤，{c.randrange(18, 60)}岁",
    lambda c: f"二零{c.choice('一二')}{c.choice('一二三四五')}年{c.choice('一二三')}月，一共三千{c.choice('一二三')}百五十六元",
    lambda c: f"电影评分{c.randrange(5, 10)}.{c.randrange(1, 9)}，票房{c.randrange(1, 50)}.{c.randrange(1, 9)}亿",
    lambda c: f"小米{c.randrange(10, 15)} Pro，{c.choice((8, 12, 16))}+{c.choice((128, 256, 512))}，{c.randrange(1999, 5999)}元",
    lambda c: f"东经{c.randrange(73, 135)}度，海拔{c.randrange(100, 8848)}米",
    lambda c: f"第{c.randrange(1, 99)}条，第{c.randrange(1, 20)}章，{c.randrange(2, 99)}%的人同意",
    lambda c: f"5G基站{c.randrange(100, 999)}万个，同比增长{c.randrange(1, 99)}.{c.randrange(1, 9)}%",
    lambda c: f"充{c.choice((50, 100, 200))}送{c.choice((10, 20, 50))}，活动到{c.randrange(1, 13)}月{c.randrange(1, 29)}号",
    lambda c: c.choice(("我是想问一下套餐怎么改", "密码忘了怎么办", "我叫了外卖还没到", "先生您好，请问有什么可以帮您", "那就这样吧，谢谢", "一二三四五六七八九十", "老师好，同学们好", "微信支付怎么用不了", "这条路很堵，改走大道吧", "高兴坏了，明天见")),
)  # fmt: skip


def personal(chance: Random, count: int, kinds: tuple[tuple[str, str, Callable[[Random], str]], ...]) -> list[Text]:
    """Return so many texts with something personal, the kinds in turn."""
    made = []
    for at in range(count):
        kind, language, make = kinds[at % len(kinds)]
        piece = make(chance)
        if "«" in piece:
            before, _, rest = piece.partition("«")
            secret, _, after = rest.partition("»")
            piece = before + secret + after
        else:
            label = max((one for one in _LABELS if piece.startswith(one)), key=len, default="")
            secret = piece[len(label) :]
        carrier = chance.choice(ENGLISH if language == "en" else CHINESE) if kinds is PERSONAL else "{}"
        made.append(Text(carrier.format(piece), secret, kind))
    return made


def clean(chance: Random, count: int) -> list[Text]:
    """Return so many texts with nothing personal."""
    makers = [one for pair in zip(CLEAN_ENGLISH, CLEAN_CHINESE, strict=False) for one in pair]
    return [Text(makers[at % len(makers)](chance)) for at in range(count)]
