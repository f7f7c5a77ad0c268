"""Drafts: wording for a slot of which a domain tells the name and the values alone."""

from __future__ import annotations

from duologue.challenges.restaurant.schema.templates import UtteranceTemplate

PHRASE = "with {noun} {new}"
QUESTION = "which {noun} would you like"
ANSWERS = (
    "{new} please",
    "let's say {new}",
    "i would prefer {new}",
    "not {o} again, {new} this time",
    "{wait} and she wants {new}, let's do that",
)
HEDGES = (
    UtteranceTemplate(text="let me check if {a} or {b} would work", draw="check"),
    UtteranceTemplate(text="i got {a} last time, so i may be due for a change", draw="half"),
    UtteranceTemplate(text="{wait} if she wants {a}, let's see", draw="o"),
)


def draft_phrases(noun: str) -> tuple[str, ...]:
    """Return how the slot is put in a request.

    >>> draft_phrases("screen")
    ('with screen {new}',)
    """
    return (PHRASE.replace("{noun}", noun),)


def draft_question(noun: str) -> str:
    """Return how the bot asks for the slot."""
    return QUESTION.replace("{noun}", noun)


def draft_answers() -> tuple[UtteranceTemplate, ...]:
    """Return definite answers."""
    return tuple(UtteranceTemplate(text=text) for text in ANSWERS)


def draft_hedges(values: int) -> tuple[UtteranceTemplate, ...]:
    """Return hedges; none for a slot of fewer than three values, which leaves nothing to hesitate between."""
    return HEDGES if values >= 3 else ()
