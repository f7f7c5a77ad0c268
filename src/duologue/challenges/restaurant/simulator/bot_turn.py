"""What a simulated user understands of a bot's words: restaurants named, slots asked for, and who goes on.

Bots of the challenge speak by its templates; others speak as they like, so words are looked up and cues are matched
where no template fits. Restaurants are known by their names in the knowledge base, with blanks or underscores.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.restaurant.schema import templates

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from duologue.challenges.restaurant.schema.templates import RequestSlot

_HANDS_BACK = frozenset({"on-it", "look", "another", "api_call"})
"""Kinds of utterance after which the user of the challenge is silent."""
_CUES = {
    "location": r"\bwhere\b|\blocations?\b|\barea\b|\bcity\b|\btown\b",
    "number": r"\bhow many\b|\bpeople\b|\bparty\b|\bguests?\b|\bpersons?\b",
    "price": r"\bprices?\b|\bpricey\b|\bbudget\b|\bspend\b|\bexpensive\b",
    "cuisine": r"\bcuisines?\b|\bfood\b|\bkind of restaurant\b",
    "atmosphere": r"\batmosphere\b|\bambi[ae]nce\b|\bmood\b",
    "restrictions": r"\bdietary\b|\brestrictions?\b|\ballerg(?:y|ies|ic)\b|\bvegetarian\b",
}
_ASKED = {slot: re.compile(cue) for slot, cue in _CUES.items()}
_QUESTION = re.compile(r"\?|\bplease (?:tell|give|say)\b|\b(?:tell|give) me\b")
_WAIT = re.compile(
    r"\b(?:on it|let me|i'll|i will|hold on|one (?:moment|second|minute)|just a|give me a|looking|searching|checking)\b"
)
_WORD = re.compile(r"[^\s,;:!?\"()]+")
_LONGEST_NAME = 7
"""Words of a name, at most: `[the_]adjective_adjective_noun_noun` has five; other bases may have more."""


class BotTurn(NamedTuple):
    """A bot's utterance as the user understands it."""

    names: tuple[str, ...] = ()
    """The restaurants that it names, in its order, each once."""
    asked: tuple[str, ...] = ()
    """The slots that it asks for, in its order."""
    question: bool = False
    """Whether it asks anything at all."""
    hands_back: bool = False
    """Whether the bot wants to go on by itself."""
    text: str = ""
    """Its words in lower case, with one blank around each, so that values can be looked for."""

    def tells(self, value: str) -> bool:
        """Return whether the utterance says a value of the knowledge base."""
        return _spaced(value) in self.text


NOTHING = BotTurn(hands_back=True)
"""The bot said nothing that the user could hear: it made a call."""


class AskedSlots:
    """Tells which slots of a domain a bot asks for: by their questions, else by cues or the name of a slot."""

    def __init__(self, slots: Sequence[RequestSlot] = templates.SLOTS_EXTRA) -> None:
        restaurant = all(slot in templates.SLOTS_EXTRA for slot in slots)
        self.slots = templates.SLOTS_EXTRA if restaurant else tuple(slots)
        """A restaurant's slots are all known, whichever are required."""
        self.cues = {
            slot.name: _ASKED.get(slot.name) or re.compile(rf"\b{re.escape(slot.name)}s?\b") for slot in self.slots
        }


_STANDARD = AskedSlots()


def read_text(text: str, restaurants: Container[str], asks: AskedSlots = _STANDARD) -> BotTurn:
    """Return what the user understands of a bot's words; `restaurants` holds the names of the knowledge base.

    >>> read_text("Where should it be, and for how many people?", ()).asked
    ('location', 'number')
    """
    kind = templates.answer_type(text, asks.slots)
    lowered, spaced = text.lower(), _spaced(text)
    if kind != "other":
        asked: tuple[str, ...] = (kind.removeprefix("ask-"),) if kind.startswith("ask-") else ()
        question = bool(asked) or kind in {"hello", "update-ack", "option", "anything"}
        return BotTurn(tuple(_names(spaced, restaurants)), asked, question, kind in _HANDS_BACK, spaced)
    question = _QUESTION.search(lowered) is not None
    names = tuple(_names(spaced, restaurants))
    found = [(cue.search(lowered), slot) for slot, cue in asks.cues.items()] if question and not names else []
    asked = tuple(slot for _, slot in sorted((match.start(), slot) for match, slot in found if match is not None))
    return BotTurn(names, asked, question, not question and _WAIT.search(lowered) is not None, spaced)


def _spaced(text: str) -> str:
    """Return the words of a text in lower case, one blank around each; a point at a word's end is no part of it."""
    return f" {' '.join(word.rstrip('.') for word in _WORD.findall(text.lower()))} "


def _names(spaced: str, restaurants: Container[str]) -> Iterator[str]:
    """Yield the names in a text of words; of several that begin with one word the longest, none twice."""
    words = spaced.split()
    seen: set[str] = set()
    place = 0
    while place < len(words):
        for length in range(min(_LONGEST_NAME, len(words) - place), 0, -1):
            name = "_".join(words[place : place + length])
            if name in restaurants:
                if name not in seen:
                    seen.add(name)
                    yield name
                place += length
                break
        else:
            place += 1
