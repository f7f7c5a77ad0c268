"""Annotations whose places follow their text through noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from duologue.core.records import Annotation, Mention, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.text.noise.aligned_text import Stretch

Marked = TypeVar("Marked", Mention, Value)


def stretches_of(annotation: Annotation | None, turn: int | None = None) -> list[Stretch]:
    """Return where the mentions and values of an annotation stand; with `turn`, those of this utterance alone."""
    marked: list[Mention | Value] = [] if annotation is None else [*annotation.mentions, *annotation.values]
    spans = [one.span for one in marked if one.span is not None]
    return [(span.start, span.end) for span in spans if turn is None or span.turn == turn]


def moved_annotation(
    annotation: Annotation, text: str, stretches: Sequence[Stretch], turn: int | None = None
) -> Annotation:
    """Return an annotation at the places that `stretches_of` has now, with the words of `text` that stand there."""
    moved = iter(stretches)
    return msgspec.structs.replace(
        annotation,
        mentions=tuple(_moved(one, moved, text, turn) for one in annotation.mentions),
        values=tuple(_moved(one, moved, text, turn) for one in annotation.values),
    )


def _moved(one: Marked, moved: Iterator[Stretch], text: str, turn: int | None) -> Marked:
    if one.span is None or turn not in (None, one.span.turn):
        return one
    start, end = next(moved)
    span = msgspec.structs.replace(one.span, start=start, end=end)
    return msgspec.structs.replace(one, span=span, text=text[start:end])
