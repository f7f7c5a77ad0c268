"""Personal numbers: telephones, cards, identity numbers, plates, other long ones.

All patterns see plain text (`characters.plain`, `digits_said`). Prices, dates, times, years, versions and quantities
stay; so do numbers that belong to everybody (10086, 400 and 800 numbers).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.text.personal.spans import PersonalSpan

if TYPE_CHECKING:
    from collections.abc import Iterator

_GAP = r"[ \t\r\n.\-]"
_CARD = re.compile(r"(?<![A-Z0-9.+])[0-9](?:[ \t\r\n\-]{0,2}[0-9]){11,18}(?![0-9])")
_FOURS = re.compile(r"(?<![0-9.])[0-9]{4}(?:[ \-][0-9]{4}){4,8}(?:[ \-][0-9]{1,3})?(?![0-9])")
"""Numbers of parcels."""
_CHINESE_ID = re.compile(
    rf"(?<![0-9])[1-9][0-9]{{5}}{_GAP}{{0,2}}(?:18|19|"
    rf"20)[0-9]{{2}}{_GAP}{{0,2}}[01][0-9]{_GAP}{{0,2}}[0-3][0-9]{_GAP}{{0,2}}[0-9]{{3}}{_GAP}?[0-9Xx](?![0-9A-Za-z])"
)
_LOOSE_ID = re.compile(r"(?<![0-9])[1-9](?:[ \t\r\n.\-]{0,2}[0-9]){16}[ \t\r\n.\-]{0,2}[0-9Xx](?![0-9A-Za-z])")
_OLD_ID = re.compile(r"(?<![0-9])[1-9][0-9]{5}[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[0-9]{3}(?![0-9])")
_WESTERN_IDS = re.compile(
    r"(?<![A-Za-z0-9\-])(?:"
    r"[0-9]{3}-[0-9]{2}-[0-9]{4}|[0-8][0-9]{2} [0-9]{2} [0-9]{4}"  # United States
    r"|[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]"  # United Kingdom
    r"|[A-Z]{1,2}[0-9]{6} ?\([0-9A]\)|[A-Z][12489][0-9]{8}"  # Hong Kong, Taiwan
    r"|[EGDSPHeg][A-Ha-h]?[0-9]{7,8}"  # Chinese passports
    r"|[XYZ]-?[0-9]{7}-?[A-Z]|[0-9]{8}-?[A-HJ-NP-TV-Z]|[STFG][0-9]{7}[A-Z]"  # Spain, Singapore
    r"|[A-Z]{5}[0-9]{4}[A-Z]|(?<![0-9] )[2-9][0-9]{3} [0-9]{4} [0-9]{4}(?! ?[0-9])"  # India
    r"|[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}|[0-9]{6}-[1-8][0-9]{6}"  # Brazil, Korea
    r"|[A-Z]{6}[0-9]{2}[A-Z][0-9]{2}[A-Z][0-9]{3}[A-Z]"  # Italy
    r"|[12] [0-9]{2} [01][0-9] [0-9]{2} [0-9]{3} [0-9]{3}(?: [0-9]{2})?"  # France
    r")(?![A-Za-z0-9]|-[0-9])"
)
_IBAN = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z]{2}[0-9]{2}(?:[ \-]?[A-Za-z0-9]{4}){2,7}(?:[ \-]?[A-Za-z0-9]{1,4})?(?![A-Za-z0-9])"
)
_IBAN_LABEL = re.compile(r"iban[^A-Za-z0-9]{0,6}(?:(?:is|number|no|code)[^A-Za-z0-9]{0,3}){0,2}$", re.IGNORECASE)

_MOBILE = re.compile(
    r"(?<![0-9])(?<![0-9][.,])(?:[(\[]?(?:\+|"
    rf"00)?86[)\]]?{_GAP}{{0,2}})?\(?1[ .\-]?[3-9](?:{_GAP}{{0,3}}\)?[0-9]){{9}}(?![0-9])"
)
_CHINESE_LINE = re.compile(
    r"(?<![0-9.])(?:(?:\+|00)86[ \-]{0,2}|86-)?(?:\(0[0-9]{2,3}\)|0(?:10|2[0-9]|[3-9][0-9]{2})|"
    r"(?<=86[ \-])(?:10|2[0-9]|[3-9][0-9]{2}))"
    r"[ \t\r\n\-]{0,3}[2-9][0-9]{2,3}[ \-]?[0-9]{4}(?:(?:[ ]?(?:转|ext\.?|x|-|#)[ ]?)[0-9]{1,6})?(?![0-9])"
)
_ABROAD = re.compile(
    r"(?<![A-Za-z0-9+])(?:\(?\+[1-9]|00[ ]?[1-9])(?:[ \t\r\n.\-()/]{0,3}[0-9]){6,14}(?:[ ]?(?:ext\.?|x|"
    r"#)[ ]?[0-9]{1,6})?(?![0-9])"
)
_AMERICAN = re.compile(
    r"(?<![0-9])(?<![0-9][.,\-])(?:\+?1[ \t\r\n.\-]{0,2})?(?:\([0-9]{3}\)[ \t\r\n.\-]{0,2}[0-9]{3}[ "
    r"\t\r\n.\-]{1,2}[0-9]{4}"
    r"|\([0-9]{3}\)[ ]?[0-9]{7}|[0-9]{3}([.\-/]|[ ]?-[ ]?)[0-9]{3}\1[0-9]{4}|"
    r"[2-9][0-9]{2}[ \t\r\n]{1,2}[2-9][0-9]{2}[ \t\r\n.\-]{1,2}[0-9]{4}"
    r"|[2-9][0-9]{2}[.\-][0-9]{3}[ \r\n.\-]{1,2}[0-9]{4})(?:[ ,]{0,2}(?:ext\.?|x|#|"
    r"extension)[ ]?[0-9]{1,6})?(?![0-9]|[.\-][0-9])",
    re.IGNORECASE,
)
_NATIONAL = re.compile(
    r"(?<![0-9.+])(?:\(0[0-9]{1,5}\)|0[0-9]{1,5})(?:[ \t\r\n\-/]{1,2}[0-9]{2,8}){1,4}(?![0-9]|[:.,][0-9])"
    r"|(?<![0-9.])0[1-9](?:([ .\-])[0-9]{2}(?:\1[0-9]{2}){3})(?![0-9]|[:.,][0-9])"
    r"|(?<![0-9.])[6-9][0-9]{4}[ \-][0-9]{5}(?![0-9])|\([1-9][0-9]{1,3}\)[ ]?[0-9]{3,5}[ \-]?[0-9]{4}(?![0-9])"
)
_SHORT = re.compile(r"(?<![0-9.\-])\(?[0-9](?:[ .\-()]{0,2}[0-9]){6,13}(?![0-9]|[.\-:][0-9])")
_555 = re.compile(r"(?<![0-9.\-])555-[0-9]{4}(?![0-9\-])")
_DAY = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])[0-3][0-9]")
_DOTTED = re.compile(r"[0-9]{1,2}(?:\.[0-9]{1,5}){2,4}")
_BY_TWO = re.compile(r"[0-9]{2}(?:\.[0-9]{2}){4}")
_PHONE_LABEL = re.compile(
    r"(?:(?<![A-Za-z])(?:(?:tele)?phone|tel|mobile|mob|cell|call|calling|called|text|texting|sms|whats ?app|fax|"
    r"viber|signal|reach|dial|ring|landline|ph)(?![A-Za-z])"
    r"|电话|手机|座机|号码|联系方式|致电|拨打|传真|短信|来电|回电|固话|打给我|打我)[^0-9\n]{0,24}\n?$",
    re.IGNORECASE,
)
_EVERYBODYS = re.compile(
    r"(?:\+?86[ \-]?)?(?:\(?[48]00\)?[ \-]?[0-9]{3}[ \-]?[0-9]{4}|[48]00[ \-]?[0-9]{4}[ \-]?[0-9]{3}|"
    r"[48]00[ \-]?[0-9][ \-]?[0-9]{3}[ \-]?[0-9]{3})"
    r"|(?:\+?1[ .\-]{0,2})?\(?8(?:00|33|44|55|66|77|88)\)?[ .\-]{0,2}[0-9]{3}[ .\-]{0,2}[0-9]{4}"
    r"|\(?0(?:800|808|300|303|330|333|34[345]|370|84[345])\)?[ \-]?[0-9]{3}[ \-]?[0-9]{3,4}"
)
_OWN_LABEL = re.compile(r"(?:\bmy\b|\bme (?:at|on)\b|我的|我手机|本人|打我)[^0-9]{0,20}$", re.IGNORECASE)

_CHINESE_PLATE = re.compile(
    r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][ ]?[A-Za-z](?:[ ]?[·.\-][ ]?|[ ])?"
    r"(?:[A-Za-z][ ]?[0-9]{5}|[0-9]{5}[ ]?[A-Za-z]|"
    r"(?=[A-Za-z0-9 ]{0,5}[0-9])[A-Za-z0-9]{1,3}[ ]?[A-Za-z0-9]{1,3}[A-Za-z0-9挂学警港澳使领])(?![A-Za-z0-9])"
    r"|(?<![A-Za-z0-9])WJ ?[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼]?[0-9]{4,5}[A-Z]?"
)
_PLATE = re.compile(
    r"(?<![A-Za-z0-9\-])(?:[A-Z]{2}[0-9]{2}[ \-]?[A-Z]{3}|[A-Z]{2}-[0-9]{3}-[A-Z]{2}|[A-HJ-NP-Y][0-9]{1,3} [A-Z]{3}|"
    r"[0-9][A-Z]{3}[0-9]{3}|[0-9]{4} (?!MBS|GBS|KBS|PTS|PCS|HRS|KMS)[BCDFGHJ-NPR-TV-Z]{3}|"
    r"[A-Z]{2}[ ]?[0-9]{3}[ ]?[A-Z]{2})(?![A-Za-z0-9\-])"
)

_LONG = re.compile(r"(?<![A-Za-z0-9_])(?<![0-9][.:])[0-9]{9,40}(?![A-Za-z0-9_]|[.,][0-9])")
_DASHED = re.compile(r"(?<![A-Za-z0-9_.\-/])[0-9]{2,20}(?:-[0-9]{2,20}){1,5}(?![A-Za-z0-9_\-]|[.:][0-9])")
_MIXED = re.compile(
    r"(?<![A-Za-z0-9_\-./])(?=[A-Za-z\-]{0,6}[0-9])(?=[A-Z0-9\-]{8,40}(?![A-Za-z0-9_]))[A-Z0-9]"
    r"[A-Z0-9\-]{6,38}[A-Z0-9](?![A-Za-z0-9_\-])"
)
_WORDS = r"(?:zero|oh|o|nought|one|two|three|four|five|six|seven|eight|nine|double|triple)"
_SAID = re.compile(rf"(?<![A-Za-z])(?:plus[ ])?{_WORDS}(?:[ ,.\-]{{1,3}}{_WORDS}){{6,20}}(?![A-Za-z])", re.IGNORECASE)
DIGIT_WORDS = frozenset("zero one two three four five six seven eight nine double triple oh".split())

_MONEY = re.compile(
    r"(?:[$¥￥€£₹₩]|(?<![A-Za-z])(?:rmb|usd|cny|eur|gbp|jpy|hkd|rs\.?|inr)|人民币|共计|金额|price|worth|costs?)[ :：]{0,2}$",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"[ ]?(?:元|块|万|亿|美元|美金|欧元|日元|港币|人(?!民?身)|次|个|条|件|台|份|家|户|岁|年|字节|像素|公里|米|吨|步|票|"
    r"(?:bytes?|users?|people|persons?|dollars?|euros?|pounds?|yuan|yen|rmb|usd|eur|gbp|rows?|items?|units?|pieces?|"
    r"views?|followers?|"
    r"points?|steps?|kilomet(?:er|re)s?|miles?|met(?:er|re)s?|km|seconds?|years?|times|votes?|downloads?|tokens|"
    r"parameters|pixels?|residents|inhabitants|subscribers|customers)(?![A-Za-z])|%)",
    re.IGNORECASE,
)
_PUBLIC_LABEL = re.compile(
    r"(?:error(?: code)?|错误(?:码|代码)?|故障码|代码|isbn(?:-1[03])?|issn|ean|upc|barcode|bar code|doi|rfc|version|build|"
    r"model|sku|timestamp|unix|epoch|article|item (?:no\.?|number)|part (?:no\.?|number)|"
    r"patent|bug|issue|cve|kb|版本号?|型号|条形?码|国药准字[HZSJB]?|批准文号|书号|时间戳|编译|专利号?|货号|商品编号|产品编号|约|大约|近|超过|hotline|"
    r"toll[ -]free|热线)[ :：#.是为]{0,3}(?:is )?$",
    re.IGNORECASE,
)
_PUBLIC_PREFIX = re.compile(
    r"(?:KB|CVE|RFC|ISO|IEC|GB|IEEE|UTC|GMT|SHA|MD|COVID|HTTP|ISBN|ISSN|DIN|EN|USB|HDMI|WIN|GTX|RTX|MP|IPV)-?[0-9\-]+"
)
_STAMP = re.compile(
    r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:[01][0-9]|2[0-3])(?:[0-5][0-9]){1,2}"
)
_DATE = re.compile(
    r"(?:(?:1[0-9]|20)[0-9]{2}[.\-/ ](?:0?[1-9]|1[0-2])[.\-/ ](?:0?[1-9]|[12][0-9]|3[01])|(?:0?[1-9]|[12][0-9]|"
    r"3[01])[.\-/ ](?:0?[1-9]|[12][0-9]|3[01])[.\-/ ](?:1[0-9]|20)[0-9]{2})(?![0-9])"
)
_YEARS = re.compile(r"(?:1[5-9]|20)[0-9]{2}(?:[ \-](?:1[5-9]|20)[0-9]{2})+")
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def cards(text: str) -> Iterator[PersonalSpan]:
    """Yield bank cards (12 to 19 digits whose last is right by Luhn, or four by four)."""
    for match in _FOURS.finditer(text):
        yield PersonalSpan(match.start(), match.end(), "NUMBER")
    for match in _CARD.finditer(text):
        groups = re.findall(r"[0-9]+", match[0])
        digits = "".join(groups)
        by_four = len(digits) >= 16 and len(groups) >= 4 and all(len(group) == 4 for group in groups[:-1])
        if not by_four and not (digits[0] in "23456" and len(digits) >= 13 and _luhn(digits) and _is_grouped(groups)):
            continue
        if (
            _is_no_identifier(text, match.start(), match.end())
            or _YEARS.fullmatch(match[0])
            or _STAMP.fullmatch(digits)
        ):
            continue
        yield PersonalSpan(match.start(), match.end(), "CARD")


def accounts(text: str) -> Iterator[PersonalSpan]:
    """Yield international bank account numbers (IBAN) by their checksum, or behind that word."""
    for match in _IBAN.finditer(text):
        value = re.sub(r"[ \-]", "", match[0]).upper()
        if _mod97(value) or (
            any(map(str.isdigit, value[4:])) and _IBAN_LABEL.search(text[max(0, match.start() - 30) : match.start()])
        ):
            yield PersonalSpan(match.start(), match.end(), "ACCOUNT")


def _is_grouped(groups: list[str]) -> bool:
    """Tell whether digits stand as on a card, not as a list of numbers."""
    return len(groups) == 1 or all(len(group) >= 4 for group in groups[:-1]) or all(len(group) == 1 for group in groups)


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) << (place & 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0 and len(set(digits)) > 1


def _mod97(value: str) -> bool:
    if not 15 <= len(value) <= 34:
        return False
    turned = value[4:] + value[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97 == 1


def identities(text: str) -> Iterator[PersonalSpan]:
    """Yield numbers of identity cards and passports: Chinese ones by their checksum or date, others by form."""
    for pattern in (_CHINESE_ID, _OLD_ID):
        for match in pattern.finditer(text):
            yield PersonalSpan(match.start(), match.end(), "IDENTITY")
    for match in _LOOSE_ID.finditer(text):
        digits = re.sub(r"[^0-9Xx]", "", match[0])
        if _is_checked(digits):
            yield PersonalSpan(match.start(), match.end(), "IDENTITY")
    for match in _WESTERN_IDS.finditer(text):
        if not _is_no_identifier(text, match.start(), match.end()) and not _YEARS.match(match[0]):
            yield PersonalSpan(match.start(), match.end(), "IDENTITY")


def _is_checked(digits: str) -> bool:
    total = sum(int(digit) * weight for digit, weight in zip(digits, _WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == digits[-1].upper()


def phones(text: str) -> Iterator[PersonalSpan]:
    """Yield telephone numbers: mobiles and lines of China and elsewhere, with or without the country's prefix."""
    for pattern in (_ABROAD, _MOBILE, _CHINESE_LINE, _AMERICAN, _NATIONAL, _555, _SHORT):
        for match in pattern.finditer(text):
            if _is_phone(text, match, pattern):
                yield PersonalSpan(match.start(), match.end(), "PHONE")


def _is_phone(text: str, match: re.Match[str], pattern: re.Pattern[str]) -> bool:
    found = match[0].strip()
    if _DATE.match(found) or _YEARS.fullmatch(found) or _is_no_identifier(text, match.start(), match.end()):
        return False
    groups = re.findall(r"[0-9]+", found)
    digits = "".join(groups)
    if pattern is _MOBILE:
        groups = groups[1:] if groups[0] in {"86", "0086"} else groups
        return len(groups[0]) >= 3 or all(len(group) == 1 for group in groups)
    if pattern is _NATIONAL and not 9 <= len(digits) <= 12:
        return False
    if pattern is _SHORT and (
        _DAY.fullmatch(digits) or not _PHONE_LABEL.search(text[max(0, match.start() - 36) : match.start()])
    ):
        return False
    if set(digits[3:]) == {"0"} or (_DOTTED.fullmatch(found) and not _BY_TWO.fullmatch(found)):
        return False
    return (
        not _EVERYBODYS.match(found) or _OWN_LABEL.search(text[max(0, match.start() - 24) : match.start()]) is not None
    )


def plates(text: str, *, has_han: bool) -> Iterator[PersonalSpan]:
    """Yield licence plates of China, and those of Europe and America whose form says enough."""
    for match in _CHINESE_PLATE.finditer(text) if has_han else ():
        yield PersonalSpan(match.start(), match.end(), "PLATE")
    for match in _PLATE.finditer(text):
        if not _is_no_identifier(text, match.start(), match.end()) and not _PUBLIC_PREFIX.match(match[0]):
            yield PersonalSpan(match.start(), match.end(), "PLATE")


def long_numbers(text: str) -> Iterator[PersonalSpan]:
    """Yield other numbers that are too long to count anything: of orders, parcels, accounts, devices."""
    for match in _LONG.finditer(text):
        if (
            not _is_no_identifier(text, match.start(), match.end())
            and not _STAMP.fullmatch(match[0])
            and not _EVERYBODYS.fullmatch(match[0])
        ):
            yield PersonalSpan(match.start(), match.end(), "NUMBER")
    for match in _DASHED.finditer(text):
        groups = match[0].split("-")
        size = sum(map(len, groups))
        if (
            size < 10
            or (len(groups) == 2 and max(map(len, groups)) < 7)
            or _YEARS.fullmatch(match[0])
            or _DATE.match(match[0])
        ):
            continue
        if (
            match[0].startswith(("978-", "979-"))
            or _EVERYBODYS.fullmatch(match[0])
            or _is_no_identifier(text, match.start(), match.end())
        ):
            continue
        yield PersonalSpan(match.start(), match.end(), "NUMBER")
    for match in _MIXED.finditer(text):
        digits = sum(map(str.isdigit, match[0]))
        public = _PUBLIC_PREFIX.match(match[0]) or _DATE.search(match[0])
        if (
            7 <= digits < len(match[0].replace("-", ""))
            and not public
            and not _is_no_identifier(text, match.start(), match.end())
        ):
            yield PersonalSpan(match.start(), match.end(), "NUMBER")


def numbers_said(text: str) -> Iterator[PersonalSpan]:
    """Yield numbers said digit by digit in English; counting up is none."""
    for match in _SAID.finditer(text):
        said = re.sub(r"[^a-z]+", " ", match[0].lower()).strip()
        if said not in "zero one two three four five six seven eight nine":
            yield PersonalSpan(match.start(), match.end(), "PHONE")


def _is_no_identifier(text: str, start: int, end: int) -> bool:
    """Tell whether what stands around a number says that it counts, costs or names something public."""
    left, right = text[max(0, start - 24) : start], text[end : end + 16]
    if _MONEY.search(left) or _UNIT.match(right) or _PUBLIC_LABEL.search(left):
        return True
    return left.rstrip(" ")[-1:] in tuple("*×÷^=") or right.lstrip(" ")[:1] in tuple("*×÷^")
