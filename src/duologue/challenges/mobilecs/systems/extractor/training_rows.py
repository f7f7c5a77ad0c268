"""Labelled calls to train the joint extractor's tagger on, some of them a second time with other names."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, overload

import numpy as np

from duologue.challenges.mobilecs.systems.extractor.renamed_call import SignExchange
from duologue.challenges.mobilecs.systems.tagger.char_features import features_of
from duologue.challenges.mobilecs.systems.tagger.document import call_document
from duologue.challenges.mobilecs.systems.tagger.gold_spans import annotation_of, mention_spans, value_spans
from duologue.challenges.mobilecs.systems.tagger.label_layer import MENTIONS, SERVICE_VALUES, USER_VALUES
from duologue.challenges.mobilecs.systems.tagger.network import IGNORED, TaggedDocument
from duologue.core.records import Annotation
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.extractor.recipe import ExtractorRecipe
    from duologue.challenges.mobilecs.systems.tagger.document import Document
    from duologue.core.records import Example

LAYERS = (MENTIONS, SERVICE_VALUES, USER_VALUES)
"""Layers of the joint extractor's tagger."""


class CallRows(Sequence[TaggedDocument]):
    """Annotated calls as they are, and with other signs in the names of services, which are others in each epoch."""

    def __init__(self, examples: Sequence[Example], recipe: ExtractorRecipe, seed: int) -> None:
        self._given = examples, recipe, seed
        self._epoch, plain = 0, labelled_rows(examples, recipe)
        self._plain = len(plain)
        self._rows = plain + renamed_rows(examples, recipe, seed)

    def begin(self, epoch: int) -> None:
        """Take the names of an epoch, from 0: places and lengths stay, so that its steps are those of any other."""
        if epoch != self._epoch:
            self._epoch, self._rows[self._plain :] = epoch, renamed_rows(*self._given, epoch)

    def __len__(self) -> int:
        """Return the number of calls, each as often as it is read in an epoch."""
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> TaggedDocument: ...

    @overload
    def __getitem__(self, place: slice) -> list[TaggedDocument]: ...

    def __getitem__(self, place: int | slice) -> TaggedDocument | list[TaggedDocument]:
        """Return a call, or some."""
        return self._rows[place]


def labelled_rows(examples: Sequence[Example], recipe: ExtractorRecipe) -> list[TaggedDocument]:
    """Return annotated calls as the tagger learns them."""
    documents = [call_document(one.sample.history) for one in examples]
    return [
        TaggedDocument(features_of(document), _labels(document, example, recipe))
        for document, example in zip(documents, examples, strict=True)
        if document.text
    ]


def renamed_rows(
    examples: Sequence[Example], recipe: ExtractorRecipe, seed: int, epoch: int = 0
) -> list[TaggedDocument]:
    """Return the calls with other signs in the names of services, each as often as the recipe says."""
    return [
        TaggedDocument(features_of(document), _labels(document, example, recipe))
        for example, document in renamed_documents(examples, recipe.renamed, seed, epoch)
    ]


def renamed_documents(
    examples: Sequence[Example], times: float, seed: int, epoch: int = 0
) -> list[tuple[Example, Document]]:
    """Return annotated calls with other signs in the names of services, `times` each; spans keep their places.

    A fraction of `times` is the share of the calls that are renamed once more. Calls that name nothing are left out.
    In each epoch the same calls have other signs.
    """
    if not times:
        return []
    annotations = [annotation_of(one) or Annotation() for one in examples]
    exchange = SignExchange(mention.text for one in annotations for mention in one.mentions)
    found = []
    for time in range(ceil(times)):
        for example, annotation in zip(examples, annotations, strict=True):
            rng = Rng(seed, "renamed", example.sample.id, *([time] if time else []))
            names = [mention.text for mention in annotation.mentions]
            if names and rng.happens(min(1.0, times - time)):
                if epoch:
                    rng = Rng(seed, "renamed", example.sample.id, time, "epoch", epoch)
                document = call_document(example.sample.history)
                found.append((example, document._replace(text=exchange.exchanged(document.text, names, rng))))
    return found


def _labels(document: Document, example: Example, recipe: ExtractorRecipe) -> NDArray[np.int64]:
    """Return the labels of a call in each layer (layers, n)."""
    annotation = annotation_of(example) or Annotation()
    services = [one for one in annotation.values if one.entity is not None]
    own = [one for one in annotation.values if one.entity is None]
    spans = (
        mention_spans(document, annotation.mentions, MENTIONS),
        value_spans(document, services, SERVICE_VALUES),
        value_spans(document, own, USER_VALUES),
    )
    labels = np.array(
        [layer.labels(len(document.text), some) for layer, some in zip(LAYERS, spans, strict=True)], dtype=np.int64
    )
    if recipe.turns == "annotated":
        for row in labels:
            for first in range(0, len(document.roles), 2):
                start, end = document.starts[first], document.starts[min(first + 2, len(document.roles))]
                if not row[start:end].any():
                    row[start:end] = IGNORED
    return labels
