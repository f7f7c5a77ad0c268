"""Knowledge from outside the calls as files (`--kb`): a catalogue of products, documents, or a folder of both.

A catalogue is a JSON list of products, that of the generator or one with the challenge's slots as fields. Documents are
JSON lines with `text` and perhaps `title`, or paragraphs of plain text or Markdown, each about one product or rule:
what it is about says the heading above, a short first line of its own, or the words that it begins with.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.ontology import (
    CALL_AREA,
    DATA_AREA,
    DURATION,
    ENTITY_TYPES,
    FEE,
    MINUTES,
    SERVICE_SLOTS,
    VOLUME,
)
from duologue.challenges.mobilecs.schema.spoken_numbers import DIGITS, spoken
from duologue.core.decoded import is_text, shown
from duologue.core.disk import Source
from duologue.core.disk import read_json as read_json_file
from duologue.core.errors import FormatError
from duologue.core.folder_files import all_files
from duologue.core.lines import Lines
from duologue.core.problems import ProblemCollector
from duologue.core.records import Fact, Problem
from duologue.core.text_rows import text_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Read = Iterator[Fact | Problem]

PASSAGE = "passage"
"""Relation of a passage of a document: its subject is what it is about, its object its text."""
NAME, TYPE = "name", "type"
_SUFFIXES = (".json", ".jsonl", ".md", ".txt")
_LONGEST_TITLE = 24
_SHOWN = 5
"""Fields of a wrong row that are told."""
_LARGEST = 100_000
"""Amounts below this are read out."""
_BEGINNING = re.compile(
    r"(?P<name>.{2,24}?)(?=[：:，,。；;、\s]|是|为|每|的|含|包含|包括|月费|月租|资费|收费|费用|价格)"
)
_NO_TITLE = re.compile(r"[：:，,。；;！!？?]")
_MARKUP = re.compile(r"^\s*(?:[-*+>]\s+|\d+[.、]\s*)|\*\*|[《》“”「」]")


def _yuan(fee: int) -> str:
    return f"{spoken(fee)}块钱" if fee else "免费"


def _megabytes(volume: int) -> str:
    return f"{spoken(volume // 1024)}个G" if volume % 1024 == 0 else f"{spoken(volume)}兆"


def _price(fen: int) -> str:
    jiao, rest = divmod(fen, 10)
    yuan = f"{spoken(jiao // 10)}块" if jiao >= 10 else ""
    return f"{yuan}{spoken(jiao % 10)}毛{DIGITS[rest] if rest else ''}"


def _duration(months: int) -> str:
    if months < 0:
        return f"{spoken(-months)}天"
    return f"{spoken(months // 12)}年" if months % 12 == 0 else f"{spoken(months)}个月"


_AMOUNTS: dict[str, tuple[tuple[str, ...], Callable[[int], str]]] = {
    "fee": ((FEE,), _yuan),
    "volume": ((VOLUME,), _megabytes),
    "minutes": ((MINUTES,), lambda count: f"{spoken(count)}分钟"),
    "call_rate": (("国内主叫", "套餐外通话计费"), lambda fen: f"一分钟{_price(fen)}"),
    "data_rate": (("套餐外流量计费",), lambda fen: f"一兆{_price(fen)}"),
    "duration": ((DURATION,), _duration),
}
"""Fields of the generator's catalogue that are amounts, with their slots and how they are said."""
_TEXTS = {
    "area": DATA_AREA,
    "call_area": CALL_AREA,
    "channel": "办理渠道",
    "parent": "隶属业务",
    "excludes": "互斥业务",
    **{slot: slot for slot in SERVICE_SLOTS},
}
"""Fields of a catalogue that are texts, with their slots."""
_UNSAID = {"id", "labelled", NAME, TYPE, "short"}
_PLANS = {"套餐", "主套餐", "4G套餐", "5G套餐"}


def read_knowledge(path: Path) -> list[Fact]:
    """Return the facts of a file or of the files of a folder, in the order of their names.

    Products are facts by slot, `name` and `type` included; passages are facts with the relation `PASSAGE`. Raises
    `FormatError` with all problems of the first file that has some, and of a folder without a file of knowledge.
    """
    if not path.is_dir():
        return _facts(path)
    paths = [one for one in all_files(path) if one.name.removesuffix(".gz").endswith(_SUFFIXES) and one.name[0] != "."]
    if not paths:
        found = ", ".join(sorted(one.name for one in path.iterdir())[:5]) or "nothing"
        raise FormatError(path, [_problem("", f"found {found}", f"a folder holds files {', '.join(_SUFFIXES)}")])
    return [fact for one in paths for fact in _facts(one)]


def _facts(path: Path) -> list[Fact]:
    problems, facts = ProblemCollector(), list[Fact]()
    lines = Lines(Source(path), unmarked=True)
    first = next((line.lstrip() for line in lines if line.strip()), "")
    found = _products(path) if first.startswith("[") else _rows(lines) if first.startswith("{") else _paragraphs(lines)
    for one in found:
        if isinstance(one, Problem):
            problems.add(one)
        else:
            facts.append(one)
    if not facts and not problems.problems():
        problems.add(_problem("", "found no product and no passage", "write one product or rule in each paragraph"))
    if problems.problems():
        raise FormatError(path, problems.problems())
    return facts


def _products(path: Path) -> Read:
    rows, _, _ = read_json_file(path)
    for number, row in enumerate(rows if isinstance(rows, list) else [], start=1):
        place = f"product {number}"
        if not isinstance(row, dict):
            yield _problem(place, f"found {shown(row)} in place of an object", "a catalogue is a list of products")
            continue
        wrong = list(_wrong(place, row))
        yield from wrong or _product(f"{row[NAME]} ({number})", row)


def _wrong(place: str, row: dict[str, Any]) -> Iterator[Problem]:
    """Yield the problems of a product."""
    if NAME not in row:
        advice = "a catalogue is a list of products, such as catalogue.json of `duologue generate mobilecs`"
        yield _problem(place, f"there is no field '{NAME}'; found {_some(row)}", advice)
        return
    for field, value in row.items():
        fault = _fault(field, value)
        if fault:
            yield _problem(f"{place}, {field}", f"found {shown(value)}", f"expected {fault}")


def _fault(field: str, value: Any) -> str:
    """Return what is expected in a field of a product; empty where it is that."""
    if field in _AMOUNTS:
        lowest = -_LARGEST if field == "duration" else -1
        right = isinstance(value, int) and not isinstance(value, bool) and lowest < value < _LARGEST
        return "" if right else "a whole number from 0, below 100,000 (days of a duration: below 0)"
    if field == TYPE:
        return "" if value in ENTITY_TYPES else f"one of {', '.join(ENTITY_TYPES)}"
    if field == "labelled":
        return "" if isinstance(value, bool) else "true or false"
    if field not in _UNSAID and field not in _TEXTS:
        return f"{NAME}, {TYPE} and slots such as {FEE}, and no field of this name"
    return "" if is_text(value) and (field != NAME or _folded(value)) else "a text"


def _product(subject: str, row: dict[str, Any]) -> Iterator[Fact]:
    names = dict.fromkeys(_folded(row[key]) for key in (NAME, "short") if row.get(key))
    yield Fact(subject=subject, relation=NAME, object=tuple(names))
    if TYPE in row:
        yield Fact(subject=subject, relation=TYPE, object=row[TYPE].lower())
    plan = row.get(TYPE) in _PLANS
    for field, value in row.items():
        if field in _AMOUNTS:
            slots, said = _AMOUNTS[field]
            for slot in slots if plan or field not in {"call_rate", "data_rate", "minutes"} else ():
                if value or field == "fee":
                    yield Fact(subject=subject, relation=slot, object=said(value))
        elif field in _TEXTS and value.strip():
            yield Fact(subject=subject, relation=_TEXTS[field], object=value.strip().replace(",", "，"))


def _rows(lines: Lines) -> Read:
    for row in text_rows(lines, "title"):
        yield row if isinstance(row, Problem) else _passage(row.place, row.title, row.text.splitlines())


def _paragraphs(lines: Lines) -> Read:
    heading, waiting, begun = "", list[str](), 0
    for number, line in enumerate((*lines, ""), start=1):
        is_heading = line.startswith("#")
        if waiting and (is_heading or not line.strip()):
            yield _passage(f"line {begun}", heading, waiting)
            waiting = []
        if is_heading:
            heading = line.strip("# ")
        elif line.strip():
            begun = begun if waiting else number
            waiting.append(line)


def _passage(place: str, title: str, lines: list[str]) -> Fact | Problem:
    """Return a passage about what its title says, else its first line, else its first words."""
    plain = [cleaned for line in lines if (cleaned := _MARKUP.sub("", line).strip())]
    if not title.strip() and len(plain) > 1 and len(plain[0]) <= _LONGEST_TITLE and not _NO_TITLE.search(plain[0]):
        title, *plain = plain
    text = "\n".join(plain)
    beginning = _BEGINNING.match(text)
    name = _folded(_MARKUP.sub("", title) or (beginning["name"] if beginning else ""))
    if not name or not text:
        advice = "give it a title: a heading or short line above, or begin with the name and a colon"
        return _problem(place, f"found {shown(text)}, which does not say what it is about", advice)
    return Fact(subject=name, relation=PASSAGE, object=text)


def _some(row: dict[str, Any]) -> str:
    """Return the first fields of a decoded object."""
    return ", ".join(map(shown, [*row][:_SHOWN])) or "none"


def _folded(name: str) -> str:
    """Return a name as bases have it: in lower case, without blanks and commas, which part names there."""
    return re.sub(r"[\s_,，]+", "", name).lower()


def _problem(place: str, message: str, advice: str) -> Problem:
    return Problem(rule="outside-knowledge", place=place, message=message, advice=advice)
