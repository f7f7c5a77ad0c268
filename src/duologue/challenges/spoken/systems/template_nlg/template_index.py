"""Retrieval index of reply templates from the training dialogues, searched by the context that they answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from duologue.retrieval.template_index import TemplateCandidate, TemplateEntry, TemplateIndex, merged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.challenges.spoken.systems.template_nlg.context import ReplyContext
    from duologue.challenges.spoken.systems.template_nlg.surface_forms import Fragment
    from duologue.retrieval.template_index import RetrievedTemplate

_MAX_PARTS = 200  # candidates where some say a part of a text
_FRAMES = 4  # templates that are tried with each part of a text


class IndexedTemplate(TemplateEntry, frozen=True, kw_only=True, rename={"source": "dialogue"}):
    """A training reply as a template."""

    source: str
    """Its dialogue; `dialogue` in files."""
    pieces: Template
    relations: tuple[str, ...]
    """Relation of each of its groups of facts."""


class ReplyCandidate(TemplateCandidate, frozen=True, kw_only=True):
    """A candidate reply: a template with its slots filled."""

    said: tuple[str, ...]
    """The text of each piece."""
    pieces: Template
    order: Sequence[int]
    """For each group of the template, the group of the context that fills it."""
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

    @property
    def key(self) -> str:
        """The reply."""
        return self.text


class ReplyTemplateIndex(TemplateIndex[IndexedTemplate]):
    """Searchable index of reply templates."""

    def __init__(self, entries: Sequence[IndexedTemplate]) -> None:
        super().__init__(entries)
        self._heads = [head_of(entry.pieces) for entry in self.entries]
        self._about = np.array([bool(entry.relations) for entry in self.entries], dtype=bool)

    def search(self, context: ReplyContext, *, limit: int, pool: int, apart: str | None = None) -> list[ReplyCandidate]:
        """Return up to `limit` different candidates from the `pool` templates with the most similar contexts.

        Templates with facts answer contexts with facts, small talk answers small talk. The claims of a template must
        be supported; templates of the dialogue `apart` are left out. Ties go to the earlier template.
        """
        retrieved = self.nearest(query_terms(context), self._about == bool(context.groups), pool=pool, apart=apart)
        parts = [part for group in context.groups if group.long for part in fragments_of(group.values[0])]
        frames = 0

        def candidates_of(one: RetrievedTemplate) -> Iterator[ReplyCandidate]:
            nonlocal frames
            entry = self.entries[one.entry]
            order = _order(entry.relations, context.relations)
            if order is None:
                return
            framed = bool(parts) and takes_part(entry.pieces, context.groups, order)
            frames += framed
            if not framed or frames <= _FRAMES:
                yield from self._filled(one, context, order, parts if framed else (None,))

        found = self.distinct(retrieved, candidates_of, known=context.known, limit=_MAX_PARTS if parts else limit)
        if frames or len(context.groups) != 1 or not self.entries:
            return found
        first, rank = retrieved[0].entry if retrieved else 0, min(pool, len(self.entries))
        alone = [
            ReplyCandidate(
                entry=first,
                similarity=0.0,
                said=(part.text, "。"),
                pieces=BARE,
                order=[0],
                head=False,
                part=part,
                rank=rank,
            )
            for part in parts
        ]
        return merged([*found, *alone])

    def _filled(
        self,
        one: RetrievedTemplate,
        context: ReplyContext,
        order: Sequence[int],
        parts: Sequence[Fragment | None],
    ) -> Iterator[ReplyCandidate]:
        """Yield a template filled with each of the parts, whole and cut after its last value."""
        for head, pieces in ((False, self.entries[one.entry].pieces), (True, self._heads[one.entry])):
            for part in parts if pieces is not None else ():
                assert pieces is not None
                said = fill(pieces, context.groups, order, part)
                if said is not None:
                    yield ReplyCandidate(
                        entry=one.entry,
                        similarity=one.similarity,
                        said=said,
                        pieces=pieces,
                        order=order,
                        head=head,
                        part=part,
                        rank=one.rank,
                    )


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
