"""Rows of a transcript, of a table or as objects: what their columns tell, and how they are gathered to calls."""

from __future__ import annotations

import logging
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.formats.issues import is_count
from duologue.challenges.mobilecs.formats.transcript_order import UNTOLD, Start, are_alike, in_time, start_of
from duologue.challenges.mobilecs.formats.transcript_words import (
    CALLS,
    CUSTOMER,
    CUSTOMER_SIDES,
    PERSONS,
    ROLES,
    SIDE_TEXTS,
    STAFF,
    STAFF_SIDES,
    STARTS,
    TEXTS,
)
from duologue.core.amounts import amount
from duologue.core.decoded import is_text, shown
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from duologue.challenges.mobilecs.formats.transcript_order import Turn
    from duologue.core.problems import ProblemCollector

    Told = Iterator[tuple[str, list[Turn]]]
    """Calls of a file, each with its place."""

_LOG = logging.getLogger(__name__)
_SIDES = {
    plain + text: side
    for side in (*STAFF_SIDES, *CUSTOMER_SIDES)
    for plain in ["".join(side.split())]
    for text in ("", *SIDE_TEXTS)
}
"""Sides by the names of the columns that hold what they say."""
_UNNAMED = re.compile(r"[\s_\-\ufeff]+")
_BRACKETS = {"[": "]", "【": "】", "(": ")", "（": "）", "<": ">", "《": "》"}


def plain_name(told: str) -> str:
    """Return the name of a column or key without what people spell differently.

    >>> plain_name(" Call_ID "), plain_name("[SPEAKER 1]")
    ('callid', '[speaker1]')
    """
    return _UNNAMED.sub("", told).lower()


def plain_speaker(told: str) -> str:
    """Return what a file calls a speaker, without brackets around it.

    >>> plain_speaker(" 【客服】 "), plain_speaker("[SPEAKER 1]"), plain_speaker("客服（张三）")
    ('客服', '[SPEAKER 1]', '客服（张三）')
    """
    name = told.strip()
    if len(name) > 2 and name.lower() not in STAFF | CUSTOMER and _BRACKETS.get(name[0]) == name[-1]:
        return name[1:-1].strip()
    return name


class RowColumns(NamedTuple):
    """Which columns of a row, or keys of an object, tell what; `None` where none does."""

    call: int | None
    person: int | None
    role: int | None
    text: int | None
    start: int | None
    sides: tuple[tuple[int, str], ...] = ()
    """Columns that each hold what one side says, with its name, where no column holds what a speaker says."""
    names: tuple[str, ...] = ()
    """All of them as the file has them."""

    @property
    def are_enough(self) -> bool:
        """Whether they tell what is said and by whom."""
        return bool(self.sides) or (self.text is not None and (self.person is not None or self.role is not None))

    @property
    def told_by(self) -> str | None:
        """Name of what tells the calls apart."""
        return None if self.call is None else plain_name(self.names[self.call])

    @property
    def unread(self) -> list[str]:
        """Names of columns that tell nothing known."""
        known = {self.call, self.start, *(at for at, _ in self.sides)}
        known |= set() if self.sides else {self.person, self.role, self.text}
        return [name for at, name in enumerate(self.names) if at not in known and name.strip()]

    def turns(self, cells: Sequence[Any]) -> list[Turn] | str:
        """Return what a row tells, a turn or that of each side; in words what is wrong with it where it does not.

        What is `null` is not said; the number of a channel or speaker is its name.
        """
        said = [(who, at) for at, who in self.sides]
        if not said:
            who = self._speaker(cells)
            if who is None or self.text is None:
                at = next((at for at in (self.person, self.role) if at is not None and not _names(cells[at])), None)
                return "no speaker" if at is None else f"{shown(cells[at])} for '{self.names[at]}'"
            said = [(who, self.text)]
        for _, at in said:
            if cells[at] is not None and not is_text(cells[at]):
                return f"{odd(cells[at])} for '{self.names[at]}'"
        return [(who, cells[at] or "") for who, at in said]

    def started(self, cells: Sequence[Any]) -> Start:
        """Return when a row begins, where it says so."""
        return UNTOLD if self.start is None else start_of(cells[self.start])

    def call_of(self, cells: Sequence[Any]) -> str | None:
        """Return the call that a row is of; empty where no column tells it, `None` where this row does not."""
        if self.call is None:
            return ""
        told = cells[self.call]
        return None if told is None else str(told).strip() or None

    def _speaker(self, cells: Sequence[Any]) -> str | None:
        person, role = (
            None if at is None or cells[at] is None else str(cells[at]) if is_count(cells[at]) else cells[at]
            for at in (self.person, self.role)
        )
        told = [one for one in (role, person) if one is not None]
        if not told or not all(map(is_text, told)):
            return None
        return (_called(*told) if len(told) == 2 else plain_speaker(told[0])) or None


@lru_cache(maxsize=256)
def columns_of(names: tuple[str, ...]) -> RowColumns:
    """Return what columns of these names tell."""
    plain = [plain_name(name) for name in names]
    call, person, role, text, start = (
        next((plain.index(name) for name in known if name in plain), None)
        for known in (CALLS, PERSONS, ROLES, TEXTS, STARTS)
    )
    sides: list[tuple[int, str]] = []
    if text is None:
        sides = [(at, _SIDES[name]) for at, name in enumerate(plain) if name in _SIDES]
        staff = sum(side in STAFF_SIDES for _, side in sides)
        alone = len(sides) == 1 and all(at in (call, start, sides[0][0]) or not name for at, name in enumerate(plain))
        sides = sides if alone or (len(sides), staff) == (2, 1) else []
    return RowColumns(call, person, role, text, start, tuple(sides), names)


def _names(cell: Any) -> bool:
    """Tell whether a cell can name a speaker."""
    return is_count(cell) or (is_text(cell) and bool(cell.strip()))


def odd(value: Any) -> str:
    """Return what stands in the place of a text, for a message."""
    return f"{shown(value)} with half a character" if isinstance(value, str) else shown(value)


def _called(role: str, person: str) -> str:
    """Return who speaks, by role and name where both are told; one who is called by a usual role has no other."""
    role, person = plain_speaker(role), plain_speaker(person)
    if person.lower() in STAFF | CUSTOMER:
        return person
    return " ".join(dict.fromkeys(part for part in (role, person) if part))


class SaidRows:
    """Rows of one utterance each, or of one of each side, gathered to calls."""

    def __init__(self, path: Path, columns: RowColumns | None = None) -> None:
        """`columns` are those of all rows, where these have the same."""
        self.columns = columns
        """Those of the first row, where they are not of all."""
        self._path = path
        self._calls: dict[str, list[tuple[Turn, Start]]] = {}
        self._row_each = True
        self._nameless: list[str] = []
        self._moved = self._unlike = 0

    def add(self, place: str, call: str | None, turns: Sequence[Turn], start: Start) -> None:
        """Add what is said in a call, and when; `None` is no call."""
        if call is None:
            self._nameless.append(place)
            return
        if call in self._calls:
            self._row_each = False
        self._calls.setdefault(call, []).extend((turn, start) for turn in turns)

    def ordered(self, said: Sequence[tuple[Turn, Start]]) -> list[Turn]:
        """Return the turns of a call as they follow one another in time, where that is told."""
        turns = [turn for turn, _ in said]
        starts = [start for _, start in said]
        moved = in_time(turns, starts)
        self._moved += moved is not None
        self._unlike += not are_alike(starts)
        return turns if moved is None else moved

    def calls(self, problems: ProblemCollector) -> Told:
        """Yield each call with its place; problems where a row says of no call, or an `id` is that of the row."""
        told_by = None if self.columns is None else self.columns.told_by
        name = "" if self.columns is None or self.columns.call is None else self.columns.names[self.columns.call]
        if self._nameless:
            more = f" and {len(self._nameless) - 1:,} more" if len(self._nameless) > 1 else ""
            problems.add(
                Problem(
                    rule="transcript-calls",
                    place=self._nameless[0] + more,
                    message=f"found nothing for '{name}', expected what tells the calls apart",
                    advice="fill it in each row: of cells that were merged, spreadsheets keep the first alone",
                    stands_for=len(self._nameless),
                )
            )
        elif told_by == CALLS[-1] and len(self._calls) > 1 and self._row_each:
            problems.add(
                Problem(
                    rule="transcript-calls",
                    message=f"each row has another '{told_by}', expected the same in all rows of a call",
                    advice=f"call it {CALLS[0]} what tells calls apart; leave both out where the file is one call",
                )
            )
            return
        self._tell_unread()
        for number, call in enumerate(list(self._calls), start=1):
            yield f"call {number}", self.ordered(self._calls.pop(call))
        for count, told in (
            (self._moved, "in {} what is said was not in the order of its times; now it is"),
            (self._unlike, "in {} not all times are told in one form; what is said stays in the order of the file"),
        ):
            if count:
                _LOG.warning("%s: %s", self._path, told.format(amount(count, "call")))

    def _tell_unread(self) -> None:
        columns = self.columns
        if columns is None or not columns.unread or not self._calls:
            return
        unread = ", ".join(columns.unread)
        if columns.call is None:
            _LOG.warning(
                "%s: nothing known tells calls apart, so all rows are one call; not read: %s; is one of them the call? "
                "name it %s",
                self._path,
                unread,
                CALLS[0],
            )
        elif columns.sides:
            sides = " and ".join(columns.names[at] for at, _ in columns.sides)
            _LOG.warning("%s: %s are taken for what each side says; not read: %s", self._path, sides, unread)
