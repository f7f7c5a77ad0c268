"""What the rules of the bot must know of a domain: slots, questions, and how users word what they say."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from duologue.challenges.restaurant.schema.domain import RESTAURANT
from duologue.challenges.restaurant.schema.utterance_parser import UtteranceParser, parse_utterance

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.challenges.restaurant.schema.domain import Domain
    from duologue.challenges.restaurant.schema.utterance_parser import ParsedUtterance

_CACHED = 1 << 16


class DomainRules:
    """Slots, questions and parser of one domain."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.slots = domain.all_slots
        self.order = tuple(slot.name for slot in domain.slots)
        """The slots that are always required, in the order of the call."""
        self.extra = "" if domain.unseen is None else domain.unseen.name
        """The slot that is required at times, the last of the call; empty where there is none."""
        self.question_of = {slot.name: slot.question for slot in self.slots}
        self.questions = {question: slot for slot, question in self.question_of.items()}
        """Question to the slot that it asks for."""
        self.parse: Callable[[str], ParsedUtterance] = (
            parse_utterance
            if domain == RESTAURANT
            else lru_cache(maxsize=_CACHED)(UtteranceParser(self.slots, domain.wording).parse)
        )


RESTAURANT_RULES = DomainRules(RESTAURANT)
"""Those of the challenge."""
