"""UserSentences of a domain: the user's sentences that name what is booked."""

from __future__ import annotations

from duologue.challenges.restaurant.schema import templates
from duologue.core.records import Record


class UserSentences(Record, frozen=True, kw_only=True):
    """User sentences that differ between domains; the defaults are the challenge's.

    All others (greetings, updates, choices, goodbye) and the bot's fixed sentences are the same in every domain.
    """

    openings: tuple[str, ...] = templates.OPENINGS
    """How a request begins; equally likely."""
    unanswerable: tuple[str, ...] = templates.UNANSWERABLE
    """Questions that the bot cannot answer."""
    ask_address: tuple[str, ...] = templates.ASK_ADDRESS
    """Questions for the address; `{wait}` may stand at the beginning."""
    ask_phone: tuple[str, ...] = templates.ASK_PHONE
    """Questions for the phone number; `{wait}` may stand at the beginning."""


STANDARD = UserSentences()
"""The wording of the challenge."""
