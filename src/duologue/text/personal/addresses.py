"""Postal addresses by their form: street with number, flat, postcode, coordinates."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.text.personal.spans import PersonalSpan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

_STREET = (
    r"(?:street|str|st|avenue|ave|av|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|place|pl|square|sq|terrace|ter|"
    r"crescent|cres|"
    r"highway|hwy|parkway|pkwy|circle|cir|trail|trl|gardens|grove|mews|way|close|row|quay|walk|hill|plaza|alley|loop)"
)
_TOWN = r"(?:[A-Z][A-Za-z.'\-]{1,20}[ ]?){1,3}"
"""In small letters it is one only where a number follows."""
_ENGLISH = re.compile(
    r"(?<![A-Za-z0-9$£€.,:/\-])(?:(?:flat|apt|apartment|unit|suite|room|floor)\.?[ ]?[0-9A-Za-z]{1,5},?[ ])?"
    rf"[0-9]{{1,5}}[A-Za-z]?(?:[ \-/][0-9]{{1,4}})?,?[ ](?:[NSEW]\.?[ ])?(?:(?!(?:and|or|to|the|of|in|is|my|"
    rf"way)[ ])[A-Za-z0-9'.\-]{{1,20}}[ ]){{1,4}}?{_STREET}(?![A-Za-z])\.?(?:[ ][NSEW]{{1,2}}(?![A-Za-z]))?"
    r"(?:,?[ ](?:flat|apt|apartment|unit|suite|ste|floor|fl|room|#)\.?[ ]?#?[0-9A-Za-z\-]{1,6}(?![0-9A-Za-z]))?"
    rf"(?:,?[ \n](?:(?-i:{_TOWN})(?=,|[ ][0-9A-Za-z]|[.!?]?$)|{_TOWN}(?=,?[ ](?:[A-Z]{{2}},?[ ])?[A-Z]{{0,2}}[0-9])))?"
    r"(?:,?[ \n](?:(?-i:[A-Z]{2})(?![A-Za-z])|[A-Z]{2}(?=,?[ \n][0-9]{5})))?"
    r"(?:,?[ \n](?:[0-9]{5}(?:-[0-9]{4})?|[A-Z]{1,2}[0-9][A-Z0-9]?[ ]?[0-9][A-Z]{2}))?(?![0-9])",
    re.IGNORECASE,
)
_STREETS = frozenset(re.findall(r"[a-z]+", _STREET))
_ABROAD = frozenset("rue avenue boulevard place chemin quai impasse calle avenida via viale piazza rua".split())
_ENDINGS = (
    "straße",
    "strasse",
    "str.",
    "weg",
    "platz",
    "allee",
    "gasse",
    "ufer",
    "damm",
    "straat",
    "laan",
    "gatan",
    "vej",
)
_FLAT = re.compile(r"(?:flat|apt|apartment|unit|suite|room|floor)\.? ?[0-9A-Za-z]{1,5},? ", re.IGNORECASE)
_NO_STREET = re.compile(
    r"[0-9]+(?:st|nd|rd|th)?[ ](?:minutes?|hours?|days?|weeks?|months?|years?|people|items?|times?|dollars?|miles?|"
    r"km|am|pm|blocks?|stops?|more|other|different|of|a|an|by|per|for|apartments?|houses?|stores?|shops?|cars?)[ ]",
    re.IGNORECASE,
)
_ENDS_AS_WORD = re.compile(
    r"(?:way|close|row|walk|hill|drive|court|place|square|circle|loop|trail|dr|st)\.?$", re.IGNORECASE
)
_BOX = re.compile(r"(?<![A-Za-z])(?:p\.?[ ]?o\.?[ ]?box|postbox|postfach)[ ]?[0-9]{1,7}(?![0-9])", re.IGNORECASE)
_CONTINENTAL = re.compile(
    r"(?<![A-Za-z])[A-ZÄÖÜ][a-zäöüß\-]{2,25}(?:straße|strasse|str\.|weg|platz|allee|gasse|ufer|damm|straat|laan|"
    r"gatan|vej)[ ][0-9]{1,4}[a-z]?(?:,?[ ][0-9]{4,5}[ ][A-ZÄÖÜ][a-zäöüß]{2,20})?"
    r"|(?<![0-9])[0-9]{1,4}(?:[ ]bis)?,?[ ](?:rue|avenue|boulevard|place|chemin|allée|impasse|quai)[ ](?:(?:de|du|"
    r"des|la|le|les|d'|l')[ ]?){0,2}[A-ZÀ-Ý][\w'\-]{1,25}(?:[ ][A-ZÀ-Ý][\w'\-]{1,25}){0,2}(?:,?[ ][0-9]{5}[ ][A-ZÀ-Ý]"
    r"[\w\-]{2,20})?"
    r"|(?<![A-Za-z])(?:calle|avenida|via|viale|piazza|rua)[ ](?:(?:de|del|la|las|los|di|da|do|"
    r"dos)[ ]){0,2}[A-ZÀ-Ý][\w'\-]{1,25}(?:[ ][A-ZÀ-Ý][\w'\-]{1,25}){0,2},?[ ](?:n[º°.]?[ ]?)?[0-9]{1,4}",
)
_POSTCODE = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]{1,2}[0-9][A-Z0-9]?[ ][0-9][ABD-HJLNP-UW-Z]{2}|"
    r"[ABCEGHJ-NPRSTVXY][0-9][ABCEGHJ-NPRSTV-Z][ ]?[0-9][ABCEGHJ-NPRSTV-Z][0-9])(?![A-Za-z0-9])"
)
_ZIP = re.compile(
    r"(?:(?<![A-Za-z])(?:zip(?:[ ]?code)?|post ?code|postal code)(?:[ ]?(?:is|:|=)){0,2}|邮编(?:是|为|[:：])?|邮政编码(?:是|为|"
    r"[:：])?)[ ]?(?P<value>[0-9]{5,6}(?:-[0-9]{4})?)(?![0-9])",
    re.IGNORECASE,
)
_PLACE = re.compile(r"(?<![0-9.])-?[0-9]{1,3}\.[0-9]{4,9}°?[NSns]?,[ ]?-?[0-9]{1,3}\.[0-9]{4,9}°?[EWew]?(?![0-9])")

_HAN = r"\u4e00-\u9fff"
_NUMBER = r"[0-9一二三四五六七八九十百甲乙丙A-Za-z\-]{1,8}"
_ADMIN = r"(?:省|自治区|特别行政区|市|自治州|州|盟|区|县|旗|镇|乡|街道|新区|开发区)"
_ANCHOR = re.compile(
    rf"(?:(?:大道|大街|路|街|道|巷|弄|胡同|里|村|屯|组|段)(?:[东西南北中]?[一二三四五六七八九十]?段)?[ ]?{_NUMBER}(?:号院?|弄|组|栋|幢|座)"
    rf"|(?:小区|花园|公寓|大厦|广场|家园|苑|城|府|园|庭|湾|里|村|新村|宿舍|大楼|中心|校区|宿舍楼){_NUMBER}(?:号楼|栋|幢|座|单元|号|期)"
    rf"|{_NUMBER}(?:号楼|栋|幢|座){_NUMBER}(?:单元|室|号|层|楼)|{_NUMBER}单元{_NUMBER}(?:室|号|房))"
    rf"(?:[ ,，]?(?:[{_HAN}A-Za-z]{{2,10}}(?:小区|花园|公寓|大厦|广场|家园|苑|城|府|园|庭|湾|新村|宿舍|大楼|中心))?(?:[ ]?{_NUMBER}(?:号楼|号院|栋|幢|"
    rf"座|单元|层|楼|室|号|房|户|弄|F|期)){{0,5}}(?:[0-9]{{3,4}})?)?"
)
_ANNOUNCED = re.compile(
    rf"(?:地址|住址)[ ]?(?:就是|是|为|:|：|在)[ ]?(?P<value>[{_HAN}A-Za-z0-9][{_HAN}A-Za-z0-9·#()（） \-]{{5,60}})"
)
"""What a label says is an address: one where two districts stand in it, or one and a number."""
_HOUSE = re.compile(r"[0-9一二三四五六七八九十甲乙丙A-Z][号弄栋幢座室单组楼期]")
_LEFT = re.compile(rf"[{_HAN}A-Za-z0-9·\-]{{1,40}}$")
_STARTS = (
    "地址", "住址", "住在", "家住", "寄到", "寄往", "送到", "送往", "发到", "发往", "位于", "搬到", "搬去", "改成", "改为", "换成", "收货",
    "就在", "来到", "去", "到", "在", "是", "为", "住", "寄", "从", "往", "给", "我家", "我",
)  # fmt: skip


def addresses(text: str, words: AbstractSet[str], *, digits: int, has_han: bool) -> Iterator[PersonalSpan]:
    """Yield addresses in the forms of English, other European languages and Chinese.

    `words` are those of the text in small letters, `digits` how many it has, `has_han` whether any sign is Chinese.
    """
    if digits:
        if not words.isdisjoint(_STREETS):
            yield from _english(text)
        for pattern in _patterns(text, words, digits=digits, has_han=has_han):
            for match in pattern.finditer(text):
                group = "value" if pattern is _ZIP else 0
                yield PersonalSpan(match.start(group), match.end(group), "ADDRESS")
    if has_han and _HOUSE.search(text):
        yield from _chinese(text)
    if has_han and "址" in text:
        yield from _announced(text)


def _patterns(text: str, words: AbstractSet[str], *, digits: int, has_han: bool) -> Iterator[re.Pattern[str]]:
    """Yield the patterns that may find something."""
    if not words.isdisjoint(_ABROAD) or any(ending in text for ending in _ENDINGS):
        yield _CONTINENTAL
    if not words.isdisjoint(("box", "postbox", "postfach")):
        yield _BOX
    if digits >= 2:
        yield _POSTCODE
    if has_han or not words.isdisjoint(("zip", "zipcode", "postcode", "postal", "post")):
        yield _ZIP
    if digits >= 10:
        yield _PLACE


def _english(text: str) -> Iterator[PersonalSpan]:
    for match in _ENGLISH.finditer(text):
        if not _NO_STREET.match(match[0]) and _is_street(match[0]):
            yield PersonalSpan(match.start(), match.end(), "ADDRESS")


def _chinese(text: str) -> Iterator[PersonalSpan]:
    for match in _ANCHOR.finditer(text):
        if not (match[0].endswith("号") and text[match.end() : match.end() + 1] in tuple("线楼文")):
            yield PersonalSpan(_start(text, match.start()), match.end(), "ADDRESS")


def _announced(text: str) -> Iterator[PersonalSpan]:
    for match in _ANNOUNCED.finditer(text):
        districts = len(re.findall(_ADMIN, match["value"]))
        if districts >= 2 or (districts and any(map(str.isdigit, match["value"]))):
            yield PersonalSpan(match.start("value"), match.end("value"), "ADDRESS")


def _is_street(found: str) -> bool:
    """Tell whether a number, words and a word for a street name one: that word may be an ordinary one."""
    head = _FLAT.sub("", found).split(",", maxsplit=1)[0]
    words = head.split()
    proper = sum(word[:1].isupper() for word in words[1:])
    if _ENDS_AS_WORD.search(head):
        return proper >= 2 or proper == len(words) - 1 >= 1
    return len(words) >= 3


def _start(text: str, at: int) -> int:
    """Return where a Chinese address that a street or a house belongs to begins."""
    left = _LEFT.search(text[max(0, at - 40) : at])
    if left is None:
        return at
    run = left[0]
    begin = at - len(run)
    cut = 0
    for start in _STARTS:
        place = run.rfind(start)
        rest = run[place + len(start) :]
        if place >= 0 and len(rest) >= 1 and not (len(start) == 1 and re.match(r"[区市县路街门口]", rest)):
            cut = max(cut, place + len(start))
    run = run[cut:]
    if not re.search(_ADMIN, run) and len(run) > 8:
        cut += len(run) - 8
    return begin + cut
