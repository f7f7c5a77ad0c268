"""Slices of the scores: domain (inferred), kind of answer, number of triples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.spoken.schema.triples import ATTRIBUTE, NAME, VALUE, plain

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Attrs = Sequence[dict[str, Any]]

_LONG_TEXT = "Information"
"""The attribute whose value is a long text, of which a reply uses a part."""


def kind_of_answer(attrs: Attrs) -> str:
    """Return the kind of knowledge that a reply uses.

    `no knowledge`, `several entities`, `several attributes` (of one entity), `long text` (an `Information` value),
    `several values` (of one attribute), or `one value`.
    """
    if not attrs:
        return "no knowledge"
    if len({plain(attr[NAME]) for attr in attrs}) > 1:
        return "several entities"
    attributes = {plain(attr[ATTRIBUTE]) for attr in attrs}
    if len(attributes) > 1:
        return "several attributes"
    if _LONG_TEXT in attributes:
        return "long text"
    return "several values" if len({plain(attr[VALUE]) for attr in attrs}) > 1 else "one value"


def number_of_triples(attrs: Attrs) -> str:
    """Return the number of triples that a reply uses; 4 and more are one slice.

    >>> number_of_triples([{}] * 7)
    '4 or more'
    """
    return str(len(attrs)) if len(attrs) < 4 else "4 or more"
