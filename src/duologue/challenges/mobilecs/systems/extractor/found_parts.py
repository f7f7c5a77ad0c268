"""Mentions and values that the tagger finds in a call, with the probabilities of their types and slots.

Spans are those of the best sequence of labels, on the mass of all that begin, go on or lie outside, so that doubt
between two types is no doubt about a mention. A name that was found once is looked for in the rest of the call.
"""

from __future__ import annotations

import re
from itertools import islice, pairwise
from math import inf, log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import NOISE
from duologue.challenges.mobilecs.systems.tagger.label_layer import OUTSIDE
from duologue.metrics.softmax import log_softmax

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.extractor.decision_levels import DecisionLevels, SpanLevel
    from duologue.challenges.mobilecs.systems.tagger.document import Document
    from duologue.challenges.mobilecs.systems.tagger.network import TaggedText
    from duologue.core.records import Span

_WITHOUT_NOISE = str.maketrans("", "", NOISE)
_NUMBERS = re.compile("[零〇一二三四五六七八九十百千万两幺半0-9]+")
_POINTING = frozenset("这那它该此")
_CERTAIN = -0.02
"""Log probability of lying outside from which a character is not looked at."""
_LEAST = 1e-9
MAX_PARTS = 256
"""Mentions that are looked for in a call, and values of either kind: linking takes the square of their number. Calls
of people have some tens.
"""
SHORTEST_NAME = 2
"""Characters of a name that is looked for elsewhere in the call."""
CONTEXT = 4
"""Vectors of the tagger that tell in what words a mention stands."""


class FoundPart(NamedTuple):
    """A mention or a value."""

    start: int
    """In the text of the call, end exclusive."""
    end: int
    span: Span
    role: str
    """Who says it."""
    kinds: tuple[float, ...]
    """Log probability of each type or slot."""
    text: str
    """As said, without breaks and in lower case."""
    numbers: frozenset[str]
    """Numbers in it, as they are read."""
    pointing: bool
    """Whether it is a pronoun, or begins with a demonstrative."""
    context: NDArray[np.float32] | None = None
    """Of a mention: the tagger's vectors of the character before it, of its first and last, and of the one behind."""

    @property
    def kind(self) -> int:
        """Index of the most probable type or slot."""
        return self.kinds.index(max(self.kinds))


class FoundCall(NamedTuple):
    """What was found in a call, each list in the order of the text."""

    mentions: list[FoundPart]
    values: list[FoundPart]
    """Of services."""
    own: list[FoundPart]
    """Values of the user."""


def as_said(text: str) -> str:
    """Return words without breaks and in lower case."""
    return text.translate(_WITHOUT_NOISE).lower()


def part_of(document: Document, start: int, end: int, kinds: Iterable[float]) -> FoundPart | None:
    """Return a stretch of a call as a part; `None` if it is not within one utterance, or nothing but breaks in it."""
    span = document.span(start, end)
    text = as_said(document.text[start:end])
    if span is None or not text:
        return None
    return FoundPart(
        start=start,
        end=end,
        span=span,
        role=document.roles[span.turn - document.first],
        kinds=tuple(kinds),
        text=text,
        numbers=frozenset(_NUMBERS.findall(text)),
        pointing=text[:1] in _POINTING,
    )


def found_call(document: Document, said: TaggedText, levels: DecisionLevels) -> FoundCall:
    """Return the parts of a call from what the tagger says of it, in three layers."""
    mentions, values, own = (
        parts_above(document, layer, level)
        for layer, level in zip(said.layers, (levels.mention, levels.value, levels.own), strict=True)
    )
    mentions = with_repeated(document, mentions, said.layers[0], levels.repeated)
    return FoundCall([in_context(part, said.vectors) for part in mentions], values, own)


def in_context(part: FoundPart, vectors: NDArray[np.float32]) -> FoundPart:
    """Return a mention with the words around it, as the vectors of its call (n, d) tell them."""
    places = [max(0, part.start - 1), part.start, part.end - 1, min(len(vectors) - 1, part.end)]
    return part._replace(context=vectors[places].reshape(-1).astype(np.float32))


def part_in(document: Document, layer: NDArray[np.float32], start: int, end: int) -> FoundPart | None:
    """Return a stretch of a call with what a layer says of its kind; `None` where it is no part of the call."""
    return part_of(document, start, end, *_kinds(layer, [(start, end)]))


def parts_above(document: Document, layer: NDArray[np.float32], at: SpanLevel) -> list[FoundPart]:
    """Return the spans of a layer that are preferred to none at a level, the first `MAX_PARTS` of them."""
    places = np.flatnonzero(layer[:, 0] < _CERTAIN)
    if not len(places):
        return []
    shares = np.exp(layer[places])
    begins, goes_on = (np.log(shares[:, first::2].sum(1) + _LEAST) for first in (1, 2))
    outside = layer[places, 0] + log(at.level / (1 - at.level))
    begins -= at.begin
    scores = [one.tolist() for one in (outside, begins, goes_on)]
    spans = []
    runs = np.flatnonzero(np.diff(places) > 1) + 1
    ends = (0, *runs.tolist(), len(places))
    for (first, last), offset in zip(pairwise(ends), places[[0, *runs]].tolist(), strict=True):
        spans += [(offset + start, offset + end) for start, end in best_spans(*(one[first:last] for one in scores))]
    parts = (part_of(document, *span, kinds) for span, kinds in zip(spans, _kinds(layer, spans), strict=True))
    return list(islice((part for part in parts if part is not None), MAX_PARTS))


def best_spans(outside: list[float], begins: list[float], goes_on: list[float]) -> list[tuple[int, int]]:
    """Return the spans of the best sequence of labels, in which none goes on where none has begun (Viterbi).

    >>> low, high = -9.0, -0.1
    >>> best_spans([low, low, high], [-2.0, -0.9, low], [-0.1, -0.5, low])
    [(0, 2)]
    """
    out, begun, inside = outside[0], begins[0], -inf
    steps: list[tuple[int, int]] = []
    for next_out, begin, go_on in zip(outside[1:], begins[1:], goes_on[1:], strict=True):
        inner, within = (1, begun) if begun >= inside else (2, inside)
        state, top = (inner, within) if within > out else (OUTSIDE, out)
        steps.append((state, inner))
        out, begun, inside = top + next_out, top + begin, within + go_on
    state = OUTSIDE if out >= max(begun, inside) else 1 if begun >= inside else 2
    found = []
    end = len(outside)
    for place in range(len(outside) - 1, -1, -1):
        if state == 1:
            found.append((place, end))
        if state != 2:
            end = place
        if place:
            before, inner = steps[place - 1]
            state = inner if state == 2 else before
    return found[::-1]


def _kinds(layer: NDArray[np.float32], spans: Sequence[tuple[int, int]]) -> list[list[float]]:
    """Return the log probability of each kind for spans: the mean over the characters, normalised."""
    if not spans:
        return []
    first = layer[[start for start, _ in spans], 1::2].astype(np.float64)
    others = np.zeros(first.shape, dtype=np.float32)
    for row, (start, end) in zip(others, spans, strict=True):
        np.add.reduce(layer[start + 1 : end, 2::2], 0, out=row)
    lengths = [[end - start] for start, end in spans]
    normalised: list[list[float]] = log_softmax((first + others) / lengths).tolist()
    return normalised


def with_repeated(
    document: Document, mentions: list[FoundPart], layer: NDArray[np.float32], level: float
) -> list[FoundPart]:
    """Add other places of names that were found, where the tagger gives them at least `level` on average; none at 1.

    There are never more than `MAX_PARTS` in all.
    """
    if level >= 1:
        return mentions
    taken = bytearray(len(document.text))
    for one in mentions:
        taken[one.start : one.end] = b"\1" * (one.end - one.start)
    outside = np.exp(layer[:, 0])
    added: list[FoundPart] = []
    for name in sorted({document.text[one.start : one.end] for one in mentions}, key=lambda name: (-len(name), name)):
        if len(name) < SHORTEST_NAME:
            continue
        place = document.text.find(name)
        while place >= 0 and len(mentions) + len(added) < MAX_PARTS:
            end = place + len(name)
            if not any(taken[place:end]) and 1 - outside[place:end].mean() >= level:
                part = part_in(document, layer, place, end)
                if part is not None:
                    added.append(part)
                    taken[place:end] = b"\1" * len(name)
            place = document.text.find(name, place + 1)
    return sorted([*mentions, *added], key=lambda one: one.start) if added else mentions
