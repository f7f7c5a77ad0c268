"""Features of candidate replies: agreement with the others (as in MBR decoding), slots, wording, repetition.

Rows are candidates of one sample, columns the features named in `FEATURE_NAMES`; all float32. No reference is read.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.spoken.systems.template_nlg.context import QUESTION
from duologue.challenges.spoken.systems.template_nlg.surface_forms import WHOLE
from duologue.challenges.spoken.systems.template_nlg.templates import VALUE, TemplateSlot
from duologue.metrics.pairwise_overlap import KeyedTexts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.spoken.systems.template_nlg.context import ReplyContext
    from duologue.challenges.spoken.systems.template_nlg.surface_forms import Fragment
    from duologue.challenges.spoken.systems.template_nlg.template_index import ReplyCandidate, ReplyTemplateIndex

    Floats = NDArray[np.float32]

_MAX_REFERENCES = 32
_TEMPERATURES = (0.1, 0.3)
"""Temperatures of the weights of pseudo-references by similarity; a third weighting is uniform."""

_AGREEMENT = ("f1", "bleu-1", "bleu-2", "size")
_WEIGHTINGS = ("all", "near", "wide")
_AGREEMENTS = tuple(f"{what}, {who}" for who in _WEIGHTINGS for what in _AGREEMENT)
_PLACE = ("rank", "likeness", "behind the first", "times", "head")
_SIZE = ("characters", "beyond the mean", "beyond own replies", "wording")
_SLOTS = ("values", "values said", "entity", "relation", "same relations", "whole", "listed", "none said")
_FORM = ("asks", "ends asking", "user asked", "own asking", "turn", "turns from its own", "closes with a mark")
_ECHO = ("of question", "of history", "of last own", "pairs new", "begins alike")
_PART = ("part", "first", "clauses", "opens", "closes", "start", "share", "asked", "pairs said", "numbers")
FEATURE_NAMES = (
    *_AGREEMENTS,
    *(f"{name}, below the best" for name in _AGREEMENTS),
    *_PLACE,
    *_SIZE,
    *_SLOTS,
    *_FORM,
    *_ECHO,
    *_PART,
)


class CandidateUtility(NamedTuple):
    """Scores of candidates (rows) against pseudo-references (columns), (c, r) each."""

    f1: NDArray[np.float64]
    bleu_1: NDArray[np.float64]
    bleu_2: NDArray[np.float64]

    @property
    def mean(self) -> NDArray[np.float64]:
        """Mean of the three, weighted as in the challenge's total."""
        return (self.f1 + self.bleu_1 + self.bleu_2) / 3


def utility_of(candidates: Sequence[str], references: Sequence[str]) -> CandidateUtility:
    """Return generation F1, BLEU-1 and BLEU-2 of each candidate against each reference, white space left out."""
    c = len(candidates)
    texts = KeyedTexts.of_characters(["".join(text.split()) for text in (*candidates, *references)])
    sizes = texts.sizes.astype(np.float64)
    hits = texts.overlaps(c).astype(np.float64)
    both = texts.bigrams.overlaps(c).astype(np.float64)
    said, wanted = np.maximum(sizes[:c, None], 1), sizes[None, c:]
    brevity = np.exp(np.minimum(0.0, 1 - wanted / said))
    bleu_2 = brevity * np.sqrt(hits / said * both / np.maximum(said - 1, 1))
    return CandidateUtility(2 * hits / np.maximum(said + wanted, 1), brevity * hits / said, bleu_2)


def candidate_features(
    context: ReplyContext, candidates: Sequence[ReplyCandidate], index: ReplyTemplateIndex
) -> Floats:
    """Return the features (candidates, len(FEATURE_NAMES)) of the candidates for one context."""
    similarity = np.array([one.similarity for one in candidates])
    weight = np.array([0.0 if one.head else one.times for one in candidates], dtype=np.float64)
    if not weight.any():
        weight += 1.0
    order = np.argsort(-np.where(weight > 0, similarity, -1.0), kind="stable")
    weight[order[_MAX_REFERENCES:]] = 0.0
    weightings = [
        weight,
        *(np.exp((similarity - similarity.max()) / temperature) * weight for temperature in _TEMPERATURES),
    ]
    texts = [one.text for one in candidates]
    sizes = np.array([len("".join(text.split())) for text in texts], dtype=np.float64)
    references = np.flatnonzero(weight)
    agreement = utility_of(texts, [texts[place] for place in references])
    columns = []
    for weighting in weightings:
        share = weighting[references] / weighting[references].sum()
        columns += [agreement.f1 @ share, agreement.bleu_1 @ share, agreement.bleu_2 @ share]
        columns.append(np.log(np.maximum(sizes, 1) / max(1.0, float(sizes[references] @ share))))
    table = np.column_stack(columns)
    place = _ContextFeatures(context)
    rows = [
        [
            *(one.rank, one.similarity, one.similarity - candidates[0].similarity, one.times, one.head),
            *(sizes[number], sizes[number] - sizes.mean(), sizes[number] - place.mean_size, place.wording(one)),
            *place.slots(one, index),
            *place.form(one, texts[number], index),
            *place.echo(texts[number]),
            *place.part(one.part),
        ]
        for number, one in enumerate(candidates)
    ]
    return np.column_stack([table, table - table.max(axis=0), np.array(rows, dtype=np.float64)]).astype(np.float32)


class _ContextFeatures:
    """Features that compare a candidate with its context."""

    def __init__(self, context: ReplyContext) -> None:
        self.context = context
        self.question = set(pairwise(context.question))
        self.asked = {sign for sign in context.asked if sign.isalnum()}
        self.history = {pair for text in context.history for pair in pairwise(text)}
        self.own = {pair for text in context.own[-1:] for pair in pairwise(text)}
        self.begins = {text[:2] for text in context.own}
        self.mean_size = sum(map(len, context.own)) / len(context.own) if context.own else 24.0
        asks = sum(bool(QUESTION.search(text)) for text in context.own)
        self.asking = asks / len(context.own) if context.own else 0.5
        self.user_asks = bool(QUESTION.search(context.history[-1])) if context.history else False
        self.values = sum(len(group.values) for group in context.groups)

    @staticmethod
    def wording(one: ReplyCandidate) -> int:
        """Return the number of characters outside the slots."""
        return sum(len(piece) for piece in one.pieces if isinstance(piece, str))

    def slots(self, one: ReplyCandidate, index: ReplyTemplateIndex) -> tuple[float, ...]:
        """Return the features of the slots: values said, entity, relation, forms."""
        slots = [piece for piece in one.pieces if isinstance(piece, TemplateSlot)]
        values = [slot for slot in slots if slot.what == VALUE]
        said = sum(slot.count or len(self.context.groups[one.order[slot.group]].values) for slot in values)
        return (
            *(self.values, said / max(1, self.values), any(slot.what == "entity" for slot in slots)),
            any(slot.what == "relation" for slot in slots),
            sorted(index.entries[one.entry].relations) == sorted(self.context.relations),
            all(slot.form == WHOLE for slot in values),
            any(slot.count for slot in values),
            not values,
        )

    def form(self, one: ReplyCandidate, text: str, index: ReplyTemplateIndex) -> tuple[float, ...]:
        """Return the features of form: questions, turn, final mark."""
        return (
            *("？" in text or "?" in text, bool(QUESTION.search(text)), self.user_asks, self.asking),
            *(self.context.turn, abs(index.entries[one.entry].turn - self.context.turn), text[-1:] in "。？！!?~"),
        )

    def echo(self, text: str) -> tuple[float, ...]:
        """Return the features of repetition: overlap with question, history and own last turn."""
        pairs = set(pairwise(text)) or {("", "")}
        shares = [len(pairs & other) / len(pairs) for other in (self.question, self.history, self.own)]
        return *shares, len(pairs - self.history), text[:2] in self.begins

    def part(self, part: Fragment | None) -> tuple[float, ...]:
        """Return the features of the part of a long value that a candidate says."""
        if part is None:
            return (0.0,) * len(_PART)
        value = next((group.values[0] for group in self.context.groups if group.long), "")
        pairs = set(pairwise(part.text)) or {("", "")}
        signs = set(part.text)
        return (
            *(1.0, part.first, part.clauses, part.opens, part.closes, part.start, len(part.text) / max(1, len(value))),
            len(signs & self.asked) / max(1, len(self.asked)),
            len(pairs & self.history) / len(pairs),
            sum(sign.isdigit() for sign in part.text) / max(1, len(part.text)),
        )
