"""Domain: what is booked, with its slots, values, wording and users; the challenge's own is `RESTAURANT`."""

from __future__ import annotations

from typing import Annotated

import msgspec

from duologue.challenges.restaurant.schema.ontology import DomainSchema, Schema, kb_values, standard_schema
from duologue.challenges.restaurant.schema.templates import RESTRICTIONS, SLOTS, RequestSlot
from duologue.challenges.restaurant.schema.user_sentences import STANDARD, UserSentences
from duologue.core.bounds import Count, Positive, Probability, ProperFraction, Weight
from duologue.core.errors import UsageError
from duologue.core.records import Fact, Record

ITEM_FIELDS = ("rating", "phone", "address")
"""Fields that every entity has and nobody asks a preference for."""


class UserPolicy(Record, frozen=True, kw_only=True):
    """How users of a domain behave; what is `None` is as the recipe of the simulator says (`Generation`)."""

    given_most: Count | None = None
    hedge_answer: Probability | None = None
    hedge_update: Probability | None = None
    update_most: Count | None = None
    question_chance: Probability | None = None
    accept_chance: Probability | None = None
    repeat_chance: Probability | None = None
    take_repeated: Weight | None = None
    take_newest: Weight | None = None
    reject_again: Weight | None = None
    listed_most: Positive | None = None
    matches_options: Positive | None = None
    matches_full: Positive | None = None
    hedge_info: Probability | None = None
    train_share: ProperFraction | None = None


class Domain(Record, frozen=True, kw_only=True):
    """A domain of bookings."""

    name: str
    slots: tuple[RequestSlot, ...]
    """The slots that are always required, in the order of the api_call."""
    values: dict[str, tuple[str, ...]]
    """Slot to its values in knowledge base 1, that of training."""
    other_values: dict[str, tuple[str, ...]]
    """The same in knowledge base 2; equal where a domain has no others."""
    unseen: RequestSlot | None = None
    """The slot that only the test sets tst3 and tst4 require; training shows none of its sentences."""
    wording: UserSentences = STANDARD
    policy: UserPolicy = UserPolicy()
    thing: str = "restaurant"
    """What is booked, in one word, for remarks outside the dialogue."""
    keywords: tuple[str, ...] = ()
    """Words of free text that mean a request."""
    entities: Annotated[int, msgspec.Meta(ge=1)] = 400
    """How many entities a knowledge base that is drawn has."""
    name_words: tuple[str, ...] = ()
    """Last words of drawn names."""
    facts: tuple[Fact, ...] = ()
    """Knowledge base 1 where the domain brings one; else it is drawn."""
    other_facts: tuple[Fact, ...] = ()
    """Knowledge base 2 where the domain brings one."""

    @property
    def all_slots(self) -> tuple[RequestSlot, ...]:
        """The slots with the unseen one at the end, as in the api_call."""
        return self.slots if self.unseen is None else (*self.slots, self.unseen)

    def schema(self, kb: int, *, extra: bool) -> Schema:
        """Return the schema of knowledge base 1 or 2, with `extra` asking for the unseen slot too.

        Raises `UsageError` when it is asked for and the domain has none.
        """
        if self == RESTAURANT:
            return standard_schema(kb, extra=extra)
        if extra and self.unseen is None:
            raise UsageError(
                f"domain '{self.name}' has no unseen slot, which tst3 and tst4 ask for; "
                'say `unseen = "SLOT"` in its file, or make part train, tst1 or tst2'
            )
        slots = self.all_slots if extra else self.slots
        return DomainSchema(
            name=f"{self.name}-kb{kb}{'-unseen' if extra else ''}",
            slots=slots,
            values=self.values if kb == 1 else self.other_values,
            fields=(*(slot.name for slot in self.all_slots), *ITEM_FIELDS),
            sentences=self.wording,
        )


RESTAURANT = Domain(
    name="restaurant", slots=SLOTS, unseen=RESTRICTIONS, values=kb_values(1), other_values=kb_values(2), entities=5_400
)
"""The challenge's own domain."""
