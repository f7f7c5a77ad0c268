"""Personal spans and their kinds."""

from __future__ import annotations

from typing import NamedTuple

PATTERN_KINDS = (
    "EMAIL", "URL", "HANDLE", "PHONE", "CARD", "IDENTITY", "IP", "PLATE", "ORDER", "ACCOUNT", "SECRET", "NUMBER",
)  # fmt: skip
"""Kinds that have a form of their own, or a label in front."""
SOFT_KINDS = ("ADDRESS", "NAME")
"""Kinds that only a rule of thumb and a list of names can tell."""
KINDS = PATTERN_KINDS + SOFT_KINDS


class PersonalSpan(NamedTuple):
    """A piece of a text that is personal."""

    start: int
    end: int
    kind: str
