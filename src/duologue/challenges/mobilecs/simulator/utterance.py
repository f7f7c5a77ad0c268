"""Text with marked spans: mentions and slot values that keep their places through every edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class SpanMark(NamedTuple):
    """What a span is: a mention of an entity with its type, or the value of a slot of an entity or of the user."""

    entity: int | None
    """Number of the entity in its dialogue's plan; `None`: the user."""
    label: str
    """Entity type of a mention, slot of a value."""
    is_mention: bool


class TextEdit(NamedTuple):
    """Replacement of the characters from `start` to before `end` by `text`."""

    start: int
    end: int
    text: str


class Text:
    """A text and its marked spans `(start, end, mark)`, which may overlap."""

    __slots__ = ("spans", "text")

    def __init__(self, text: str = "", mark: SpanMark | None = None) -> None:
        self.text = text
        self.spans: list[tuple[int, int, SpanMark]] = [(0, len(text), mark)] if mark is not None else []

    def add(self, other: Text) -> None:
        """Append another text with its spans."""
        if other.spans:
            offset = len(self.text)
            self.spans.extend((start + offset, end + offset, mark) for start, end, mark in other.spans)
        self.text += other.text

    def marked(self, mark: SpanMark) -> Text:
        """Return a copy with a mark around the whole of it."""
        copy = Text(self.text, mark)
        copy.spans.extend(self.spans)
        return copy

    def edit(self, edits: Sequence[TextEdit]) -> None:
        """Make edits that do not overlap, given in any order; a span has the text after editing, an emptied one goes.

        What is inserted at an end of a span stays outside of it, what replaces characters of it is inside.
        """
        if not edits:
            return
        ordered = sorted(edits)
        old, done, shift = self.text, 0, 0
        pieces: list[str] = []
        shifts = []  # (start, end, length of the new text, shift before)
        for start, end, text in ordered:
            if start < done:
                continue  # two edits of one place: the first counts
            pieces += (old[done:start], text)
            shifts.append((start, end, len(text), shift))
            shift += len(text) - (end - start)
            done = end
        pieces.append(old[done:])
        self.text = "".join(pieces)
        if self.spans:
            kept = []
            for first, last, mark in self.spans:
                begin, finish = _moved_start(first, shifts), _moved_end(last, shifts)
                if finish > begin:
                    kept.append((begin, finish, mark))
            self.spans = kept


def _moved_start(place: int, shifts: list[tuple[int, int, int, int]]) -> int:
    """Return where a span that began at `place` begins now: after what was inserted just before it."""
    moved = place
    for start, end, length, before in shifts:
        if start > place:
            break
        if end <= place:  # an edit before it, or an insertion at it
            moved = place + before + length - (end - start)
        elif start == place:  # its first character is replaced
            moved = start + before
        else:  # an edit that began before it reaches into it
            moved = start + before + length
    return moved


def _moved_end(place: int, shifts: list[tuple[int, int, int, int]]) -> int:
    """Return where a span that ended at `place` ends now: before what was inserted just after it."""
    moved = place
    for start, end, length, before in shifts:
        if start >= place:
            break
        moved = place + before + length - (end - start) if end <= place else start + before + length
    return moved
