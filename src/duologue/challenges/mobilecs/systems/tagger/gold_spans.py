"""Annotated mentions and values as spans of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.systems.tagger.label_layer import KindSpan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duologue.challenges.mobilecs.systems.tagger.document import Document
    from duologue.challenges.mobilecs.systems.tagger.label_layer import LabelLayer
    from duologue.core.records import Annotation, Example, Mention, Value


def annotation_of(example: Example) -> Annotation | None:
    """Return the annotation of an example; `None` if it has none."""
    return example.references[0].annotation if example.references else None


def mention_spans(document: Document, mentions: Iterable[Mention], layer: LabelLayer) -> list[KindSpan]:
    """Return the mentions that lie in a document and have a type of the layer."""
    kinds = {kind: number for number, kind in enumerate(layer.kinds)}
    found = ((document.stretch(one.span), one.label) for one in mentions if one.span is not None)
    return [KindSpan(*place, kinds[label]) for place, label in found if place is not None and label in kinds]


def value_spans(document: Document, values: Iterable[Value], layer: LabelLayer) -> list[KindSpan]:
    """Return the values that lie in a document and have a slot of the layer."""
    kinds = {kind: number for number, kind in enumerate(layer.kinds)}
    found = ((document.stretch(one.span), one.slot) for one in values if one.span is not None)
    return [KindSpan(*place, kinds[slot]) for place, slot in found if place is not None and slot in kinds]
