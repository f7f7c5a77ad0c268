"""Names of people, by label, title, greeting or list of names."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from duologue.text.personal.gazetteer import (
    CHINESE_DOUBLE_SURNAMES,
    CHINESE_SURNAMES,
    CHINESE_SURNAMES_ALSO_WORDS,
    GIVEN,
    GIVEN_ALSO_WORDS,
    NO_GIVEN,
    SURNAMES,
    WORDS_WITH_SURNAMES,
)
from duologue.text.personal.spans import PersonalSpan
from duologue.text.personal.transcribed import transcribed, transcribed_size

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_NAME = r"[A-Z\u00c0-\u00de]'?[A-Z\u00c0-\u00de]?[a-z\u00df-\u024f]{1,20}(?:(?:['\-][A-Z\u00c0-\u00de]?|[A-Z\u00c0-\u00de])[a-z\u00df-\u024f]{1,20}){0,2}"
_CAPITAL = re.compile(rf"(?<![A-Za-z0-9@#_\u00c0-\u024f'\-]){_NAME}(?![A-Za-z0-9_\u00c0-\u024f])")
_RUN = re.compile(rf"(?:[ ](?:{_NAME}|[A-Z]\.?|de|la|van|von|der|bin|al|da|dos|del|di|O')(?![A-Za-z0-9])){{0,3}}")
_ANY_NAME = r"[A-Za-z\u00c0-\u024f][A-Za-z\u00c0-\u024f'\-]{1,20}"
_TOLD = re.compile(
    r"(?:(?<![A-Za-z])(?:my|his|her|their|the|full|first|last|customer|account holder|recipient|passenger|"
    r"contact)(?:'s)?[ ](?:full[ ]|first[ ]|last[ ]|middle[ ]|maiden[ ]|sur)?name(?:'s|[ ]is|[ ]was|:|[ ]-)|"
    r"(?<![A-Za-z])(?:full |first |last |sur)?name[ ]?[:=]|(?<![A-Za-z])i(?:'m| am) called|(?<![A-Za-z])(?:they|"
    r"you can|please|people|friends) call me)"
    rf"[ ]{{1,2}}(?:(?:mr|mrs|ms|miss|dr)\.?[ ])?(?P<name>{_ANY_NAME}(?:[ ]{_ANY_NAME}){{0,3}})",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"(?<![A-Za-z])(?:(?:[Mm]r|[Mm]rs|[Mm]s|[Mm]x|[Dd]r|[Pp]rof|MR|MRS|MS|DR)\.?|[Mm]iss|[Mm]ister|[Mm]adam|"
    r"[Pp]rofessor|[Dd]octor|[Ss]ir|[Aa]gent|[Oo]fficer|[Cc]aptain|Herr|Frau|Monsieur|Madame|"
    rf"Señora?)[ ](?P<name>(?:(?:van|von|de|di|da|el|al|la)[ ]){{0,2}}{_NAME}(?:[ ](?:{_NAME}|[A-Z]\.)){{0,2}})"
)
_LABEL = re.compile(
    r"(?:(?<![A-Za-z])(?:[Ii]'m|[Ii] am|I'M|[Tt]his is|[Ii]t's|[Hh]i|[Hh]ello|[Hh]ey|[Dd]ear|[Tt]hanks,?|"
    r"[Tt]hank you,?|[Cc]heers,?|[Rr]egards,?|[Ss]incerely,?|[Ll]ove,?|[Bb]est(?: wishes)?,?|[Yy]ours,?|"
    r"[Ss]poke (?:to|with)|[Ss]peak(?:ing)? (?:to|with)|[Tt]alk(?:ed|ing)? (?:to|with)|[Cc]alled|[Nn]amed|"
    r"[Ss]igned,?|[Hh]elped by|[Aa]ssisted by|[Ss]erved by|[Aa]ttn:?|[Cc]/o|[Aa]sk for|[Ff]rom|[Ff]or|[Bb]y|[Tt]o|"
    r"[Aa]nd|[Ww]ith|[Hh]usband|[Ww]ife|[Ss]on|[Dd]aughter|[Mm]other|[Ff]ather|[Mm]om|[Mm]um|[Dd]ad|[Bb]rother|"
    r"[Ss]ister|[Ff]riend|[Bb]oss|[Cc]olleague|[Nn]eighbou?r|[Mm]anager|[Dd]river|[Aa]gent)|(?:^|"
    rf"\n)[ ]?[\^~-])[ \n]{{1,2}}(?P<name>{_NAME}(?:[ ]{_NAME}){{0,2}})"
)
LISTED = GIVEN | GIVEN_ALSO_WORDS | SURNAMES
"""In small letters: without one of them in capitals `listed` finds nothing."""
LABELS = frozenset(
    "name surname names called call mr mrs ms mx dr prof miss mister madam professor doctor sir regards sincerely wishes yours agent officer captain herr frau monsieur madame senor".split()
)
"""Without one of these words `told` finds nothing."""
_PARTICLES = frozenset(("van", "von", "de", "der", "den", "di", "da", "del", "la", "bin", "al"))
_SIGNED = re.compile(
    rf"(?:[Rr]egards|[Ss]incerely|[Bb]est [Ww]ishes|[Yy]ours truly|[Yy]ours)[,.]?[ \n]{{1,3}}(?P<name>{_NAME}(?:[ ]{_NAME}){{0,2}})[ .!\n]{{0,3}}$"
)
_NO_WORDS = frozenset(
    "a an the and not so very just really from here there still also sorry sure glad happy trying having going in at "
    "on it is was with using waiting looking "
    "customer service support team everyone all guys there sir madam folks again today tomorrow monday tuesday "
    "wednesday thursday friday saturday sunday "
    "january february march april may june july august september october november december please thanks thank you "
    "your my our we i he she they "
    "amazon apple google microsoft twitter facebook english chinese american british spanish french german christmas easter".split()
)
_NAMED = r"的?(?:姓名|名字)?(?:是|为|叫)?[ ]?[:：]?[ ]?"
_CALLED = re.compile(
    r"(?:我(?:的名字)?(?:就)?叫(?:做)?|我是|我姓|本人|这是|这里是|名字(?:是|叫|：|:)|姓名(?:是|为)?[ ]?[:：]?[ ]?|叫我|"
    rf"(?:收件人|收货人|联系人|寄件人|户主|户名|机主|持卡人|乘客|申请人|开户名){_NAMED}|客户(?:是|名)?[ ]?[:：][ ]?|"
    r"(?:同事|朋友|老公|老婆|丈夫|妻子|儿子|女儿|父亲|母亲|爸爸|妈妈)(?:的?名字)?(?:是|叫)?|"
    r"先生是|太太是|客服|工号[0-9]{1,6}的?|转告|告诉|联系|找|请|给|和|跟|由|"
    r"叫)(?P<name>[\u4e00-\u9fff]{2,4}(?:·[\u4e00-\u9fff]{1,8})?)"
)
_SURE = (
    "名字",
    "姓名",
    "收件人",
    "收货人",
    "联系人",
    "寄件人",
    "户主",
    "户名",
    "机主",
    "持卡人",
    "乘客",
    "申请人",
    "开户名",
    "我叫",
    "我姓",
    "叫我",
    "客户:",
    "客户：",
    "我的名字",
)
_TITLE_WORDS = (
    "先生", "女士", "小姐", "太太", "老师", "经理", "师傅", "医生", "大夫", "教授", "主任", "同学", "总监", "律师", "阿姨",
    "叔叔", "大爷", "警官", "护士",
)  # fmt: skip
_TITLES = re.compile(rf"(?P<name>[\u4e00-\u9fff]{{1,3}})(?={'|'.join(_TITLE_WORDS)})")
_SELF = re.compile(r"(?P<name>[\u4e00-\u9fff]{2,4})(?=本人)")
_YOUNG = re.compile(
    r"(?<![\u4e00-\u9fff大老小])(?P<name>[小老][\u4e00-\u9fff])(?=[，。！？,!? ]|$|说|告诉|让|接|给|帮)"
)
_INTRODUCED = re.compile(
    r"(?:我是|我叫|这里是|客服(?:代表|专员|人员)?|坐席|座席|话务员|接线员|代表|专员|员工|值班|工号[0-9零幺一二两三四五六七八九]{1,8}号?的?)"
    r"(?P<name>[小老][\u4e00-\u9fff])(?=[^\u4e00-\u9fff]|$|为|很|请|您|竭|在|的|呢|啊|哦|工号|帮|给|来|有)"
)
_SURNAMED = re.compile(r"(?:免贵姓|我(?:就)?姓|本人姓)[ ]?(?P<name>[\u4e00-\u9fff]{1,2})")
_SERVES = re.compile(r"(?<![大最减缩从])(?P<name>[小阿][\u4e00-\u9fff])(?=(?:很高兴|竭诚|将|来)?为[您你]服务)")
_SMALL_THINGS = "组区店站编妹哥弟时"
"""What 小 may stand before that serves people, and is no name."""
_BROKEN = re.compile(r"(?<=[\u4e00-\u9fff])[_ ]{1,3}(?=[\u4e00-\u9fff])")
_WESTERN = re.compile(r"[\u4e00-\u9fff]{1,6}·[\u4e00-\u9fff]{1,8}(?:·[\u4e00-\u9fff]{1,8})?")


def known_names(text: str, known: Collection[str]) -> Iterator[PersonalSpan]:
    """Yield the names of those who take part, wherever they stand as words of their own."""
    for name in known:
        at = text.find(name) if len(name) > 1 else -1
        while at >= 0:
            if _is_whole(text, at, at + len(name)):
                yield PersonalSpan(at, at + len(name), "NAME")
            at = text.find(name, at + len(name))


def names_in(display: str) -> list[str]:
    """Return what of a person's display name may stand for them in a text: all of it, and its first word.

    >>> names_in("Jo Smith"), names_in("the best shop"), names_in("王小明")
    (['Jo Smith', 'Jo'], [], ['王小明'])
    """
    words = re.findall(r"[^\W\d_]+(?:['\-][^\W\d_]+)*", display)
    if not words or words[0].lower() in _NO_WORDS or not (words[0][0].isupper() or words[0][0] >= "\u3400"):
        return []
    first = words[0] if len(words[0]) > 1 else ""
    return list(dict.fromkeys(name for name in (" ".join(words), first) if len(name) > 1))


def _is_whole(text: str, start: int, end: int) -> bool:
    around = text[max(0, start - 1) : start], text[end : end + 1]
    return not any(sign and sign.isascii() and (sign.isalnum() or sign in "_@") for sign in around)


def told(text: str) -> Iterator[PersonalSpan]:
    """Yield names that a title or words such as `my name is` announce, on a list or not."""
    for match in _TOLD.finditer(text):
        words = _taken(match["name"])
        if words:
            yield PersonalSpan(match.start("name"), match.start("name") + len(words), "NAME")
    for pattern in (_TITLE, _SIGNED):
        yield from _unlisted(text, pattern)


def _unlisted(text: str, pattern: re.Pattern[str]) -> Iterator[PersonalSpan]:
    for match in pattern.finditer(text):
        if match["name"].split()[0].lower() not in _NO_WORDS:
            yield PersonalSpan(match.start("name"), match.end("name"), "NAME")


def listed(text: str) -> Iterator[PersonalSpan]:
    """Yield names whose first one is on the list, those that are words too only behind a greeting or a label."""
    for match in _CAPITAL.finditer(text):
        if match[0].lower().removesuffix("'s") not in GIVEN:
            continue
        run = _RUN.match(text, match.end())
        end = run.end() if run is not None else match.end()
        yield PersonalSpan(match.start(), end if match[0][-2:] != "'s" else match.end() - 2, "NAME")
    for match in _LABEL.finditer(text):
        words = match["name"].split(" ")
        first = words[0].lower()
        surnamed = len(words) > 1 and words[1].lower() in SURNAMES
        if (first in GIVEN_ALSO_WORDS and (surnamed or _names_one(match))) or (surnamed and first not in _NO_WORDS):
            yield PersonalSpan(match.start("name"), match.end("name"), "NAME")


def _names_one(match: re.Match[str]) -> bool:
    """Tell whether a label leaves no doubt that a word which may be something else is a name."""
    label = match[0][: match.start("name") - match.start()].strip().lower().rstrip(",:")
    return label not in {"from", "for", "by", "to", "and", "with", "it's", "called", "love", "best"}


def _taken(said: str) -> str:
    """Return the words of what was called a name that belong to it."""
    kept: list[str] = []
    for word in said.split(" "):
        low = word.lower()
        if kept and low in _PARTICLES:
            kept.append(word)
            continue
        if low in _NO_WORDS or (kept and not (word[:1].isupper() or low in SURNAMES or low in GIVEN)):
            break
        if (
            not kept
            and not word[:1].isupper()
            and low not in GIVEN
            and low not in GIVEN_ALSO_WORDS
            and low not in SURNAMES
        ):
            break
        kept.append(word)
    while kept and kept[-1].lower() in _PARTICLES:
        kept.pop()
    return " ".join(kept)


def chinese(text: str, known: Collection[str] = ()) -> Iterator[PersonalSpan]:
    """Yield Chinese names behind a label or before a title, and transcribed ones; breaks of speech may part them.

    `known` are names of those who take part.
    """
    breaks = [match.span() for match in _BROKEN.finditer(text)]
    if breaks:
        edges = [0, *(edge for one in breaks for edge in one), len(text)]
        pieces = list(zip(edges[::2], edges[1::2], strict=True))
        places = [at for start, end in pieces for at in range(start, end)]
        joined = "".join(text[start:end] for start, end in pieces)
        for span in chain(known_names(joined, known), _unbroken(joined)):
            yield PersonalSpan(places[span.start], places[span.end - 1] + 1, "NAME")
    yield from _unbroken(text)


def _unbroken(text: str) -> Iterator[PersonalSpan]:
    yield from transcribed(text, _TITLE_WORDS)
    yield from _introduced(text)
    for match in _CALLED.finditer(text):
        label = match[0][: match.start("name") - match.start()]
        size = transcribed_size(text, match.start("name"), sure=label.startswith(_SURE))
        size = size or _person(match["name"], sure=label.startswith(_SURE))
        if size and (label.startswith(_SURE) or _ends_there(text, match.start("name") + size)):
            yield PersonalSpan(match.start("name"), match.start("name") + size, "NAME")
    for match in _SURNAMED.finditer(text):
        size = 2 if match["name"] in CHINESE_DOUBLE_SURNAMES else 1
        listed_one = match["name"][0] in CHINESE_SURNAMES or match["name"][0] in CHINESE_SURNAMES_ALSO_WORDS
        if (size == 2 or listed_one) and _ends_there(text, match.start("name") + size):
            yield PersonalSpan(match.start("name"), match.start("name") + size, "NAME")
    yield from _before(text, _TITLES, titled=True)
    yield from _before(text, _SELF, titled=False)
    for match in _YOUNG.finditer(text):
        if match["name"][1] in CHINESE_SURNAMES:
            yield PersonalSpan(match.start(), match.end(), "NAME")
    for match in _WESTERN.finditer(text):
        yield PersonalSpan(match.start(), match.end(), "NAME")


def _introduced(text: str) -> Iterator[PersonalSpan]:
    """Yield what the staff calls itself: 我是小王, 客服小李为您服务."""
    if "小" not in text and "老" not in text and "阿" not in text:
        return
    for match in _INTRODUCED.finditer(text):
        surname = match["name"][1]
        if surname in CHINESE_SURNAMES or surname in CHINESE_SURNAMES_ALSO_WORDS:
            yield PersonalSpan(match.start("name"), match.end("name"), "NAME")
    for match in _SERVES.finditer(text):
        if match["name"][1] not in NO_GIVEN and match["name"][1] not in _SMALL_THINGS:
            yield PersonalSpan(match.start("name"), match.end("name"), "NAME")


def _before(text: str, pattern: re.Pattern[str], *, titled: bool) -> Iterator[PersonalSpan]:
    """Yield names that end where a title or `本人` begins."""
    for match in pattern.finditer(text):
        found = match["name"]
        for at in range(len(found)):
            size = _person(found[at:], sure=titled, titled=titled)
            if size == len(found) - at and not _is_in_word(text, match.start() + at):
                yield PersonalSpan(match.start() + at, match.end(), "NAME")
                break


def _is_in_word(text: str, at: int) -> bool:
    """Tell whether the surname there is one character of a usual word."""
    return text[max(0, at - 1) : at + 1] in WORDS_WITH_SURNAMES or text[at : at + 2] in WORDS_WITH_SURNAMES


def _ends_there(text: str, at: int) -> bool:
    """Tell whether what follows may stand behind a name: an end, a sign, or a usual verb."""
    return (
        at >= len(text)
        or not "\u4e00" <= text[at] <= "\u9fff"
        or text[at] in "的，。说在有和与跟打吗呢去来今昨是给帮联要想就到过也都吧了啊把会被"
    )


def _person(run: str, *, sure: bool, titled: bool = False) -> int:
    """Return how many characters of a run are a name, 0 for none: a surname and one or two characters."""
    if "·" in run:
        return len(run)
    if len(run) > 2 and run[0] == run[1]:  # a stammer
        size = _person(run[1:], sure=sure, titled=titled)
        return size and size + 1
    head = 2 if run[:2] in CHINESE_DOUBLE_SURNAMES else 1
    if head == 1 and run[:1] not in CHINESE_SURNAMES and not (sure and run[:1] in CHINESE_SURNAMES_ALSO_WORDS):
        return 0
    given = 0
    for character in run[head : head + 2]:
        if character in NO_GIVEN:
            break
        given += 1
    if titled:
        return head + given
    return head + given if given else 0
