"""Documents: texts that the tagger reads, with the utterances they are made of."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.records import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Turn

JOINT = "\n"
"""Stands between the utterances of a call."""


class Document(NamedTuple):
    """Some utterances of a dialogue as one text."""

    text: str
    roles: tuple[str, ...]
    """Speaker of each utterance."""
    starts: tuple[int, ...]
    """Where each utterance begins in the text, then the end of the last one, its joint included."""
    joint: int = 1
    """Characters between two utterances."""
    first: int = 0
    """Index of its first utterance in the dialogue."""

    def span(self, start: int, end: int) -> Span | None:
        """Return a stretch of the text as a span of its utterance; `None` if it is not within one."""
        number = bisect_right(self.starts, start, hi=len(self.roles)) - 1
        offset = self.starts[number]
        if not start < end <= self.starts[number + 1] - self.joint:
            return None
        return Span(turn=self.first + number, start=start - offset, end=end - offset)

    def stretch(self, span: Span) -> tuple[int, int] | None:
        """Return start and end of a span in the text; `None` if it lies elsewhere or is empty."""
        number = span.turn - self.first
        if not 0 <= number < len(self.roles):
            return None
        offset = self.starts[number]
        start, end = offset + span.start, min(offset + span.end, self.starts[number + 1] - self.joint)
        return (start, end) if offset <= start < end else None


def call_document(turns: Sequence[Turn]) -> Document:
    """Return a whole call as one document, an utterance and a joint after another."""
    return _document([turn.text for turn in turns], [turn.speaker for turn in turns], JOINT, 0)


def turn_documents(turns: Sequence[Turn]) -> list[Document]:
    """Return a document for each turn of the challenge: its two utterances with nothing between."""
    pairs = [(place, turns[place : place + 2]) for place in range(0, len(turns), 2)]
    return [_document([one.text for one in pair], [one.speaker for one in pair], "", place) for place, pair in pairs]


def _document(texts: list[str], roles: list[str], joint: str, first: int) -> Document:
    starts = [0]
    for text in texts:
        starts.append(starts[-1] + len(text) + len(joint))
    return Document("".join(text + joint for text in texts), tuple(roles), tuple(starts), len(joint), first)
