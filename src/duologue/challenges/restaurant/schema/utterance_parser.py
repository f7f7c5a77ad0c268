"""Template-based parser of user utterances: dialogue act, slots and values (specification, section 5).

A `UtteranceParser` turns an utterance into a `ParsedUtterance`: the kind of dialogue act, the slots it may be about
and the values it names. It keeps no dialogue state: where the same words can mean several slots, all of them are
returned and the caller, who knows what was asked, decides.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.user_sentences import STANDARD
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duologue.challenges.restaurant.schema.templates import RequestSlot
    from duologue.challenges.restaurant.schema.user_sentences import UserSentences


class ParsedUtterance(Record, frozen=True):
    """A user utterance: dialogue act, slots and values."""

    kind: str
    """One of `KINDS`."""
    slots: tuple[str, ...] = ()
    """The slots that an answer, a hedge or an update may be about; the slots of a request."""
    values: dict[str, str] = {}
    """Request: slot to value. Request for a restaurant: `name`. Answer and update: `new`, in some also `o`, the
    other value. Hedge: `a`, in some also `b`."""


def fixed_texts(wording: UserSentences) -> dict[str, tuple[str, ...]]:
    """Return the dialogue acts without values, with their texts in a wording."""
    return {
        "silence": (templates.SILENCE,),
        "greeting": templates.GREETINGS,
        "no-more": (templates.NO_MORE_UPDATES,),
        "accept": templates.ACCEPTS,
        "reject": (*templates.REJECTS, *templates.REJECTS_AFTER_REPEAT),
        "question": wording.unanswerable,
        "ask-first": templates.ASK_FIRST,
        "ask-previous": templates.ASK_PREVIOUS,
        "take-repeated": templates.TAKE_REPEATED,
        "take-newest": templates.TAKE_NEWEST,
        "ask-address": wording.ask_address,
        "ask-phone": wording.ask_phone,
        "hedge-address": (templates.HEDGE_ADDRESS,),
        "hedge-phone": (templates.HEDGE_PHONE,),
        "needed": (templates.NEEDED_AFTER_ALL,),
        "thanks": templates.THANKS,
        "farewell": templates.FAREWELLS,
    }


FIXED_TEXTS = fixed_texts(STANDARD)
"""Dialogue acts without values, with their texts in the challenge."""
KINDS = (*FIXED_TEXTS, "request", "request-at", "answer", "hedge", "update", "unknown")
"""All dialogue acts."""
UNKNOWN = ParsedUtterance(kind="unknown")

_WAIT = "{wait} "
_PLACE = re.compile(r"\{(\w+)\}")
_VALUE = r"([^\s,]+)"  # values are single words, and so are names: their parts are joined by `_`, never split


class UtteranceParser:
    """Parser for the templates of the given slots, compiled once.

    With `loose`, capitals, punctuation, apostrophes, short forms, double blanks, a leading greeting and a
    closing "please" do not matter, as in free text; else every character counts. Values come back in
    lower case then.
    """

    def __init__(
        self,
        slots: Sequence[RequestSlot] = templates.SLOTS_EXTRA,
        wording: UserSentences = STANDARD,
        *,
        loose: bool = False,
    ) -> None:
        self._shape = normalise if loose else str
        self._loose = loose
        readings: dict[tuple[bool, str], ParsedUtterance] = {}
        for kind, slot, template in _templates(slots, wording):
            body = self._shape(template.removeprefix(_WAIT))
            key = (template.startswith(_WAIT), body)
            slots_before = readings[key].slots if key in readings else ()
            readings.setdefault(key, ParsedUtterance(kind=kind))
            if slot and slot not in slots_before:
                readings[key] = ParsedUtterance(kind=readings[key].kind, slots=(*slots_before, slot))
        self._plain = _TemplateMatcher({body: reading for (waiting, body), reading in readings.items() if not waiting})
        self._waiting = _TemplateMatcher({body: reading for (waiting, body), reading in readings.items() if waiting})
        self._wait = _alternatives([self._shape(text) for text in templates.WAITS], after=" ")
        self._opening = _alternatives([self._shape(text) for text in wording.openings], after="")
        self._at = _compile(self._shape(templates.AT_NAME.lstrip()))
        phrases = {self._shape(phrase): slot.name for slot in slots for phrase in slot.phrases}
        self._phrases = _TemplateMatcher(
            {text: ParsedUtterance(kind="phrase", slots=(name,)) for text, name in phrases.items()}
        )

    def parse(self, text: str) -> ParsedUtterance:
        """Parse an utterance; kind `unknown` when no template matches."""
        text = self._shape(text)
        reading = self._read(text)
        if reading is not None or not self._loose:
            return reading or UNKNOWN
        if not text:
            return ParsedUtterance(kind="silence")
        return next(filter(None, (self._read(variant) for variant in _variants(text))), UNKNOWN)

    def _read(self, text: str) -> ParsedUtterance | None:
        waited = self._wait.match(text)
        if waited is not None:
            return self._waiting.parse(text[waited.end() :])
        return self._plain.parse(text) or self._read_request(text)

    def _read_request(self, text: str) -> ParsedUtterance | None:
        opening = self._opening.match(text)
        if opening is None:
            return None
        rest = text[opening.end() :]
        if not rest:
            return ParsedUtterance(kind="request")
        if not rest.startswith(" "):
            return None
        at = self._at.fullmatch(rest[1:])
        if at is not None:
            return ParsedUtterance(kind="request-at", values={"name": at[1]})
        values: dict[str, str] = {}
        place = 0
        while place < len(rest):
            found = self._phrases.start(rest, place + 1) if rest[place] == " " else None
            if found is None:
                return None
            phrase, place = found
            values[phrase.slots[0]] = phrase.values["new"]
        return ParsedUtterance(kind="request", slots=tuple(values), values=values)


class _TemplateMatcher:
    """Templates compiled into one expression; those with more literal characters take precedence."""

    def __init__(self, readings: Mapping[str, ParsedUtterance]) -> None:
        self._fixed = {text: reading for text, reading in readings.items() if not _PLACE.search(text)}
        self._entries: dict[int, tuple[ParsedUtterance, tuple[str, ...]]] = {}
        parts = []
        group = 1
        for text in sorted(set(readings) - set(self._fixed), key=lambda text: (-len(_PLACE.sub("", text)), text)):
            names = tuple(_PLACE.findall(text))
            self._entries[group] = (readings[text], names)
            group += 1 + len(names)
            parts.append(f"({_compile(text).pattern})")
        self._regex = re.compile(f"(?:{'|'.join(parts)})(?!\\S)" if parts else r"(?!)")

    def parse(self, text: str) -> ParsedUtterance | None:
        """Match the whole text."""
        return self._fixed.get(text) or self._fill(self._regex.fullmatch(text))

    def start(self, text: str, place: int) -> tuple[ParsedUtterance, int] | None:
        """Match a template from a position on; return it with its end."""
        match = self._regex.match(text, place)
        reading = self._fill(match)
        return (reading, match.end()) if reading is not None and match is not None else None

    def _fill(self, match: re.Match[str] | None) -> ParsedUtterance | None:
        if match is None or match.lastindex is None:
            return None
        outer = match.lastindex  # the group around a whole text closes last
        reading, names = self._entries[outer]
        values = {name: match[outer + 1 + index] for index, name in enumerate(names)}
        return ParsedUtterance(kind=reading.kind, slots=reading.slots, values=values)


def _templates(slots: Sequence[RequestSlot], wording: UserSentences) -> Iterator[tuple[str, str, str]]:
    """Yield dialogue act, slot (or nothing) and text of every template."""
    for kind, texts in fixed_texts(wording).items():
        for text in texts:
            yield kind, "", text
    for slot in slots:
        for pattern in slot.answers:
            yield "answer", slot.name, pattern.text
        for pattern in slot.hedges:
            yield "hedge", slot.name, pattern.text
        for prefix in templates.UPDATE_PREFIXES:
            for phrase in slot.phrases:
                yield "update", slot.name, prefix.text + phrase


def _compile(template: str) -> re.Pattern[str]:
    pieces = _PLACE.split(template)[::2]
    return re.compile(_VALUE.join(re.escape(piece) for piece in pieces))


def _alternatives(texts: Sequence[str], *, after: str) -> re.Pattern[str]:
    longest_first = sorted(texts, key=lambda text: (-len(text), text))
    return re.compile(f"(?:{'|'.join(re.escape(text) for text in longest_first)}){after}")


@cache
def _strict() -> UtteranceParser:
    return UtteranceParser()


@lru_cache(maxsize=1 << 16)
def parse_utterance(text: str) -> ParsedUtterance:
    """Parse a canonical utterance, spelled exactly as in the challenge.

    >>> parse_utterance("i like rome, but i always go there")
    ParsedUtterance(kind='hedge', slots=('location',), values={'a': 'rome'})
    """
    return _strict().parse(text)


# Normalisation of free text.

_SHORT_FORMS = {
    "i would": "i'd",
    "i am": "i'm",
    "it is": "it's",
    "let us": "let's",
    "do not": "don't",
    "does not": "doesn't",
    "you are": "you're",
}
_SHORTEN = re.compile(rf"\b({'|'.join(_SHORT_FORMS)})\b")
_MARKS = r"[,.;:!?\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f]"
_PUNCTUATION = re.compile(rf"(?<!{_MARKS}){_MARKS}++(?=\s|$)|[\"'\u2018\u2019\u201c\u201d]")
_BEFORE = re.compile(rf"(?:(?:{'|'.join(templates.GREETINGS)}|hey|please|well|so|ok|okay|yes) )+")
_AFTER = re.compile(r"(?: (?:please|thanks|thank you))+")
NUMERALS = {"2": "two", "4": "four", "6": "six", "8": "eight"}
"""Numerals for party sizes, which knowledge bases spell out."""


def normalise(text: str) -> str:
    """Return the text in lower case without punctuation, quotes, long forms and superfluous blanks.

    >>> normalise("  Hi!  I would like THAT, please. ")
    'hi id like that please'
    """
    text = text.lower().replace("\u2019", "'")
    text = _SHORTEN.sub(lambda match: _SHORT_FORMS[match[0]], " ".join(text.split()))
    return " ".join(_PUNCTUATION.sub("", text).split())


def _variants(text: str) -> Iterator[str]:
    """Yield the normalised text without polite words around it."""
    before, after = _BEFORE.match(text), None
    for after in _AFTER.finditer(text):
        if after.end() == len(text):
            break
    start = before.end() if before else 0
    stop = after.start() if after and after.end() == len(text) else len(text)
    for variant in (text[start:], text[:stop], text[start:stop]):
        if variant and variant != text:
            yield variant


def named_values(text: str, slot_of: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the slot values that a free sentence names, in its order, found by looking up its words.

    `slot_of` maps values to slots. Names of restaurants are single words and are never split, so
    `the_business_pig` names no atmosphere. Two or three words may make one value ("gluten free").

    >>> named_values("Something Italian for 2", {"italian": "cuisine", "two": "number"})
    {'cuisine': ['italian'], 'number': ['two']}
    """
    words = normalise(text).split()
    found: dict[str, list[str]] = {}
    place = 0
    while place < len(words):
        for length in (3, 2, 1):
            piece = words[place : place + length]
            value = next((form for form in spellings(piece) if form in slot_of), None)
            if value is not None and len(piece) == length:
                if value not in found.setdefault(slot_of[value], []):
                    found[slot_of[value]].append(value)
                place += length
                break
        else:
            place += 1
    return found


def spellings(words: Sequence[str]) -> Iterator[str]:
    """Yield the values that one or more words may stand for, the likeliest first.

    >>> list(spellings(["gluten", "free"]))
    ['gluten free', 'gluten_free', 'gluten-free', 'glutenfree']
    """
    if len(words) == 1:
        yield words[0]
        yield words[0].replace("-", "")
        yield NUMERALS.get(words[0], words[0])
    else:
        yield from (glue.join(words) for glue in (" ", "_", "-", ""))
