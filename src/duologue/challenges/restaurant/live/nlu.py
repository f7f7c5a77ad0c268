"""Language understanding for the live bot: maps free text to the challenge's canonical user utterances.

The bots of the challenge know its templates only. Free text is therefore mapped to canonical utterances - by
the templates matched loosely, by "yes" and "no" in context, by the knowledge base values that a sentence
names, by a few key words - or it is answered with UI text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.utterance_parser import (
    ParsedUtterance,
    UtteranceParser,
    fixed_texts,
    named_values,
    normalise,
    spellings,
)
from duologue.challenges.restaurant.systems.solver.domain_rules import RESTAURANT_RULES, DomainRules
from duologue.core import live_text
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.restaurant.schema.templates import RequestSlot
    from duologue.challenges.restaurant.systems.solver.solver import BookingState
    from duologue.knowledge.base import KnowledgeBase

HANDS_BACK = (templates.BOT_ON_IT, templates.BOT_LOOK, templates.BOT_ANOTHER)
"""After these the user of the challenge is silent and the bot goes on."""
GOODBYES = live_text.GOODBYES | {"good bye", "bye bye", "see you", "stop", "拜拜"}
"""Whole utterances, normalised, that end the conversation."""
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
"""Key word to dialogue act, where no template matches."""
_NEEDS_OPTION = frozenset({"accept", "reject", "ask-first", "ask-previous", "take-newest", "take-repeated"})
_NEEDS_CHOICE = frozenset({"ask-phone", "ask-address", "hedge-phone", "hedge-address"})
_COURTESIES = frozenset({"greeting", "thanks"})
_VALUED = frozenset({"request", "answer", "update"})
_FRIEND = templates.WAITS[3]


class Interpretation(Record, frozen=True):
    """Interpretation of a user's input."""

    utterances: tuple[str, ...] = ()
    """Canonical utterances, one per turn; empty when the input is answered with UI text."""
    remark: str = ""
    """Key of the UI text to show, if any."""
    details: dict[str, str] = {}
    """Values that the UI text names."""
    anew: bool = False
    """Whether a new booking begins after one that got as far as a call."""
    goodbye: bool = False


class LanguageUnderstanding:
    """Interprets free text about one knowledge base."""

    def __init__(
        self, base: KnowledgeBase, slots: Sequence[RequestSlot], rules: DomainRules = RESTAURANT_RULES
    ) -> None:
        self._base, self._rules = base, rules
        wording = rules.domain.wording
        self._openings, self._texts = wording.openings, fixed_texts(wording)
        self._spelled = {normalise(text): text for texts in self._texts.values() for text in texts}
        """Normalised utterances without values, to their canonical spelling."""
        self._keywords = _KEYWORDS | dict.fromkeys(rules.domain.keywords, "request")
        self._slots = {slot.name: slot for slot in slots}
        self._parser = UtteranceParser(slots, wording, loose=True)
        self.slot_of: Mapping[str, str] = {
            str(value): slot.name for slot in reversed(slots) for value in base.values(slot.name)
        }
        """Slot of each value in the knowledge base; the earlier slot where two share a value."""
        self._values = {slot.name: frozenset(map(str, base.values(slot.name))) for slot in slots}

    def understand(self, text: str, state: BookingState) -> Interpretation:
        """Interpret the input in the current dialogue state."""
        words = normalise(text)
        if words in GOODBYES:
            return Interpretation(remark="goodbye", goodbye=True)
        said = self._spelled.get(words, text.strip())
        reading = self._rules.parse(said)
        if reading.kind == "unknown" or said != said.lower():
            said, reading = "", self._parser.parse(text)
        meant = _in_context(words, state)
        if meant == "what-change":
            return Interpretation(remark=meant)
        if meant:
            return self._plain(ParsedUtterance(kind=meant), said if reading.kind == meant else "", state)
        if reading.kind == "unknown":
            return self._free(words, state)
        if reading.kind in _VALUED:
            return self._valued(reading, said, state)
        return self._plain(reading, said, state)

    def _plain(self, reading: ParsedUtterance, said: str, state: BookingState) -> Interpretation:
        """Handle dialogue acts without slot values; refuse those that make no sense in the current state."""
        kind = reading.kind
        if kind == "silence":
            answered = state.last_bot.startswith(templates.API_CALL) and bool(state.ratings)
            going_on = state.last_bot in HANDS_BACK or answered
            return Interpretation(utterances=(templates.SILENCE,)) if going_on else Interpretation(remark="your-turn")
        if kind in _NEEDS_OPTION and not state.proposed:
            return Interpretation(remark="nothing-proposed")
        if kind == "reject" and set(state.ratings) <= set(state.proposed):
            return Interpretation(remark="no-more-options")
        if kind == "take-repeated" and state.repeated is None:
            return Interpretation(utterances=(self.canonical("accept"),))
        if kind in _NEEDS_CHOICE and state.chosen is None:
            return Interpretation(remark="nothing-chosen")
        if kind == "request-at" and reading.values["name"] not in self._base:
            return Interpretation(remark="unknown-restaurant", details=reading.values)
        confused = (
            (kind == "no-more" and not state.called)
            or (kind == "needed" and state.last_user.kind not in {"hedge-phone", "hedge-address"})
            or (kind == "hedge" and not state.requested)
        )
        if confused:
            return Interpretation(remark="not-understood")
        if not said:
            said = self._hedge(reading) if kind == "hedge" else self.canonical(kind, reading.values)
        return Interpretation(
            utterances=(said,), goodbye=kind == "farewell" and state.last_bot == templates.BOT_ANYTHING
        )

    def _valued(self, reading: ParsedUtterance, said: str, state: BookingState) -> Interpretation:
        """Handle a request, an answer or an update, whose values must be known."""
        named: list[tuple[tuple[str, ...], str]] = [((slot,), word) for slot, word in reading.values.items()]
        if reading.kind != "request":
            named = [(reading.slots, reading.values["new"])]
        wanted: dict[str, str] = {}
        for slots, word in named:
            due = state.asked if state.asked in slots else slots[0]  # the slot that a bot would assign
            value = next((form for form in spellings([word]) if form in self.slot_of), None)
            if value is None:
                return Interpretation(remark="unknown-value", details={"slot": due, "value": word})
            fitting = [slot for slot in (due, *slots) if value in self._values.get(slot, ())]
            slot = fitting[0] if fitting else self.slot_of[value]
            wanted[slot] = value
            said = said if (slot, value) == (due, word) else ""
        return self._want(wanted, said, reading.kind, state)

    def _want(self, wanted: Mapping[str, str], said: str, kind: str, state: BookingState) -> Interpretation:
        """Phrase wanted values for the phase of the dialogue: a request, then answers, after a call updates."""
        anew = kind == "request" and state.called
        if kind == "request" or not state.requested:
            return Interpretation(
                utterances=(said if said and kind == "request" else self._request(wanted),), anew=anew
            )
        due = "update" if state.called else "answer"
        if said and kind == due:
            return Interpretation(utterances=(said,))
        order = sorted(wanted, key=lambda slot: (slot != state.asked, slot))  # as the bot would ask for them
        phrase = _update if due == "update" else self._answer
        return Interpretation(utterances=tuple(phrase(self._slots[slot], wanted[slot]) for slot in order))

    def _free(self, words: str, state: BookingState) -> Interpretation:
        """Handle free text that no template matches: look for values, restaurant names and key words."""
        if not _NEGATIONS.isdisjoint(words.split()):
            return Interpretation(remark="not-understood")
        named = named_values(words, self.slot_of)
        for slot, values in named.items():
            if len(values) > 1:
                return Interpretation(remark="several-values", details={"slot": slot, "values": "\n".join(values)})
        if named:
            return self._want({slot: values[0] for slot, values in named.items()}, "", "", state)
        name = next((word for word in words.split() if word in self._base), None)
        kinds = list(dict.fromkeys(self._keywords[word] for word in words.split() if word in self._keywords))
        kinds = [kind for kind in kinds if kind not in _COURTESIES] or kinds[:1]
        if name is not None and kinds in ([], ["request"]):
            return Interpretation(utterances=(self.canonical("request-at", {"name": name}),))
        if "request" in kinds and state.proposed and state.chosen is None:
            return self._plain(ParsedUtterance(kind="accept"), "", state)  # "book it"
        if "request" in kinds:
            return self._want({}, "", "request", state)
        found = [self._plain(ParsedUtterance(kind=kind), "", state) for kind in kinds]
        utterances = tuple(text for one in found for text in one.utterances)
        if utterances:
            return Interpretation(utterances=utterances)
        return found[0] if found else Interpretation(remark="not-understood")

    def _request(self, wanted: Mapping[str, str]) -> str:
        phrases = [self._slots[slot].phrases[0].format(new=value) for slot, value in wanted.items()]
        return " ".join([self._openings[0], *phrases])

    def canonical(self, kind: str, values: Mapping[str, str] | None = None) -> str:
        """Return the canonical utterance of a dialogue act that needs no slot."""
        if kind == "request-at":
            return (self._openings[0] + templates.AT_NAME).format(**(values or {}))
        return self._texts[kind][0].format(wait=_FRIEND)

    def _answer(self, slot: RequestSlot, value: str) -> str:
        """Return the plainest answer; a domain may have none that names no other value."""
        text = min((pattern.text for pattern in slot.answers), key=lambda one: ("{wait}" in one, "{o}" in one))
        other = min(self._values[slot.name] - {value}, default=value)
        return text.format(new=value, o=other, wait=_FRIEND)

    def _hedge(self, reading: ParsedUtterance) -> str:
        """Return a hedge about the same values; which one makes no difference to a bot."""
        hedges = [pattern.text for slot in reading.slots for pattern in self._slots[slot].hedges]
        return next(text for text in hedges if ("{b}" in text) == ("b" in reading.values)).format(
            wait=_FRIEND, **reading.values
        )


def _update(slot: RequestSlot, value: str) -> str:
    return templates.UPDATE_PREFIXES[1].text + slot.phrases[0].format(new=value)


def _in_context(words: str, state: BookingState) -> str:
    """Return the dialogue act of "yes", "no" and the like after the last bot utterance; nothing when there is none."""
    last = templates.answer_type(state.last_bot, state.rules.slots)
    if last == "sorry" and state.proposed and state.chosen is None:  # the option still stands
        last = "option"
    if last in {"option", "repeat"}:
        if words in _YES:
            return "accept" if last == "option" else "take-repeated"
        return "reject" if words in _NEXT else ""
    if last == "update-ack":
        return "no-more" if words in _NO else "what-change" if words in _YES else ""
    if last == "anything":
        return "farewell" if words in _NO else ""
    if last == "ready" and state.last_user.kind in {"hedge-phone", "hedge-address"}:
        return "needed" if words in _YES else ""
    return ""
