"""A global knowledge base: the products that training calls speak of, found by what is said of them in a call.

It stands in the place of the call's own base where that is not given (the setting without a structured base of the
call), or beside it. What the account of the user has, stays.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import USER
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME, TYPE
from duologue.core.records import Record
from duologue.metrics.ngrams import char_ngrams
from duologue.retrieval.grouped_terms import GroupedTerms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duologue.challenges.mobilecs.systems.agent.kb_pieces import Base

_NOW, _BEFORE = 1.0, 0.4
"""Weights of what is said now and of what was said before."""
_LONGEST = 3


class IndexedProduct(Record, frozen=True, kw_only=True):
    """An entity of a training call's knowledge base."""

    source: str
    """Dialogue that it is from: a training turn finds none of its own dialogue."""
    slots: dict[str, str]
    """As the base has them, name and type included."""

    def __post_init__(self) -> None:
        """Refuse a product without a name, by which all bases find their entities."""
        if NAME not in self.slots:
            raise ValueError(f"a product has no '{NAME}'")


class ProductIndex:
    """Products by the pieces of their names and types; `beside` the call's own base, or in its place."""

    def __init__(self, products: Sequence[IndexedProduct], *, limit: int, beside: bool = False) -> None:
        self.products, self._limit, self._beside = list(products), limit, beside
        self._terms = GroupedTerms([_product_terms(one) for one in products])

    def base(self, said: Sequence[str], last: str, own: Base, apart: str | None = None) -> dict[str, dict[str, str]]:
        """Return a base of the products most like what is said, and of the user's entry; none from the call `apart`.

        Beside the call's own base they come last, without those that have one of its names.
        """
        similar = self._terms.similarities([(_NOW, _pieces([last])), (_BEFORE, _pieces(said))])
        order = np.argsort(-similar, kind="stable")
        found = [self.products[number] for number in order[: 4 * self._limit].tolist() if similar[number] > 0]
        known = {key: dict(slots) for key, slots in own.items() if key == USER or self._beside}
        named = {name for key, slots in known.items() if key != USER for name in _names(slots)}
        kept = [one for one in found if one.source != apart and not named & set(_names(one.slots))][: self._limit]
        return with_entries(known, [one.slots for one in kept], own)


def with_entries(known: Base, entries: Iterable[Mapping[str, str]], own: Base) -> dict[str, dict[str, str]]:
    """Return a base with more entities, under ids that the call's own base has not; the user's entry stays last."""
    free = (key for key in map("ent-{}".format, itertools.count(1)) if key not in own)
    base = {key: dict(slots) for key, slots in known.items() if key != USER}
    base |= {key: dict(slots) for key, slots in zip(free, entries, strict=False)}
    return {**base, USER: dict(known[USER])} if USER in known else base


def products_of(bases: Iterable[tuple[str, Base]]) -> list[IndexedProduct]:
    """Return the entities of the bases of dialogues, those with slots to tell; equal ones once."""
    found: dict[tuple[tuple[str, str], ...], IndexedProduct] = {}
    for source, base in bases:
        for key, slots in base.items():
            if key != USER and slots.keys() - {NAME, TYPE}:
                found.setdefault(tuple(sorted(slots.items())), IndexedProduct(source=source, slots=dict(slots)))
    return list(found.values())


def _names(slots: Mapping[str, str]) -> list[str]:
    return list(filter(None, slots.get(NAME, "").split(",")))


def _product_terms(one: IndexedProduct) -> list[tuple[float, list[str]]]:
    return [(1.0, _pieces([one.slots.get(NAME, ""), one.slots.get(TYPE, "")]))]


def _pieces(texts: Sequence[str]) -> list[str]:
    """Return all pieces of two or three characters."""
    return [piece.lower() for text in texts for piece in char_ngrams(text, 2, _LONGEST)]
