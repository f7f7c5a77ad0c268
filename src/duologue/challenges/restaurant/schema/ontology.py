"""Slots of a request, their values, and the fields of a restaurant (specification, sections 3 and 8)."""

from __future__ import annotations

from duologue.challenges.restaurant.schema.templates import SLOTS, SLOTS_EXTRA, RequestSlot
from duologue.challenges.restaurant.schema.user_sentences import STANDARD, UserSentences
from duologue.core.records import Record

PARTS = ("train", "tst1", "tst2", "tst3", "tst4")
"""The training set and the four test sets."""
PART_SHAPES = {"train": (1, False), "tst1": (1, False), "tst2": (2, False), "tst3": (1, True), "tst4": (2, True)}
"""Part to its knowledge base and whether the sixth slot is required."""
FIELDS = ("location", "price", "rating", "phone", "cuisine", "atmosphere", "restrictions", "number", "address")
"""The fields of a restaurant in the order of the KB file."""
MAX_LISTED = 4
"""Maximum number of restaurants that an api_call lists (specification, section 7)."""
_PRICES = ("cheap", "moderate", "expensive")
_ATMOSPHERES = ("business", "casual", "romantic")
_RESTRICTIONS = ("glutenfree", "vegan", "vegetarian")
_NUMBERS = ("two", "four", "six", "eight")
CUISINES = {
    1: ("british", "french", "indian", "italian", "spanish"),
    2: ("cantonese", "japanese", "korean", "thai", "vietnamese"),
}
LOCATIONS = {
    1: ("bombay", "london", "madrid", "paris", "rome"),
    2: ("bangkok", "beijing", "hanoi", "seoul", "tokyo"),
}


class Schema(Record, frozen=True):
    """What can be asked for: the slots of a request, their values, and the fields of the knowledge base."""

    name: str
    """Such as `kb1_atmosphere`: the part of the official file name that tells knowledge base and slots."""
    slots: tuple[RequestSlot, ...]
    """The required slots in the order of the api_call; they are asked for in alphabetical order."""
    values: dict[str, tuple[str, ...]]
    """Slot name to the values that may be asked for, equally likely."""
    fields: tuple[str, ...] = FIELDS
    """The fields of a restaurant in the order of the KB file; each slot is one of them."""

    @property
    def wording(self) -> UserSentences:
        """The user's sentences that name what is booked: the challenge's."""
        return STANDARD


class DomainSchema(Schema, frozen=True):
    """The schema of another domain than the challenge's."""

    sentences: UserSentences = STANDARD

    @property
    def wording(self) -> UserSentences:
        """The user's sentences that name what is booked: the domain's."""
        return self.sentences


def standard_schema(kb: int, *, extra: bool) -> Schema:
    """Return the official schema of knowledge base 1 or 2, with `extra` asking for dietary restrictions too."""
    values = {
        "cuisine": CUISINES[kb],
        "location": LOCATIONS[kb],
        "number": _NUMBERS,
        "price": _PRICES,
        "atmosphere": _ATMOSPHERES,
        "restrictions": _RESTRICTIONS,
    }
    return schema_of(kb, values, extra=extra)


def schema_of(kb: int, values: dict[str, tuple[str, ...]], *, extra: bool) -> Schema:
    """Return the schema of a knowledge base 1 or 2 with the values given for each slot."""
    return Schema(name=schema_name(kb, extra=extra), slots=SLOTS_EXTRA if extra else SLOTS, values=values)


def schema_name(kb: int, *, extra: bool) -> str:
    """Return the part of the official file name that tells knowledge base and slots."""
    return f"kb{kb}_atmosphere_restrictions" if extra else f"kb{kb}_atmosphere"


def schema_of_part(part: str) -> Schema:
    """Return the official schema of `train` or `tst1` to `tst4`."""
    kb, extra = PART_SHAPES[part]
    return standard_schema(kb, extra=extra)


def kb_values(kb: int) -> dict[str, tuple[str, ...]]:
    """Return the values of the six fields that restaurants share."""
    return standard_schema(kb, extra=True).values
