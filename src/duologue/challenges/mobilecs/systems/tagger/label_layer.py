"""Layers of BIO labels: mentions, values of services, values of the user. Spans of different layers may overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, SERVICE_SLOTS, USER_SLOTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OUTSIDE = 0
"""Number of the label of what lies in no span."""


class KindSpan(NamedTuple):
    """A stretch of a document, end exclusive, and the index of its kind in the layer."""

    start: int
    end: int
    kind: int


class LabelLayer(NamedTuple):
    """Kinds of spans that do not overlap each other. Labels: 0 outside, 1 + 2k begins kind k, 2 + 2k goes on in it."""

    name: str
    kinds: tuple[str, ...]

    @property
    def size(self) -> int:
        """Number of labels."""
        return 1 + 2 * len(self.kinds)

    def labels(self, length: int, spans: Iterable[KindSpan]) -> list[int]:
        """Return a label for each character; of spans that overlap the first counts, the longer before.

        Spans that end outside of the text do not count.

        >>> LabelLayer("x", ("a", "b")).labels(5, [KindSpan(1, 2, 0), KindSpan(1, 4, 1)])
        [0, 3, 4, 4, 0]
        """
        found = [OUTSIDE] * length
        done = 0
        for start, end, kind in sorted(spans, key=lambda span: (span.start, -span.end)):
            if start >= done and start < end <= length:
                found[start:end] = [1 + 2 * kind] + [2 + 2 * kind] * (end - start - 1)
                done = end
        return found


MENTIONS = LabelLayer("mentions", ENTITY_TYPES)
SERVICE_VALUES = LabelLayer("service values", SERVICE_SLOTS)
USER_VALUES = LabelLayer("user values", USER_SLOTS)
ALL_VALUES = LabelLayer("values", tuple(dict.fromkeys((*SERVICE_SLOTS, *USER_SLOTS))))
"""Values of both owners in one layer, as the challenge's baseline has them."""


def loose_spans(labels: Sequence[int]) -> list[KindSpan]:
    """Return the spans of labels as the challenge's baseline reads them.

    A label that goes on opens a span where none is open; a span has the kind of its first label and ends before the
    next one that begins or lies outside: changes of kind inside do not count (specification, section 7).

    >>> loose_spans([0, 2, 2, 1, 4, 0])
    [KindSpan(start=1, end=3, kind=0), KindSpan(start=3, end=5, kind=0)]
    """
    found: list[KindSpan] = []
    start = -1
    for place, label in enumerate((*labels, OUTSIDE)):
        if start >= 0 and (label == OUTSIDE or label % 2):
            found.append(KindSpan(start, place, (labels[start] - 1) // 2))
            start = -1
        if start < 0 and label != OUTSIDE:
            start = place
    return found
