"""The order of what is said in a transcript: files of two channels often hold one side after the other."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from duologue.challenges.mobilecs.formats.issues import is_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    Turn = tuple[str, str]


class Start(NamedTuple):
    """When an utterance begins, as far as it is told; those of one form can be compared."""

    form: Literal["untold", "number", "clock", "date", "year last", "numbers"] = "untold"
    parts: tuple[float, ...] = ()
    """Seconds of a clock; year, month, day and seconds of a date; year, two numbers that are day and month, seconds."""


UNTOLD = Start()
_CLOCK = (
    r"(?P<before>上午|下午)?\s?(?P<clock>\d{1,3}(?::\d\d){1,2}(?:[.,:]\d{1,9})?)\s?(?P<after>[AaPp][Mm])?"
    r"\s?(?:Z|[+\-]\d\d:?\d\d)?"
)
_CLOCK_ALONE = re.compile(_CLOCK)
_DATED = re.compile(
    r"(?:(?P<year>\d{4})[\-/.年](?P<month>\d{1,2})[\-/.月](?P<day>\d{1,2})日?|"
    rf"(?P<first>\d{{1,2}})[\-/.](?P<second>\d{{1,2}})[\-/.](?P<last>\d{{4}}))(?:,?[ T]?\s?{_CLOCK})?"
)
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?")
_DECIMAL_COMMA = re.compile(r"\d{1,15},\d{1,2}")
_AROUND = " \t[]【】()（）"
_DAY = 24 * 60 * 60
_MONTHS = 12


def start_of(told: Any) -> Start:
    """Return when an utterance begins, as it is told: a number, a time, a date with a time.

    Of a time alone two parts are minutes and seconds, behind a date hours and minutes.

    >>> start_of("00:01:02.5").parts, start_of("2026-11-03 下午1:05").parts, start_of(3).parts, start_of(None).parts
    ((62.5,), (2026, 11, 3, 47100.0), (3.0,), ())
    """
    if is_count(told) or (isinstance(told, float) and 0 <= told < float("inf")):
        return Start("number", (float(told),))
    text = told.strip(_AROUND) if isinstance(told, str) else ""
    if _NUMBER.fullmatch(text) or _DECIMAL_COMMA.fullmatch(text):
        return Start("number", (float(text.replace(",", ".")),))
    if (found := _CLOCK_ALONE.fullmatch(text)) is not None:
        return Start("clock", (_seconds(found, dated=False),))
    if (found := _DATED.fullmatch(text)) is None:
        numbers = tuple(map(float, _NUMBER.findall(text)))
        return Start("numbers", numbers) if numbers else UNTOLD
    seconds = _seconds(found, dated=True)
    if found["year"]:
        return Start("date", (int(found["year"]), int(found["month"]), int(found["day"]), seconds))
    return Start("year last", (int(found["last"]), int(found["first"]), int(found["second"]), seconds))


def _seconds(found: re.Match[str], *, dated: bool) -> float:
    """Return the seconds of a time since midnight, or since the beginning of the call."""
    if not found["clock"]:
        return 0.0
    parts = [float(part) for part in _NUMBER.findall(found["clock"].replace(",", "."))][:3]
    half = (found["before"] or found["after"] or "").upper()
    if half:
        parts[0] = parts[0] % 12 + 12 * (half in {"下午", "PM"})
    if len(parts) == 2 and (dated or half):
        parts.append(0.0)
    return sum(part * unit for part, unit in zip(reversed(parts), (1, 60, 3600), strict=False))


def are_alike(starts: Sequence[Start]) -> bool:
    """Tell whether all say when they begin in one form, or none does."""
    return len({(start.form, len(start.parts)) for start in starts}) <= 1


def in_time(turns: Sequence[Turn], starts: Sequence[Start]) -> list[Turn] | None:
    """Return turns in the order in which they begin; `None` where they are in it, or not all tell it alike.

    >>> in_time([("a", "hello"), ("a", "bye"), ("b", "hi")], [start_of(0), start_of(9), start_of(1.5)])
    [('a', 'hello'), ('b', 'hi'), ('a', 'bye')]
    """
    if not starts or not are_alike(starts):
        return None
    moments = _moments(starts)
    if all(first <= second for first, second in pairwise(moments)):
        return None
    return [turns[at] for at in sorted(range(len(turns)), key=moments.__getitem__)]


def _moments(starts: Sequence[Start]) -> list[tuple[float, ...]]:
    """Return the starts of a call, all in one form, as they can be compared.

    Days come before months where a number says so, which is the same for all of a call; times of a clock far from each
    other are of a call through midnight.
    """
    moments = [start.parts for start in starts]
    if starts[0].form == "year last" and any(first > _MONTHS for _, first, _, _ in moments):
        return [(year, month, day, seconds) for year, day, month, seconds in moments]
    if starts[0].form == "clock":
        seconds = [moment for (moment,) in moments]
        if max(seconds) - min(seconds) > _DAY / 2 and max(seconds) < _DAY:
            return [(moment + _DAY * (moment < _DAY / 2),) for moment in seconds]
    return moments
