"""Retrieval index of reply templates from the training dialogues, searched by the context that they answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.spoken.systems.template_nlg.context import query_terms
from duologue.challenges.spoken.systems.template_nlg.surface_forms import fragments_of
from duologue.challenges.spoken.systems.template_nlg.templates import (
    BARE,
    Template,
    fill,
    head_of,
    takes_part,
)
from duologue.core.records import Record
from duologue.knowledge.grouped_terms import GroupedTerms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.challenges.spoken.systems.template_nlg.context import ReplyContext
    from duologue.challenges.spoken.systems.template_nlg.surface_forms import Fragment

_MOST_PARTS = 200  # candidates where some say a part of a text
_FRAMES = 4  # templates that are tried with each part of a text


class IndexedTemplate(Record, frozen=True, kw_only=True):
    """A training reply as a template, with the terms of its context."""

    pieces: Template
    relations: tuple[str, ...]
    """Relation of each of its groups of facts."""
    dialogue: str
    """Its dialogue; in training no dialogue retrieves its own templates."""
    turn: int
    groups: tuple[tuple[float, tuple[str, ...]], ...]
    """Retrieval terms of its context, in weighted groups."""
    needs: tuple[str, ...] = ()
    """Claims in its wording: it is used only where they are supported."""


class ReplyCandidate(NamedTuple):
    """A candidate reply: a template with its slots filled."""

    said: tuple[str, ...]
    """The text of each piece."""
    pieces: Template
    order: Sequence[int]
    """For each group of the template, the group of the context that fills it."""
    entry: int
    similarity: float
    """Similarity of the contexts."""
    times: int
    """Templates that give the same text."""
    head: bool
    """Whether the template was cut after its last value."""
    part: Fragment | None = None
    """The part of a long value that it says."""
    rank: int = 0
    """Rank of its template among those retrieved."""

    @property
    def text(self) -> str:
        """The reply."""
        return "".join(self.said)


class TemplateIndex:
    """TF-IDF index of templates over the terms of their contexts."""

    def __init__(self, entries: Sequence[IndexedTemplate]) -> None:
        self.entries = list(entries)
        self._similarity = GroupedTerms([entry.groups for entry in self.entries])
        dialogues: dict[str, int] = {}
        self._dialogue = np.array([dialogues.setdefault(entry.dialogue, len(dialogues)) for entry in self.entries])
        self._dialogues = dialogues
        self._heads = [head_of(entry.pieces) for entry in self.entries]
        self._about = np.array([bool(entry.relations) for entry in self.entries], dtype=bool)

    def search(
        self, context: ReplyContext, known: str, *, limit: int, pool: int, apart: str | None = None
    ) -> list[ReplyCandidate]:
        """Return up to `limit` different candidates from the `pool` templates with the most similar contexts.

        Templates with facts answer contexts with facts, small talk answers small talk. The claims of a template must
        be supported by `known`; templates of the dialogue `apart` are left out. Ties go to the earlier template.
        """
        alike = self._similarity.similarities(query_terms(context))
        alike[self._about != bool(context.groups)] = -1.0
        if apart is not None and apart in self._dialogues:
            alike[self._dialogue == self._dialogues[apart]] = -1.0
        best = np.argsort(-alike, kind="stable")[:pool].tolist()
        found: dict[str, ReplyCandidate] = {}
        parts = [part for group in context.groups if group.long for part in fragments_of(group.values[0])]
        frames = 0
        for rank, number in enumerate(best):
            if alike[number] < 0 or len(found) >= (_MOST_PARTS if parts else limit):
                break
            entry = self.entries[number]
            order = _order(entry.relations, context.relations)
            if order is None or any(need not in known for need in entry.needs):
                continue
            framed = bool(parts) and takes_part(entry.pieces, context.groups, order)
            frames += framed
            if framed and frames > _FRAMES:
                continue
            for said, pieces, head, part in self._fillings(number, context, order, parts if framed else (None,)):
                _add(found, ReplyCandidate(said, pieces, order, number, float(alike[number]), 1, head, part, rank))
        if not frames and len(context.groups) == 1 and best:
            for part in parts:
                _add(
                    found,
                    ReplyCandidate(
                        (part.text, "。"), BARE, [0], best[0], 0.0, 1, head=False, part=part, rank=len(best)
                    ),
                )
        return list(found.values())

    def _fillings(
        self, number: int, context: ReplyContext, order: Sequence[int], parts: Sequence[Fragment | None]
    ) -> Iterator[tuple[tuple[str, ...], Template, bool, Fragment | None]]:
        """Yield a template filled with each of the parts, whole and cut after its last value."""
        for head, pieces in ((False, self.entries[number].pieces), (True, self._heads[number])):
            for part in parts if pieces is not None else ():
                assert pieces is not None
                said = fill(pieces, context.groups, order, part)
                if said is not None:
                    yield said, pieces, head, part


def _add(found: dict[str, ReplyCandidate], one: ReplyCandidate) -> None:
    before = found.get(one.text)
    found[one.text] = one if before is None else before._replace(times=before.times + 1)


def _order(theirs: Sequence[str], ours: Sequence[str]) -> list[int] | None:
    """Return for each group of a template the group of the context that fills it; `None` where there are too few.

    Groups of the same relation are matched first, the others in their order.
    """
    if len(theirs) > len(ours):
        return None
    left = list(range(len(ours)))
    order = [-1] * len(theirs)
    for place, relation in enumerate(theirs):
        same = next((number for number in left if ours[number] == relation), None)
        if same is not None:
            order[place] = same
            left.remove(same)
    for place, number in enumerate(order):
        if number < 0:
            order[place] = left.pop(0)
    return order
