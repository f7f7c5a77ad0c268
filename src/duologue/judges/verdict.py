"""Verdicts in a judge's own words, without the JSON that it was asked for: read where they say one thing alone.

A verdict is all that was said, or stands first and apart (`**A**`, `B.`, `2/3`), or behind its label on a line
(`Verdict: A`, `Score: 2`). Reasons may follow it; where they name another choice, or another number, it is not read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.ratings.judgement import Outcome
    from duologue.ratings.protocol import Criterion

_CHOICES: dict[str, Outcome] = {"a": "a", "b": "b", "tie": "tie", "平": "tie", "平局": "tie"}
_MARKS = " \t\"'“”*_`[]()（）【】"
"""What may stand around a word to set it apart."""
_STOPS = ".。!！"
_CHOICE_LABELS = frozenset(
    {"better", "better-one", "better-reply", "best", "verdict", "final-verdict", "choice", "winner"}
    | {"answer", "final-answer", "更好", "结论", "选择", "答案", "最终答案"}
)
_POINT_LABELS = frozenset({"score", "final-score", "overall-score", "points", "rating", "评分", "分数", "得分", "总分"})
_NOUN = r"(?:(?:Reply|reply|Response|response|Answer|answer|Option|option|回复|回答|选项)\s?)?"
_CLOSED = r"[\"'”*_`\])）】]{0,9}"
_FIRST_CHOICE = re.compile(
    rf"[\"'“*_`\[(（【]{{0,9}}{_NOUN}(A|B|tie|Tie|TIE|平局|平)"
    rf"(?={_CLOSED}(?:\n|$|\.(?![A-Za-z0-9])|[。;；]|[,，]?\s?(?:because\b|since\b|因为)))"
)
"""No comma alone: `A, which is short, is worse` is a remark."""
_NAMED = re.compile(r"(?<![A-Za-z0-9])(?:A|B|[Tt]ie|TIE)(?![A-Za-z0-9])|平局")
_POINTS = re.compile(r"(-?[0-9]{1,4})(?:\.0{1,3})?(?:\s?(?:/|out of)\s?([0-9]{1,4}))?(?:\s?(?:points|point|分))?")
"""A whole number, which may say of how many points."""
_FIRST_POINTS = re.compile(
    rf"([\"'“*_`\[(（【]{{0,9}})({_POINTS.pattern})"
    rf"(?={_CLOSED}(?:\n|$|[,;:，；：。—–]|\.(?![A-Za-z0-9])|\s(?:[-—–(]|because\b|since\b)|因为))"
)
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def choice_in(text: str) -> Outcome | None:
    r"""Return the one choice that a text makes: `a` is what was shown first.

    >>> choice_in("**A**\nIt answers the question"), choice_in("Verdict: tie"), choice_in("A. B is worse")
    ('a', 'tie', None)
    """
    lines = _lines(text)
    found = {
        _choice("\n".join(lines)),
        *(_choice(value) for label, value in _labelled(lines) if label in _CHOICE_LABELS),
    }
    made = found - {None}
    named = {_CHOICES[name.lower()] for name in _NAMED.findall(text)}
    return made.pop() if len(made) == 1 and named <= made else None


def points_in(text: str, criteria: Sequence[Criterion]) -> dict[str, int]:
    """Return the points of criteria that a text gives; a number without a label is of the only criterion there is."""
    lines = _lines(text)
    found = {}
    for one in criteria:
        labels = {plain(one.name), plain(one.zh or one.name)} | (_POINT_LABELS if len(criteria) == 1 else set())
        given = {_points(value, one, labelled=True) for label, value in _labelled(lines) if label in labels}
        if not given and len(criteria) == 1:
            given = {_points("\n".join(lines), one, labelled=False)}
        value = given.pop() if len(given) == 1 else None
        if value is not None:
            found[one.name] = value
    return found


def points_of(text: str, criterion: Criterion) -> int | None:
    """Return points that are all of a text: a whole number of the scale, also `2/3` where 3 is the most."""
    found = _POINTS.fullmatch(text.strip(_MARKS + _STOPS))
    return None if found is None else _on_scale(found[1], found[2], criterion)


def plain(name: str) -> str:
    """Return a name as names are compared: in small letters, with hyphens."""
    return name.strip().lower().replace("_", "-").replace(" ", "-")


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


def _labelled(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return labels and what stands behind them."""
    parts = (line.lstrip("#>- ").replace("：", ":").partition(":") for line in lines)
    return [(plain(label.strip(_MARKS)).removeprefix("the-"), value.lstrip(_MARKS)) for label, _, value in parts]


def _choice(text: str) -> Outcome | None:
    """Return a choice that is a text, or stands before its reasons."""
    if alone := _CHOICES.get(text.strip(_MARKS + _STOPS).lower()):
        return alone
    found = _FIRST_CHOICE.match(text)
    return _CHOICES[found[1].lower()] if found else None


def _points(text: str, criterion: Criterion, *, labelled: bool) -> int | None:
    """Return points that are a text, or stand before reasons that name no other number."""
    if (alone := points_of(text, criterion)) is not None:
        return alone
    found = _FIRST_POINTS.match(text)
    if found is None:
        return None
    apart, number, most = found[1], found[3], found[4]
    rest = text[found.end() :]
    if not (labelled or apart or most) and rest.startswith("."):  # it may number a list
        return None
    if any(other != number for other in _NUMBER.findall(rest)):
        return None
    return _on_scale(number, most, criterion)


def _on_scale(number: str, most: str | None, criterion: Criterion) -> int | None:
    value = int(number)
    if most is not None and int(most) != criterion.high:
        return None
    return value if criterion.low <= value <= criterion.high else None
