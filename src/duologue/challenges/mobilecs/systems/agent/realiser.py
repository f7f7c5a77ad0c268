"""Says an action in the words of people: finds templates of similar turns, fills them, takes what most agree with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import USER
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME
from duologue.challenges.mobilecs.systems.agent.staff_templates import key_of, terms_of
from duologue.metrics.ngrams import char_ngrams
from duologue.retrieval.template_index import TemplateCandidate, TemplateIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.agent.call_view import CallView
    from duologue.challenges.mobilecs.systems.agent.kb_pieces import KbPiece
    from duologue.challenges.mobilecs.systems.agent.staff_policy import StaffAction
    from duologue.challenges.mobilecs.systems.agent.staff_templates import Key, StaffTemplate
    from duologue.retrieval.template_index import RetrievedTemplate

    Mask = NDArray[np.bool_]

_OFTEN = 2
"""Replies that may have the same name or value."""
_LONGEST = 4
"""Characters of the longest runs that replies are compared by."""


class FilledTemplate(TemplateCandidate, frozen=True, kw_only=True):
    """A template with the values of the base."""

    text: str

    @property
    def key(self) -> str:
        """What it says."""
        return self.text


class Realiser:
    """Makes replies of actions."""

    def __init__(self, templates: Sequence[StaffTemplate], *, pool: int) -> None:
        self.index = TemplateIndex(templates)
        self._pool = pool
        self._by_key: dict[Key, Mask] = {}
        self._by_labels: dict[tuple[str, ...], Mask] = {}
        n = len(templates)
        for number, one in enumerate(templates):
            self._by_key.setdefault(one.key, np.zeros(n, dtype=np.bool_))[number] = True
            self._by_labels.setdefault(one.labels, np.zeros(n, dtype=np.bool_))[number] = True

    def reply(self, view: CallView, action: StaffAction) -> str:
        """Return the reply of an action; it tells the values of its pieces, whatever templates there are.

        Pieces that no template tells together are told one after the other, and a piece that none tells stands alone.
        """
        pieces = [view.pieces[number] for number in action.tells]
        found = self._best(view, action.labels, pieces)
        if found is not None:
            return found
        each = [self._best(view, action.labels, [piece]) or value_of(piece, view) for piece in pieces]
        return "，".join(each) if each else self._best(view, (), []) or ""

    def _best(self, view: CallView, labels: tuple[str, ...], pieces: Sequence[KbPiece]) -> str | None:
        """Return the reply that tells exactly these pieces; `None` where no template does."""
        owners: dict[str, list[str]] = {}
        for piece in pieces:
            owners.setdefault(piece.owner, []).append(piece.slot)
        usable = self._by_key.get(key_of(owners.items()))
        if usable is None:
            return None
        of_labels = self._by_labels.get(labels)
        if of_labels is not None and (usable & of_labels).any():
            usable = usable & of_labels
        retrieved = self.index.nearest(terms_of(view, labels), usable, pool=self._pool)
        found = self.index.distinct(retrieved, lambda one: self._filled(one, view, pieces), known=(), limit=self._pool)
        worn = worn_out(view) - {value.lower() for piece in pieces for value in piece.values}
        found = [one for one in found if not any(one_worn in one.text.lower() for one_worn in worn)] or found
        fresh = [one for one in found if one.text not in view.staff] or found
        return fresh[most_agreed([(one.text, one.times) for one in fresh])].text if fresh else None

    def _filled(self, found: RetrievedTemplate, view: CallView, pieces: Sequence[KbPiece]) -> Iterator[FilledTemplate]:
        template: StaffTemplate = self.index.entries[found.entry]
        fills = fillings(template, view, pieces)
        if fills is not None:
            text = "".join(part + fill for part, fill in zip(template.parts, (*fills, ""), strict=True))
            yield FilledTemplate(entry=found.entry, similarity=found.similarity, text=text)


def fillings(template: StaffTemplate, view: CallView, pieces: Sequence[KbPiece]) -> list[str] | None:
    """Return what fills the holes of a template that tells these pieces; `None` where they do not fit after all."""
    told: dict[str, dict[str, KbPiece]] = {}
    for piece in pieces:
        told.setdefault(piece.owner, {})[piece.slot] = piece
    wanted: dict[int, set[str]] = {}
    for hole in template.holes:
        wanted.setdefault(hole.owner, set()).add(hole.slot)
    owners: dict[int, str] = {}
    for number, slots in wanted.items():
        fitting = (
            owner
            for owner, own in told.items()
            if owner not in owners.values()
            and (owner == USER) == (number < 0)
            and slots - {NAME} == own.keys() - {NAME}
        )
        owner = next(fitting, None)
        if owner is None:
            return None
        owners[number] = owner
    filled = []
    for hole in template.holes:
        own = told[owners[hole.owner]]
        filled.append(value_of(own[hole.slot], view) if hole.slot in own else name_of(next(iter(own.values())), view))
    return filled


def value_of(piece: KbPiece, view: CallView) -> str:
    """Return the value to tell of a piece: the first that nobody has said, else one that the user has not."""
    if piece.slot == NAME:
        return name_of(piece, view)
    said = " ".join([*view.users, view.last]).lower()
    new = [value for value in piece.values if value.lower() not in said] or list(piece.values)
    told = " ".join(view.staff).lower()
    return next((value for value in new if value.lower() not in told), new[0])


def name_of(piece: KbPiece, view: CallView) -> str:
    """Return the name to call an entity by: one that the user has just used, else one that is its own alone."""
    folded = view.last.lower()
    return max((name for name in piece.names if name in folded), key=len, default=piece.names[0])


def worn_out(view: CallView) -> set[str]:
    """Return the names and values that two replies have already."""
    replies = [reply.lower() for reply in view.staff]
    return {one for one in view.surfaces if sum(one in reply for reply in replies) >= _OFTEN}


def most_agreed(texts: Sequence[tuple[str, int]]) -> int:
    """Return the text that the others, each so many times, share most runs of characters with (F1); ties: the first.

    >>> most_agreed([("好的", 1), ("好的请稍等", 1), ("请稍等", 1)])
    1
    """
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(run, len(numbers)) for run in set(char_ngrams(text, 1, _LONGEST))] for text, _ in texts]
    runs = [_bits(row, len(numbers)) for row in rows]
    agreed = [0.0] * len(texts)
    for one, (_, times) in enumerate(texts):
        for other in range(len(texts)):
            shared = (runs[one] & runs[other]).bit_count()
            agreed[other] += times * 2 * shared / max(1, len(rows[one]) + len(rows[other]))
    return max(range(len(texts)), key=lambda number: (round(agreed[number], 4), -number))


def _bits(numbers: Iterable[int], size: int) -> int:
    """Return a set of numbers below `size` as the bits of one: to see what two have in common takes no library."""
    row = bytearray(size // 8 + 1)
    for number in numbers:
        row[number // 8] |= 1 << number % 8
    return int.from_bytes(row, "little")
