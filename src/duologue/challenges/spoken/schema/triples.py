"""Triples of official files and facts: conversion between them, and the identity of triples.

Specification, sections 2.1 and 3.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.core.records import Fact, Scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME, ATTRIBUTE, VALUE = KEYS = ("name", "attrname", "attrvalue")
"""The keys of a triple in official files: entity, attribute, value."""

Key = tuple[Scalar, Scalar, Scalar]
"""A triple in comparable form."""

_LARGEST = 2**63
"""Integers from here on are kept as text: records pass through formats with 64-bit integers."""


def plain(value: Any) -> str:
    """Return a name or value as comparable text: a list is sorted and joined by spaces.

    Nothing else is normalised: case, width, brackets and blanks count.

    >>> plain(70), plain(["b", "a"]), plain("x ")
    ('70', 'a b', 'x ')
    """
    if isinstance(value, list | tuple):
        return " ".join(sorted(str(part) for part in value))
    return value if isinstance(value, str) else str(value)


def typed(value: Any) -> Scalar:
    """Return a name or value as the published baseline's code compares it: `70` is not `"70"`.

    Lists are sorted and joined; all else is compared as Python does, so that `70` equals `70.0`.
    """
    if isinstance(value, list | tuple):
        return plain(value)
    scalar: Scalar = value
    return scalar


def key_of(attr: dict[str, Any], *, strict_types: bool = False) -> Key:
    """Return the key by which triples are compared.

    >>> one = {"name": "he", "attrname": "level", "attrvalue": 70}
    >>> key_of(one) == key_of({**one, "attrvalue": "70"})
    True
    >>> key_of(one, strict_types=True) == key_of({**one, "attrvalue": "70"}, strict_types=True)
    False
    """
    if strict_types:
        return typed(attr[NAME]), typed(attr[ATTRIBUTE]), typed(attr[VALUE])
    return plain(attr[NAME]), plain(attr[ATTRIBUTE]), plain(attr[VALUE])


def fact_of(attr: dict[str, Any]) -> Fact:
    """Return a triple as a fact. Numbers stay numbers, a list of values becomes a tuple."""
    return Fact(subject=plain(attr[NAME]), relation=plain(attr[ATTRIBUTE]), object=object_of(attr[VALUE]))


def object_of(value: Any) -> Scalar | tuple[str, ...]:
    """Return a value of an official file as the object of a fact."""
    if isinstance(value, list | tuple):
        return tuple(str(part) for part in value)
    if isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST):
        return value
    return str(value)


def attr_of(fact: Fact) -> dict[str, Any]:
    """Return a fact as a triple of an official file; a tuple of values becomes a list."""
    value = list(fact.object) if isinstance(fact.object, tuple) else fact.object
    return {NAME: fact.subject, ATTRIBUTE: fact.relation, VALUE: value}


def facts_of(attrs: Sequence[dict[str, Any]]) -> tuple[Fact, ...]:
    """Return the triples of a turn as facts, in their order."""
    return tuple(fact_of(attr) for attr in attrs)
