"""A data file as rows that can be put into other files: what `duologue data split` cuts.

Rows keep the text that they have in the file, and so does what stands around them: an official layout stays one.
"""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core import disk
from duologue.core.disk import Source
from duologue.core.errors import FormatError
from duologue.core.lines import Lines
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

_IDS = ("dialog_id", "dialogue_id", "id")
"""Keys under which rows of official files have their id."""
_SPACE = " \t\r\n"


class DataRow(NamedTuple):
    """A row of a data file: a dialogue, or one of the samples cut from it."""

    name: str
    """Its id, or its number in the file, from 1: rows of one name in two files belong together."""
    dialogue: str
    """What is never in two parts: rows that share it are of one dialogue."""
    text: str


class DataRows(NamedTuple):
    """The rows of a file and its layout."""

    rows: Callable[[], Iterable[DataRow]]
    """Goes through the rows; may be called again."""
    start: str = ""
    between: str = ""
    end: str = ""
    """Text before the first row, between two, and after the last."""

    def relabelled(self, dialogue_of: Callable[[DataRow], str]) -> DataRows:
        """Return the same rows with other dialogues."""
        return self._replace(rows=lambda: (row._replace(dialogue=dialogue_of(row)) for row in self.rows()))


def json_rows(path: Path) -> DataRows:
    """Return the elements of a JSON list, or the members of a JSON object by their keys, each a dialogue of its own.

    Raises `FormatError` for a file that is neither, and as `disk.read_bytes` does.
    """
    text, _ = disk.decode_text(disk.read_bytes(path), path)
    value = disk.decode_json(text, path)
    if not isinstance(value, list | dict):
        raise FormatError(path, [Problem(rule="not-rows", message="expected a JSON list or object of dialogues")])
    places = list(_elements(text)) if isinstance(value, list) else list(_members(text))
    rows = [DataRow(name, name, text[start:end]) for name, start, end in _named(places)]
    if not places:
        return DataRows(lambda: rows, text)
    between = text[places[0][2] : places[1][1]] if len(places) > 1 else ", "
    return DataRows(lambda: rows, text[: places[0][1]], between, text[places[-1][2] :])


def _named(places: list[tuple[str, int, int]]) -> Iterator[tuple[str, int, int]]:
    for number, (name, start, end) in enumerate(places, start=1):
        yield name or str(number), start, end


def _elements(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield id, start and end of each element of a valid JSON list."""
    decoder = json.JSONDecoder()
    at = _skip(text, _skip(text, 0) + 1)
    while text[at] != "]":
        value, end = decoder.raw_decode(text, at)
        yield _id(value), at, end
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _members(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield key, start and end of each member of a valid JSON object, its key included."""
    decoder = json.JSONDecoder()
    at = _skip(text, _skip(text, 0) + 1)
    while text[at] != "}":
        key, end = decoder.raw_decode(text, at)
        _, end = decoder.raw_decode(text, _skip(text, _skip(text, end) + 1))
        yield str(key), at, end
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    while text[at] in _SPACE:
        at += 1
    return at


def _id(row: Any) -> str:
    """Return the id of a decoded row; empty where it has none."""
    found = next((row[key] for key in _IDS if key in row), "") if isinstance(row, dict) else ""
    return found if isinstance(found, str) else ""


def line_rows(path: Path, dialogue_of: Callable[[str, int], str] | None = None) -> DataRows:
    """Return the lines of a text file, each a dialogue of its own unless `dialogue_of` (line, number) says otherwise.

    Raises as `Source` does.
    """
    lines = Lines(Source(path), unmarked=True)

    def rows() -> Iterator[DataRow]:
        for number, line in enumerate(lines, start=1):
            yield DataRow(str(number), dialogue_of(line, number) if dialogue_of else str(number), line + "\n")

    return DataRows(rows)


def block_rows(path: Path, dialogue_of: Callable[[list[str], int], str] | None = None) -> DataRows:
    """Return the blocks of a text file, which stand between empty lines, as `line_rows` does lines."""
    lines = Lines(Source(path), unmarked=True)

    def rows() -> Iterator[DataRow]:
        block: list[str] = []
        number = 0
        for line in chain(lines, [""]):
            if line.strip():
                block.append(line)
            elif block:
                number += 1
                name = str(number)
                yield DataRow(name, dialogue_of(block, number) if dialogue_of else name, "\n".join(block) + "\n\n")
                block = []

    return DataRows(rows)
