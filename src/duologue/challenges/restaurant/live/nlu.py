"""Hearing a person: free text, in the context of the dialogue, becomes utterances of the challenge.

A bot of the challenge knows its patterns only. What a person types is therefore put into the nearest
utterances that say the same - by the patterns read loosely, by "yes" and "no" in their context, by the
values of the knowledge base that a sentence names, by a few key words - or it is answered with a remark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.restaurant.schema import patterns
from duologue.challenges.restaurant.systems.solver.reading import (
    FIXED,
    Reader,
    Reading,
    named_values,
    read,
    spellings,
    squeeze,
)
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.restaurant.schema.patterns import Slot
    from duologue.challenges.restaurant.systems.solver.solver import Talk
    from duologue.knowledge.base import KnowledgeBase

HANDS_BACK = (patterns.BOT_ON_IT, patterns.BOT_LOOK, patterns.BOT_ANOTHER)
"""After these the user of the challenge is silent and the bot goes on."""
GOODBYES = frozenset({"bye", "good bye", "goodbye", "bye bye", "see you", "exit", "quit", "stop", "再见", "拜拜"})
"""Whole utterances, squeezed, that end the conversation."""
_YES = frozenset(
    {"yes", "yes please", "yeah", "yep", "ok", "okay", "sure", "fine", "great", "perfect", "good", "好", "好的"}
)
_NO = frozenset(
    {"no", "nope", "no thanks", "no thank you", "nothing", "nothing else", "thats all", "thats it", "不", "不用"}
)
_NEXT = frozenset({"next", "another", "another one", "something else", "anything else"}) | _NO
_NEGATIONS = frozenset({"not", "no", "dont", "doesnt", "isnt", "except", "without", "never", "neither", "hate"})
_KEYWORDS = {
    "phone": "ask-phone",
    "telephone": "ask-phone",
    "address": "ask-address",
    "thank": "thanks",
    "thanks": "thanks",
    "谢谢": "thanks",
    "book": "request",
    "reserve": "request",
    "reservation": "request",
    "table": "request",
    "restaurant": "request",
    "hello": "greeting",
    "hi": "greeting",
    "hey": "greeting",
    "你好": "greeting",
}
"""A word that is enough where no pattern fits."""
_NEEDS_OPTION = frozenset({"accept", "reject", "ask-first", "ask-previous", "take-newest", "take-repeated"})
_NEEDS_CHOICE = frozenset({"ask-phone", "ask-address", "hedge-phone", "hedge-address"})
_COURTESIES = frozenset({"greeting", "thanks"})
_VALUED = frozenset({"request", "answer", "update"})
_FRIEND = patterns.WAITS[3]
_SPELLED = {squeeze(text): text for texts in FIXED.values() for text in texts}
"""Utterances without values, squeezed, to their spelling in the challenge."""


class Heard(Record, frozen=True):
    """What an input amounts to."""

    utterances: tuple[str, ...] = ()
    """The same in the words of the challenge, one turn each; empty when it is answered with a remark."""
    remark: str = ""
    """The bot's own remark (a key of `remarks.REMARKS`), if one is due."""
    details: dict[str, str] = {}
    """What the remark speaks of."""
    anew: bool = False
    """Whether a new booking begins after one that got as far as a call."""
    goodbye: bool = False


class Hearing:
    """Understands a person who talks to a bot about one knowledge base."""

    def __init__(self, base: KnowledgeBase, slots: Sequence[Slot]) -> None:
        self._base = base
        self._slots = {slot.name: slot for slot in slots}
        self._reader = Reader(slots, loose=True)
        self.slot_of: Mapping[str, str] = {
            str(value): slot.name for slot in reversed(slots) for value in base.values(slot.name)
        }
        """Slot of each value in the knowledge base; the earlier slot where two share a value."""
        self._values = {slot.name: frozenset(map(str, base.values(slot.name))) for slot in slots}

    def hear(self, text: str, talk: Talk) -> Heard:
        """Return what the input amounts to at this point of the dialogue."""
        words = squeeze(text)
        if words in GOODBYES:
            return Heard(remark="goodbye", goodbye=True)
        said = _SPELLED.get(words, text.strip())
        reading = read(said)
        if reading.kind == "unknown" or said != said.lower():
            said, reading = "", self._reader.read(text)
        meant = _in_context(words, talk)
        if meant == "what-change":
            return Heard(remark=meant)
        if meant:
            return self._plain(Reading(kind=meant), said if reading.kind == meant else "", talk)
        if reading.kind == "unknown":
            return self._free(words, talk)
        if reading.kind in _VALUED:
            return self._valued(reading, said, talk)
        return self._plain(reading, said, talk)

    def _plain(self, reading: Reading, said: str, talk: Talk) -> Heard:
        """Handle what names no value that would have to be known, or refuse what makes no sense yet."""
        kind = reading.kind
        if kind == "silence":
            answered = talk.said.startswith(patterns.API_CALL) and bool(talk.ratings)
            going_on = talk.said in HANDS_BACK or answered
            return Heard(utterances=(patterns.SILENCE,)) if going_on else Heard(remark="your-turn")
        if kind in _NEEDS_OPTION and not talk.proposed:
            return Heard(remark="nothing-proposed")
        if kind == "reject" and set(talk.ratings) <= set(talk.proposed):
            return Heard(remark="no-more-options")
        if kind == "take-repeated" and talk.repeated is None:
            return Heard(utterances=(said_as("accept"),))
        if kind in _NEEDS_CHOICE and talk.chosen is None:
            return Heard(remark="nothing-chosen")
        if kind == "request-at" and reading.values["name"] not in self._base:
            return Heard(remark="unknown-restaurant", details=reading.values)
        confused = (
            (kind == "no-more" and not talk.called)
            or (kind == "needed" and talk.heard.kind not in {"hedge-phone", "hedge-address"})
            or (kind == "hedge" and not talk.requested)
        )
        if confused:
            return Heard(remark="not-understood")
        if not said:
            said = self._hedge(reading) if kind == "hedge" else said_as(kind, reading.values)
        return Heard(utterances=(said,), goodbye=kind == "farewell" and talk.said == patterns.BOT_ANYTHING)

    def _valued(self, reading: Reading, said: str, talk: Talk) -> Heard:
        """Handle a request, an answer or an update, whose values must be known."""
        named: list[tuple[tuple[str, ...], str]] = [((slot,), word) for slot, word in reading.values.items()]
        if reading.kind != "request":
            named = [(reading.slots, reading.values["new"])]
        wanted: dict[str, str] = {}
        for slots, word in named:
            due = talk.asked if talk.asked in slots else slots[0]  # what a bot would take it for
            value = next((form for form in spellings([word]) if form in self.slot_of), None)
            if value is None:
                return Heard(remark="unknown-value", details={"slot": due, "value": word})
            fitting = [slot for slot in (due, *slots) if value in self._values.get(slot, ())]
            slot = fitting[0] if fitting else self.slot_of[value]
            wanted[slot] = value
            said = said if (slot, value) == (due, word) else ""
        return self._want(wanted, said, reading.kind, talk)

    def _want(self, wanted: Mapping[str, str], said: str, kind: str, talk: Talk) -> Heard:
        """Put wishes as the phase of the dialogue has it: a request, then answers, after a call updates."""
        anew = kind == "request" and talk.called
        if kind == "request" or not talk.requested:
            return Heard(utterances=(said if said and kind == "request" else self._request(wanted),), anew=anew)
        due = "update" if talk.called else "answer"
        if said and kind == due:
            return Heard(utterances=(said,))
        order = sorted(wanted, key=lambda slot: (slot != talk.asked, slot))  # as the bot would ask for them
        phrase = _update if due == "update" else _answer
        return Heard(utterances=tuple(phrase(self._slots[slot], wanted[slot]) for slot in order))

    def _free(self, words: str, talk: Talk) -> Heard:
        """Handle what no pattern fits: look for values, for a restaurant's name, for key words."""
        if not _NEGATIONS.isdisjoint(words.split()):
            return Heard(remark="not-understood")
        named = named_values(words, self.slot_of)
        for slot, values in named.items():
            if len(values) > 1:
                return Heard(remark="several-values", details={"slot": slot, "values": "\n".join(values)})
        if named:
            return self._want({slot: values[0] for slot, values in named.items()}, "", "", talk)
        name = next((word for word in words.split() if word in self._base), None)
        kinds = list(dict.fromkeys(_KEYWORDS[word] for word in words.split() if word in _KEYWORDS))
        kinds = [kind for kind in kinds if kind not in _COURTESIES] or kinds[:1]
        if name is not None and kinds in ([], ["request"]):
            return Heard(utterances=(said_as("request-at", {"name": name}),))
        if "request" in kinds and talk.proposed and talk.chosen is None:
            return self._plain(Reading(kind="accept"), "", talk)  # "book it"
        if "request" in kinds:
            return self._want({}, "", "request", talk)
        heard = [self._plain(Reading(kind=kind), "", talk) for kind in kinds]
        utterances = tuple(text for one in heard for text in one.utterances)
        return Heard(utterances=utterances) if utterances else (heard or [Heard(remark="not-understood")])[0]

    def _request(self, wanted: Mapping[str, str]) -> str:
        phrases = [self._slots[slot].phrases[0].format(new=value) for slot, value in wanted.items()]
        return " ".join([patterns.OPENINGS[0], *phrases])

    def _hedge(self, reading: Reading) -> str:
        """Return a hedge about the same values; which one makes no difference to a bot."""
        hedges = [pattern.text for slot in reading.slots for pattern in self._slots[slot].hedges]
        return next(text for text in hedges if ("{b}" in text) == ("b" in reading.values)).format(
            wait=_FRIEND, **reading.values
        )


def said_as(kind: str, values: Mapping[str, str] | None = None) -> str:
    """Return an utterance of the challenge of a kind that needs no slot.

    >>> said_as("accept")
    "it's perfect"
    """
    if kind == "request-at":
        return (patterns.OPENINGS[0] + patterns.AT_NAME).format(**(values or {}))
    return FIXED[kind][0].format(wait=_FRIEND)


def _answer(slot: Slot, value: str) -> str:
    plain = (pattern.text for pattern in slot.answers if "{o}" not in pattern.text and "{wait}" not in pattern.text)
    return next(plain).format(new=value)


def _update(slot: Slot, value: str) -> str:
    return patterns.UPDATE_PREFIXES[1].text + slot.phrases[0].format(new=value)


def _in_context(words: str, talk: Talk) -> str:
    """Return what "yes", "no" and the like mean after the bot's last words; nothing when they mean nothing there."""
    last = patterns.answer_type(talk.said)
    if last == "sorry" and talk.proposed and talk.chosen is None:  # the option still stands
        last = "option"
    if last in {"option", "repeat"}:
        if words in _YES:
            return "accept" if last == "option" else "take-repeated"
        return "reject" if words in _NEXT else ""
    if last == "update-ack":
        return "no-more" if words in _NO else "what-change" if words in _YES else ""
    if last == "anything":
        return "farewell" if words in _NO else ""
    if last == "ready" and talk.heard.kind in {"hedge-phone", "hedge-address"}:
        return "needed" if words in _YES else ""
    return ""
