"""Lines of JSON that each hold a text and perhaps what it is about: how files of documents and facts are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.core.decoded import is_text, shown
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class TextRow(NamedTuple):
    """One line."""

    place: str
    """Which one, in words."""
    text: str
    title: str
    """What it is about; empty where that is not told."""


def text_rows(lines: Iterable[str], title: str) -> Iterator[TextRow | Problem]:
    """Yield the lines that are not empty, or their problems; `title` is the name of the field that may be left out."""
    form = f'expected {{"text": "...", "{title}": "..."}}; `{title}` may be left out'
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            row = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            yield Problem(rule="passage-json", message=f"this is no JSON ({error})", place=place, advice=form)
            continue
        wrong = _wrong(row, title)
        if wrong:
            yield Problem(rule="passage-fields", message=wrong, place=place, advice=form)
        else:
            yield TextRow(place, row["text"], row.get(title, ""))


def _wrong(row: Any, title: str) -> str:
    """Return what is wrong with a decoded line; empty where nothing is."""
    if not isinstance(row, dict):
        return f"found {shown(row)} in place of an object"
    unknown = sorted(set(row) - {"text", title})
    if unknown:
        return f"unknown field {shown(unknown[0])}"
    if "text" not in row:
        return "there is no field 'text'"
    for field, value in row.items():
        if not is_text(value):
            return f"field '{field}' is {shown(value)} in place of a text"
    return "" if row["text"].split() else "field 'text' is empty"
