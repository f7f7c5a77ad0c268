"""Calls as the pipeline's scorers see them: mentions and values with their places and vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.mobilecs.systems.tagger.document import turn_documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.tagger.document import Document
    from duologue.core.records import Span, Turn


class FoundSpan(NamedTuple):
    """A mention or value in a call."""

    label: str
    """Type or slot."""
    span: Span
    start: int
    """Its place in the text of the whole call."""
    vector: NDArray[np.float32]
    """Mean of the vectors of its characters (d,)."""


class PlacedTurn(NamedTuple):
    """A turn, and where it begins in the text of the call."""

    document: Document
    offset: int


def placed_turns(turns: Sequence[Turn], longest: int) -> list[PlacedTurn]:
    """Return the turns of a call, each cut after its first `longest` characters."""
    found = []
    offset = 0
    for document in turn_documents(turns):
        found.append(PlacedTurn(document._replace(text=document.text[:longest]), offset))
        offset += len(document.text)
    return found


def found_span(turn: PlacedTurn, vectors: NDArray[np.float32], start: int, end: int, label: str) -> FoundSpan | None:
    """Return a stretch of a turn; `None` if it crosses the border of its utterances."""
    span = turn.document.span(start, end)
    if span is None:
        return None
    return FoundSpan(label, span, turn.offset + start, vectors[start:end].mean(0))


def starts_of(turns: Sequence[Turn]) -> NDArray[np.int64]:
    """Return where each utterance begins in the text of the call."""
    return np.cumsum([0, *(len(turn.text) for turn in turns)])
