"""Reads plain transcripts of calls: text with a speaker before each utterance, tables, JSON.

* text: `speaker: utterance`, a line each, with either colon, a time before the speaker left out; a line without a
  speaker goes on with the utterance before, and an empty line ends the call
* tables (`.csv`, `.tsv`): a head with columns for call, speaker and text; without one for the call the file is one.
  Columns may be parted by a comma, semicolon, tab or bar, whatever the name of the file says: spreadsheets do
* JSON (`.json`, `.jsonl`): a list of calls, one per line or one alone, each with turns `[speaker, text]` or objects; or
  a list of such turns, or one per line, which say of what call they are as rows of a table do
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import logging
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.challenges.mobilecs.formats.issues import is_count
from duologue.challenges.mobilecs.formats.transcript_order import in_time, start_of
from duologue.challenges.mobilecs.formats.transcript_words import (
    CALLS,
    CUSTOMER,
    PERSONS,
    ROLES,
    SPEAKERS,
    STAFF,
    STARTS,
    TEXTS,
    TURNS,
    WRAPPERS,
)
from duologue.core import disk
from duologue.core.amounts import amount
from duologue.core.decoded import is_text, shown
from duologue.core.errors import FormatError, UsageError
from duologue.core.lines import cut
from duologue.core.problems import ProblemCollector
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_LOG = logging.getLogger(__name__)
RULES = {
    "transcript-empty": "a file holds at least one call with something said",
    "transcript-speaker": "the first line of a call names its speaker before a colon",
    "transcript-columns": "the head of a table names a column for the speaker and one for the text",
    "transcript-calls": "what tells calls apart is the same in all rows of a call",
    "transcript-table": "quotes of a table are closed",
    "transcript-row": "a row of a table has the columns of its head, and nothing beyond them",
    "transcript-json": "JSON is a list of calls, or one call on each line",
    "transcript-turns": "a call is an object with turns, each `[speaker, text]` or an object with both as texts",
}
"""Rules for transcripts by id."""
BREAK = "_"
"""Sign of MobileCS for a break inside an utterance."""
_DATE = r"\d{4}[\-/.年]\d{1,2}[\-/.月]\d{1,2}日?[ T]{1,2}\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?"
_TIME = (
    r"(?:[\[(【（]?" + _DATE + r"[\])】）]?|[\[(【（]\d{1,3}(?::\d\d){1,2}(?:[.,]\d+)?[\])】）]|"
    r"\d{1,3}:\d\d:\d\d(?:[.,]\d+)?)"
)
_SAID = re.compile(rf"\s*(?:{_TIME}\s*)?([^:：\s](?:[^:：]{{0,38}}[^:：\s])?)\s*[:：](?!//)\s*(.*)")
_UNNAMED = re.compile(r"[\s_\-\ufeff]+")
_NUMBER = re.compile(r"[\d.,\s]+")
_SUFFIXES = {".csv": ",", ".tsv": "\t"}
_MARKS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
"""Signs that part columns, with what they are called."""
_SAYS_MARK = re.compile(r"sep=([,;\t|])\r?\n", re.IGNORECASE)
"""First line by which spreadsheets are told what parts columns."""
_DEEPEST = 4
"""Objects around a list of calls that are looked into."""
_LONGEST_HEAD = 1 << 16
_JSON = (".json", ".jsonl", ".ndjson")


class Transcript(NamedTuple):
    """One call as it is told in a file."""

    place: str
    """Where it is in the file, in words."""
    turns: list[tuple[str, str]]
    """Speaker as the file calls it, and what it says; nobody speaks twice in a row."""


def read_transcripts(path: Path, encoding: str = "utf-8") -> list[Transcript]:
    """Return the calls of a file in their order; utterances in a row by one speaker are joined by a break.

    `encoding` is that of a file which is not UTF-8. Raises `FormatError` with all problems of the file, `StorageError`
    where it cannot be read, `UsageError` for an unknown encoding.
    """
    text = _decoded(disk.read_bytes(path), path, encoding)
    suffix = path.with_name(path.name.removesuffix(".gz")).suffix.lower()
    problems = ProblemCollector()
    if suffix in _JSON:
        found = _of_json(text, path, problems)
    elif suffix in _SUFFIXES:
        found = _of_table(text, path, _SUFFIXES[suffix], problems)
    else:
        found = _of_text(text, problems)
    calls = [Transcript(place, joined) for place, turns in found if (joined := _joined(turns))]
    if not calls and not problems.problems():
        problems.add(Problem(rule="transcript-empty", message="nobody says anything in the file"))
    if problems.problems():
        raise FormatError(path, problems.problems())
    return calls


def _decoded(data: bytes, path: Path, encoding: str) -> str:
    try:
        return disk.decode_text(data, path)[0]
    except FormatError as error:
        (problem,) = error.problems
        told = _in_encoding(data, encoding)
        if told is not None:
            return told
        likely = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "gb18030"
        if _in_encoding(data, likely) is None:
            raise
        advice = f"it may be {likely}: say --encoding {likely}, or save the file as UTF-8"
        raise FormatError(path, [msgspec.structs.replace(problem, advice=advice)]) from error


def _in_encoding(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding).lstrip("\ufeff")
    except UnicodeError:
        return None
    except LookupError as error:
        raise UsageError(f"there is no encoding of texts '{encoding}'; say --encoding gb18030, for instance") from error


def _joined(turns: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return what is said in one line each, without empty utterances, those in a row by one speaker as one."""
    made: list[tuple[str, list[str]]] = []
    for speaker, text in turns:
        pieces = [piece for line in text.splitlines() if (piece := " ".join(line.split()))]
        if pieces and made and made[-1][0] == speaker:
            made[-1][1].extend(pieces)
        elif pieces:
            made.append((speaker, pieces))
    return [(speaker, BREAK.join(pieces)) for speaker, pieces in made]


def _of_text(text: str, problems: ProblemCollector) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    turns: list[tuple[str, str]] = []
    begun = 1
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        found = _SAID.fullmatch(line)
        if not line.strip():
            if turns:
                yield f"call at line {begun}", turns
            turns, begun = [], number + 1
        elif found is not None and not _NUMBER.fullmatch(found[1]):
            turns.append((found[1], found[2]))
        elif turns:
            turns.append((turns[-1][0], line))
        else:
            problems.add(
                Problem(
                    rule="transcript-speaker",
                    place=f"line {number}",
                    message=f"found {shown(line)}, expected a speaker and a colon before the first words of a call",
                    advice="write lines such as `客服: 您好`, and an empty line between calls",
                )
            )


def _of_table(
    text: str, path: Path, usual: str, problems: ProblemCollector
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    said = _SAYS_MARK.match(text)
    mark = said[1] if said is not None else _mark_of(text, usual)
    if mark != usual:
        _LOG.warning("%s: %s parts the columns, not %s", path, _MARKS[mark], _MARKS[usual])
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    read: list[tuple[int, list[str]]] = []
    begun = 1
    try:
        for row in rows:
            read.append((begun, row))
            begun = rows.line_num + 1
    except csv.Error as error:
        problems.add(
            Problem(
                rule="transcript-table",
                place=f"line {begun}",
                message=f"not a table: {error}",
                advice="is a quote in this row not closed, or closed amid a cell?",
            )
        )
        return
    yield from _of_rows(read[1:] if said is not None else read, path, problems)


def _mark_of(text: str, usual: str) -> str:
    """Return the sign that parts the columns: the first by which the head has speaker and text."""
    for mark in (usual, *_MARKS):
        rows = csv.reader(io.StringIO(text[:_LONGEST_HEAD], newline=""), delimiter=mark)
        try:
            head = {_name(cell) for cell in next(rows, [])}
        except csv.Error:
            continue
        if not head.isdisjoint(SPEAKERS) and not head.isdisjoint(TEXTS):
            return mark
    return usual


def _of_rows(
    rows: Sequence[tuple[int, list[str]]], path: Path, problems: ProblemCollector
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    told = rows[0][1] if rows else []
    head = [_name(name) for name in told]
    at_call, at_person, at_role, at_text, at_start = (
        next((head.index(name) for name in names if name in head), None)
        for names in (CALLS, PERSONS, ROLES, TEXTS, STARTS)
    )
    at_speaker = at_role if at_person is None else at_person
    if at_speaker is None or at_text is None:
        problems.add(
            Problem(
                rule="transcript-columns",
                place=f"line {rows[0][0]}" if rows else "line 1",
                message=f"found {shown(', '.join(told))}, expected a column for the speaker and one for the text",
                advice=f"call them {SPEAKERS[0]} and {TEXTS[0]}, and {CALLS[0]} the one that tells calls apart",
            )
        )
        return
    unread = [
        name for at, name in enumerate(told) if at not in (at_person, at_role, at_text, at_start) and name.strip()
    ]
    said = _SaidRows(path, None if at_call is None else head[at_call], unread)
    for line, row in rows[1:]:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) < len(head) or any(cell.strip() for cell in row[len(head) :]):
            message = f"found {len(row)} columns, expected {len(head)}"
            advice = "put a text in quotes that holds what parts the columns" if len(row) > len(head) else ""
            problems.add(Problem(rule="transcript-row", place=f"line {line}", message=message, advice=advice))
            continue
        speaker = row[at_speaker].strip() if at_role is None else _called(row[at_role], row[at_speaker])
        start = () if at_start is None else start_of(row[at_start])
        said.add("" if at_call is None else row[at_call], (speaker, row[at_text]), start)
    yield from said.calls(problems)


class _SaidRows:
    """Rows of one utterance each, gathered to calls."""

    def __init__(self, path: Path, told_by: str | None = None, unread: Sequence[str] = ()) -> None:
        """`told_by`: name of what tells the calls apart, if it is known; `unread`: names that tell nothing known."""
        self.told_by = told_by
        self.unread = unread
        self._path = path
        self._calls: dict[str, list[tuple[tuple[str, str], tuple[float, ...]]]] = {}
        self._moved = 0

    def add(self, call: str, turn: tuple[str, str], start: tuple[float, ...]) -> None:
        """Add what is said in a call, and when."""
        self._calls.setdefault(call, []).append((turn, start))

    def ordered(self, said: Sequence[tuple[tuple[str, str], tuple[float, ...]]]) -> list[tuple[str, str]]:
        """Return the turns of a call as they follow one another in time, where that is told."""
        turns = [turn for turn, _ in said]
        moved = in_time(turns, [start for _, start in said])
        self._moved += moved is not None
        return turns if moved is None else moved

    def calls(self, problems: ProblemCollector) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """Yield each call with its place; none, with a problem, where an `id` is that of the row."""
        if self.told_by == CALLS[-1] and len(self._calls) > 1 and all(len(one) == 1 for one in self._calls.values()):
            problems.add(
                Problem(
                    rule="transcript-calls",
                    message=f"each row has another '{self.told_by}', expected the same in all rows of a call",
                    advice=f"call it {CALLS[0]} what tells calls apart; leave both out where the file is one call",
                )
            )
            return
        if self.told_by is None and self.unread and self._calls:
            _LOG.warning(
                "%s: nothing known tells calls apart, so all rows are one call; not read: %s; is one of them the call? "
                "name it %s",
                self._path,
                ", ".join(self.unread),
                CALLS[0],
            )
        for number, said in enumerate(self._calls.values(), start=1):
            yield f"call {number}", self.ordered(said)
        if self._moved:
            told = amount(self._moved, "call")
            _LOG.warning("%s: in %s what is said was not in the order of its times; now it is", self._path, told)


def _of_json(text: str, path: Path, problems: ProblemCollector) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    said = _SaidRows(path)
    for place, row in _json_rows(text, path, problems):
        found = _turns_of(row)
        turn = _turn(row) if not isinstance(row, dict) or not found else None
        if turn is not None:
            keys = {_name(key): key for key in row} if isinstance(row, dict) else {}
            name = next((name for name in CALLS if name in keys), None)
            said.told_by = said.told_by or name
            said.unread = said.unread or [key for name, key in keys.items() if name not in (*SPEAKERS, *TEXTS, *STARTS)]
            said.add("" if name is None else str(row[keys[name]]), turn, _started(row))
            continue
        turns = [_turn(one) for one in found]
        if not turns or None in turns:
            wrong = next((one for one, turn in zip(found, turns, strict=True) if turn is None), row)
            problems.add(
                Problem(
                    rule="transcript-turns",
                    place=place,
                    message=f"found {_told(wrong)}, expected turns with speaker and text",
                    advice='write {"turns": [["客服", "您好"], ["用户", "喂"]]}',
                )
            )
            continue
        starts = map(_started, found)
        yield (
            place,
            said.ordered([(turn, start) for turn, start in zip(turns, starts, strict=True) if turn is not None]),
        )
    yield from said.calls(problems)


def _json_rows(text: str, path: Path, problems: ProblemCollector) -> Iterator[tuple[str, Any]]:
    lines = [(number, line) for number, line in enumerate(cut(text), start=1) if line.strip()]
    begins = text.lstrip()[:1]
    spread = len(lines) > 1 and not any(_is_json(line) for _, line in lines[: 2 if begins == "{" else 1])
    if (begins == "[" and (spread or len(lines) == 1)) or (begins == "{" and spread):
        for number, row in enumerate(_unwrapped(disk.decode_json(text, path)), start=1):
            yield f"call {number}", row
        return
    for number, line in lines:
        try:
            row = json.loads(line)
            yield from ((f"line {number}", one) for one in (_unwrapped(row) if len(lines) == 1 else [row]))
        except (ValueError, RecursionError) as error:
            advice = "give a list of calls, or a call on each line"
            place = f"line {number}"
            problems.add(Problem(rule="transcript-json", place=place, message=f"no JSON: {error}", advice=advice))


def _unwrapped(whole: Any) -> list[Any]:
    """Return the calls of a list, or of an object that is one call or holds them under a usual key."""
    for _ in range(_DEEPEST):
        held = whole if isinstance(whole, dict) and not _turns_of(whole) else {}
        inner = next((held[name] for name in WRAPPERS if isinstance(held.get(name), list | dict)), None)
        if inner is None:
            break
        whole = inner
    return whole if isinstance(whole, list) else [whole]


def _is_json(line: str) -> bool:
    """Tell whether a line is JSON by itself."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _turns_of(row: Any) -> list[Any]:
    """Return the turns of a call; nothing where there are none."""
    if isinstance(row, dict):
        row = next((row[name] for name in TURNS if isinstance(row.get(name), list)), None)
    return row if isinstance(row, list) else []


def _turn(one: Any) -> tuple[str, str] | None:
    said = _speaker_and_text(one)
    return (said[0].strip(), said[1]) if said is not None and all(map(is_text, said)) else None


def _started(one: Any) -> tuple[float, ...]:
    """Return when a turn begins, where it says so."""
    keys = {_name(key): key for key in one} if isinstance(one, dict) else {}
    return start_of(next((one[keys[name]] for name in STARTS if name in keys), None))


def _speaker_and_text(one: Any) -> list[Any] | None:
    """Return what stands in the places of speaker and text; `None` where there are no such places.

    The number of a channel or speaker is its name.
    """
    if isinstance(one, dict):
        keys = {_name(key): key for key in one}
        speaker, role, text = (
            next((one[keys[name]] for name in names if name in keys), None) for names in (PERSONS, ROLES, TEXTS)
        )
        speaker, role = (str(told) if is_count(told) else told for told in (speaker, role))
        if speaker is None or role is None:
            return [role if speaker is None else speaker, text]
        return [_called(role, speaker) if is_text(role) and is_text(speaker) else None, text]
    return one if isinstance(one, list) and len(one) == 2 else None


def _called(role: str, person: str) -> str:
    """Return who speaks, by role and name where both are told; one who is called by a usual role has no other."""
    if person.strip().lower() in STAFF | CUSTOMER:
        return person.strip()
    return " ".join(dict.fromkeys(part for part in (role.strip(), person.strip()) if part))


def _name(told: str) -> str:
    """Return the name of a column or key without what people spell differently."""
    return _UNNAMED.sub("", told).lower()


def _told(wrong: Any) -> str:
    """Return what is no turn, for a message: of a speaker and a text the one that is none."""
    said = _speaker_and_text(wrong) if isinstance(wrong, list) else None
    odd = next((cell for cell in said or () if not is_text(cell)), wrong)
    return f"{shown(odd)} with half a character" if isinstance(odd, str) else shown(odd)
