"""Marks mentions and slot values within an utterance, with a line for each on entity, type and slot."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.schema.english import bilingual, owner_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Annotation, Mention, Value

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Mark(NamedTuple):
    """A stretch of an utterance with all that it is said to be."""

    start: int
    end: int
    """Exclusive; equal to `start` where the words are not in the utterance."""
    words: str
    meanings: tuple[str, ...]


def marks_of(text: str, annotation: Annotation) -> list[Mark]:
    """Return the marks on an utterance by position, the longer before the shorter.

    Words that are not at their position are marked where they first occur (the conversion to track 2 deletes `[UNK]`
    without moving positions); words that do not occur come last, with no length.
    """
    found: dict[tuple[int, int, str], dict[str, None]] = {}
    for one, meaning in _parts(annotation):
        start, end = _place(text, one)
        found.setdefault((start, end, one.text), {})[meaning] = None
    marks = [Mark(*place, tuple(meanings)) for place, meanings in found.items()]
    return sorted(marks, key=lambda mark: (mark.start == mark.end, mark.start, -mark.end))


def _parts(annotation: Annotation) -> Iterable[tuple[Mention | Value, str]]:
    for mention in annotation.mentions:
        yield mention, f"{mention.entity} is {bilingual(mention.label)}"
    for value in annotation.values:
        yield value, f"{owner_of(value.entity)} has {bilingual(value.slot)}"


def _place(text: str, one: Mention | Value) -> tuple[int, int]:
    if one.span is not None and text[one.span.start : one.span.end] == one.text:
        return one.span.start, one.span.start + len(one.text)
    start = text.find(one.text)
    return (start, start + len(one.text)) if start >= 0 else (0, 0)


def overlaid(text: str, marks: Sequence[Mark]) -> str:
    """Return an utterance with brackets that carry the numbers of its marks, from 1; marks may lie within others.

    >>> overlaid("十八块的套餐", [Mark(0, 6, "十八块的套餐", ()), Mark(0, 3, "十八块", ())])
    '[¹[²十八块²]的套餐¹]'
    """
    opened: dict[int, list[str]] = {}
    closed: dict[int, list[str]] = {}
    for number, mark in enumerate(marks, 1):
        if mark.start < mark.end:
            opened.setdefault(mark.start, []).append(f"[{raised(number)}")
            closed.setdefault(mark.end, []).append(f"{raised(number)}]")
    pieces = []
    for at in range(len(text) + 1):
        pieces += [*reversed(closed.get(at, ())), *opened.get(at, ()), text[at : at + 1]]
    return "".join(pieces)


def raised(number: int) -> str:
    """Return a number in raised digits: `12` is `¹²`."""
    return str(number).translate(_RAISED)


def legend(marks: Sequence[Mark]) -> list[str]:
    """Return a line for each mark: its number, its words, and what they are."""
    return [f"{raised(number)} {meaning_of(mark)}" for number, mark in enumerate(marks, 1)]


def meaning_of(mark: Mark) -> str:
    """Return the words of a mark and what they are."""
    missing = "" if mark.start < mark.end else " (these words are not in the utterance)"
    return f"{mark.words}: {'; '.join(mark.meanings)}{missing}"
