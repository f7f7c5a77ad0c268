"""What people annotate in dialogues: the layers of a task with labels and guideline; problems by utterance."""

from __future__ import annotations

from typing import NamedTuple

from duologue.core.records import Problem, Record


class Bilingual(Record, frozen=True, kw_only=True):
    """A text in both languages."""

    en: str
    zh: str


class GuidelineSection(Record, frozen=True, kw_only=True):
    """A part of a guideline, shown beside the transcript."""

    title: Bilingual
    rules: tuple[Bilingual, ...]


class AnnotationScheme(Record, frozen=True, kw_only=True):
    """The layers that a task annotates: mentions of entities with coreference, slots with values, intents."""

    types: tuple[str, ...]
    """Types of entities; every mention has one."""
    slots: tuple[str, ...]
    """Slots of entities."""
    user_slots: tuple[str, ...]
    """Slots of the user, who is no entity."""
    intents: dict[str, tuple[str, ...]]
    """By speaker (`user`, `system`) the intents of an utterance; the most usual first."""
    with_arguments: tuple[str, ...] = ()
    """Intents that may have arguments: `<entity>-<slot>`, a slot of the user, or a type."""
    entity_prefix: str = "ent-"
    """Ids of entities are this and a number from 1."""
    english: dict[str, str] = {}
    """English names of labels in another language."""
    notes: dict[str, Bilingual] = {}
    """What labels mean."""
    guideline: tuple[GuidelineSection, ...] = ()


class PlacedProblem(NamedTuple):
    """A problem of an annotated dialogue, with the utterance that it stands beside."""

    problem: Problem
    turn: int | None = None
    """Index of the utterance, from 0; `None` where it is of the dialogue as a whole."""
