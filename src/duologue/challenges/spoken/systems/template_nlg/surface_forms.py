"""Surface forms of values of the knowledge graph, and the parts of long ones.

People copy seven values in ten as they stand; the others follow habits: a date loses its zeros or its day, 171cm is
said as 1米71, brackets are dropped, of a list of works the first two are named, of a text a clause or two.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from duologue.core.records import Fact

LONG = 40
"""Values longer than this are texts, of which a reply takes a part."""
WHOLE = "whole"
"""The form of a value as it stands."""

_DATE = re.compile(r"(\d{4})\s*[年\-./]\s*(?:(\d{1,2})\s*(?:[月\-./]\s*(?:(\d{1,2})\s*日?)?)?)?")
_CENTIMETRES = re.compile(r"(\d)(\d\d)\s*(?:cm|厘米|公分|㎝)", re.IGNORECASE)
_METRES = re.compile(r"(\d)[.米](\d\d)\s*(?:m|米)?", re.IGNORECASE)
_KILOGRAMS = re.compile(r"(\d+(?:\.\d+)?)\s*(?:kg|公斤|千克)", re.IGNORECASE)
_MINUTES = re.compile(r"(\d{1,3})[:：'](\d\d)\"?")
_BRACKETS = re.compile(r"(?:(?<!\s)\s++|)[（(【\[][^（）()【】\[\]]*[）)】\]]\s*")
_TITLE = re.compile(r"《[^《》]+》")
_SEPARATORS = re.compile(r"(?:(?<!\s)\s++|)[、，,/；;|]\s*")
_TAIL = "。；;，, \u200e\t\n"
_CLAUSE = re.compile(r"[^，。；！？!?;\n]+[，。；！？!?;\n]*")
_ENDS = "。！？!?\n"
_MAX_CLAUSES = 4
_MAX_CHARACTERS = 70
_MIN_CHARACTERS = 4
_READ = 900  # characters of a text that are cut into parts


def value_text(value: object) -> str:
    """Return a value as text; the members of a tuple are joined by enumeration commas."""
    return "、".join(map(str, value)) if isinstance(value, tuple) else str(value)


def fact_text(fact: Fact) -> str:
    """Return the object of a fact as text."""
    return value_text(fact.object)


@lru_cache(maxsize=20_000)
def surface_forms_of(text: str) -> Mapping[str, str]:
    """Return the surface forms of a value by name, `whole` first; each text once.

    >>> surface_forms_of("1946年01月05日")["year"], surface_forms_of("171cm")["metres"]
    ('1946年', '1米71')
    >>> surface_forms_of("《甲》，《乙》等")["items"]
    '《甲》、《乙》'
    """
    whole = text.strip().rstrip(_TAIL) or text
    found = {WHOLE: whole}
    for name, form in _made(text, whole):
        if form and form not in found.values():
            found[name] = form
    return found


def _made(text: str, whole: str) -> Iterator[tuple[str, str]]:
    if len(whole) < LONG:
        yield from _dates(whole)
        yield from _measures(whole)
        yield "unbracketed", _BRACKETS.sub("", whole).strip(_TAIL)
        if "《" not in whole and not whole[:1].isdigit():
            yield "titled", f"《{whole}》"
        elif len(_TITLE.findall(whole)) == 1:
            yield "untitled", whole.replace("《", "").replace("》", "")
    items = items_of(text)
    if len(items) > 1:
        yield "items", "、".join(items)
        for count in range(1, min(len(items), 4)):
            yield f"{count} items" if count > 1 else "1 item", "、".join(items[:count])


def _dates(text: str) -> Iterator[tuple[str, str]]:
    match = _DATE.match(text)
    if match is None:
        return
    year, month, day = match[1], match[2], match[3]
    if month and day:
        yield "date", f"{year}年{int(month)}月{int(day)}日"
        yield "full date", f"{year}年{int(month):02}月{int(day):02}日"
        yield "day", f"{int(month)}月{int(day)}日"
    if month:
        yield "month", f"{year}年{int(month)}月"
    yield "year", f"{year}年"
    yield "short year", f"{year[2:]}年"


def _measures(text: str) -> Iterator[tuple[str, str]]:
    match = _CENTIMETRES.match(text) or _METRES.match(text)
    if match is not None:
        metres, rest = match[1], match[2]
        yield "metres", f"{metres}米{rest}"
        yield "centimetres", f"{metres}{rest}cm"
        yield "centimetres in words", f"{metres}{rest}厘米"
    match = _KILOGRAMS.match(text)
    if match is not None:
        yield "kilograms in words", f"{match[1]}公斤"
        yield "kilograms", f"{match[1]}kg"
    match = _MINUTES.fullmatch(text)
    if match is not None:
        yield "minutes", f"{int(match[1])}分{match[2]}秒"


def items_of(text: str) -> list[str]:
    """Return the members of a value that is a list: titles in 《》, or parts between separators; else nothing."""
    titles = _TITLE.findall(text)
    if len(titles) > 1:
        return titles
    if len(text) > 4 * LONG or any(sign in text for sign in "。！？:："):
        return []
    parts = [part.removesuffix("等").strip() for part in _SEPARATORS.split(text.strip(_TAIL))]
    parts = [part for part in parts if part]
    return parts if len(parts) > 1 and max(map(len, parts)) <= LONG // 2 else []


class Fragment(NamedTuple):
    """A run of clauses of a long value."""

    text: str
    """Without the mark at its end."""
    first: int
    """Number of its first clause in the value."""
    clauses: int
    opens: bool
    """Whether a sentence begins with it."""
    closes: bool
    """Whether a sentence ends with it."""
    start: int
    """Characters before it."""


@lru_cache(maxsize=2_000)
def fragments_of(text: str) -> tuple[Fragment, ...]:
    """Return the runs of up to four clauses of a text, of up to seventy characters; a longer clause stands alone."""
    clauses = [match for match in _CLAUSE.finditer(text[:_READ].replace("::;", "\n")) if match[0].strip()]
    found = []
    for first, begin in enumerate(clauses):
        opens = first == 0 or clauses[first - 1][0][-1:] in _ENDS
        for last in range(first, min(len(clauses), first + _MAX_CLAUSES)):
            end = clauses[last]
            part = text[begin.start() : end.end()]
            if last > first and len(part) > _MAX_CHARACTERS:
                break
            said = part.strip().rstrip("，；;、。 \n#").lstrip("# ")
            if len(said) >= _MIN_CHARACTERS:
                closes = last + 1 == len(clauses) or end[0][-1:] in _ENDS
                found.append(Fragment(said, first, last - first + 1, opens, closes, begin.start()))
            if last > first and clauses[last][0][-1:] in _ENDS and last - first >= 2:
                break
    return tuple(found)
