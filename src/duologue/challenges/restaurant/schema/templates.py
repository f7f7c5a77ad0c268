"""Utterance templates of user and bot: the inventory of the challenge (specification, sections 4 and 5).

The simulator generates from these templates and the rule bot parses by them; neither has other texts.
A placeholder in braces stands for a value; `{wait}` stands for any of the five `WAITS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

SILENCE = "<silence>"
"""The user turn that only hands the turn back to the bot."""

WAITS = (
    "wait, i am asking my friend",
    "one moment, i am asking my friend",
    "one minute please, i am asking my friend",
    "hold on, i am asking my friend",
    "sorry one sec, i am asking my friend",
)
"""How a user asks for a moment: equally likely openers."""


class UtteranceTemplate(Record, frozen=True, kw_only=True):
    """One wording of an utterance, with its weight within its group."""

    text: str
    weight: int = 1
    draw: str = ""
    """Hedges only: how the values are drawn while answering (`new` is what the user settles on, `o` any
    other value): `o`, `oo` (two different ones), `new`, `half` (half new, half o), `check` (new o, o new
    or o o, a third each), `any`, `anyany` (two different ones)."""


class RequestSlot(Record, frozen=True, kw_only=True):
    """A slot of the request with its templates: phrases, question, answers and hedges."""

    name: str
    phrases: tuple[str, ...]
    """How the slot is put in a request or an update; equally likely. Placeholder `{new}`."""
    question: str
    """How the bot asks for it."""
    answers: tuple[UtteranceTemplate, ...]
    """Definite answers to the question. Placeholders `{new}` and, in some, `{o}`."""
    hedges: tuple[UtteranceTemplate, ...] = ()
    """What a user who hesitates says first; empty for slots that are always answered at once."""


def _templates_of(*texts: str) -> tuple[UtteranceTemplate, ...]:
    return tuple(UtteranceTemplate(text=text) for text in texts)


ATMOSPHERE = RequestSlot(
    name="atmosphere",
    phrases=("with a {new} atmosphere",),
    question="are you looking for a specific atmosphere",
    answers=_templates_of("i am looking for a {new} atmosphere"),
)

CUISINE = RequestSlot(
    name="cuisine",
    phrases=("with {new} cuisine", "with {new} food"),
    question="any preference on a type of cuisine",
    answers=_templates_of(
        "i'd like {new} food",
        "with {new} cuisine",
        "with {new} food",
        "i think i had {o} last time, so let's do {new} food",
        "i want {o} food but my friend insists on {new} so let's do that",
        "i want {new} food please, my friend doesn't like {o}",
        "let's go with {new} food, i will keep {o} for next time",
        "{wait} and she wants {new}, let's do that",
    ),
    hedges=(
        UtteranceTemplate(
            text="i always forget if my friend prefers {a} or {b} cuisine, but perhaps i should pick something else"
            " entirely",
            draw="oo",
        ),
        UtteranceTemplate(
            text="i find {a} cuisine often disappointing, but sometimes delicious. let me think.", draw="o"
        ),
        UtteranceTemplate(text="i got {a} last time, so i may be due for a change", weight=2, draw="half"),
        UtteranceTemplate(
            text="i like {a} cuisine better than {b} cuisine, generally, but not always, and there are so many"
            " other options",
            draw="oo",
        ),
        UtteranceTemplate(text="i love {a} food, but i also like variety.", draw="o"),
        UtteranceTemplate(text="{wait} if she wants to do {a}, let's see", draw="o"),
    ),
)

LOCATION = RequestSlot(
    name="location",
    phrases=("in {new}",),
    question="where should it be",
    answers=_templates_of(
        "in {new}",
        "{new} please",
        "let's try {new}, {o} is out of the way for me",
        "find me one in {new}, {o} will be too complicated",
        "{o} is very tempting but i'm afraid i have to stick to {new} today",
        "i was thinking {o} but my friend prefers {new} so let's do that",
        "{wait} and she wants {new}, let's do that",
    ),
    hedges=(
        UtteranceTemplate(text="i am not very fond of {a}, but it was nice last time", draw="o"),
        UtteranceTemplate(text="i am very fond of {a}, but it's also good to change sometimes", draw="o"),
        UtteranceTemplate(text="i could perhaps do {a} or {b}, but it's not ideal", draw="oo"),
        UtteranceTemplate(text="i don't like {a}, but the restaurants aren't bad", draw="o"),
        UtteranceTemplate(text="i like {a}, but i always go there", draw="o"),
        UtteranceTemplate(text="let me check if {a} or {b} would work", weight=3, draw="check"),
        UtteranceTemplate(text="{wait} if she wants to do {a}, let's see", draw="new"),
    ),
)

NUMBER = RequestSlot(
    name="number",
    phrases=("for {new}", "for {new} people"),
    question="how many people would be in your party",
    answers=_templates_of("for {new} please", "for {new} people please", "we will be {new}"),
)

PRICE = RequestSlot(
    name="price",
    phrases=("in a {new} price range",),
    question="which price range are you looking for",
    answers=_templates_of(
        "i am looking for a {new} restaurant",
        "in a {new} price range please",
        "let's do {new} price range, and keep {o} price range for another day",
        "i want {o} price range, but my friend wants a {new} range so let's do that",
        "{wait} and she wants {new}, let's do that",
    ),
    hedges=(
        UtteranceTemplate(text="leaning towards {a}, but give me a bit more time", weight=2, draw="half"),
        UtteranceTemplate(text="{a} is nice on the stomach but hard on the wallet", draw="any"),
        UtteranceTemplate(text="{a} is tempting but {b} may be more reasonable", draw="anyany"),
        UtteranceTemplate(text="{a} perhaps. let me think", draw="o"),
        UtteranceTemplate(text="{a} sounds like a good middle ground, but i am not sure", draw="any"),
        UtteranceTemplate(text="{wait} if she wants {a}, let's see", draw="o"),
    ),
)

RESTRICTIONS = RequestSlot(
    name="restrictions",
    phrases=("with {new} menu options",),
    question="do you have any dietary restrictions",
    answers=_templates_of("i eat {new}"),
)

SLOTS = (CUISINE, LOCATION, NUMBER, PRICE, ATMOSPHERE)
"""The five slots of tst1 and tst2, in the order of the api_call."""
SLOTS_EXTRA = (*SLOTS, RESTRICTIONS)
"""The six slots of tst3 and tst4, in the order of the api_call."""

GREETINGS = ("good morning", "hello", "hi")
OPENINGS = (
    "may i have a table",
    "can you book a table",
    "can you make a restaurant reservation",
    "i'd like to book a table",
)
AT_NAME = " at {name}"
"""Task 4: the request names the restaurant."""

UPDATE_PREFIXES = (
    UtteranceTemplate(text="actually i would prefer "),
    UtteranceTemplate(text="instead could it be "),
    UtteranceTemplate(text="{wait} and she wants ", weight=2),
)
"""Followed by a slot phrase."""
NO_MORE_UPDATES = "no"

ACCEPTS = ("it's perfect", "let's do it", "ok i like it", "that looks great")
REJECTS = ("do you have something else", "no i don't like it", "no this does not work for me")
UNANSWERABLE = (
    "do they serve appetizers",
    "do they serve sustainably produced food",
    "is it a long walk from the subway",
    "is it possible to request a table next to a window",
    "is the area pretty safe at night",
    "is there a good bar nearby",
    "is there a movie theater close by",
    "is there public transportation nearby",
    "is this place dog-friendly",
    "should i take my umbrella",
    "what time does the subway service end",
    "will it be raining",
)
ASK_FIRST = (
    "sorry could you repeat the first option",
    "what was the first one you suggested",
    "what was the first option again",
)
ASK_PREVIOUS = (
    "sorry what was the previous option again",
    "what was the one you suggested before",
    "would you please repeat the one you proposed before",
)
TAKE_REPEATED = (
    "i like that option actually, why not",
    "ok i want that one",
    "yes let's go with that previous one",
    "you know what, let's do that one",
)
TAKE_NEWEST = (
    "i like the new one",
    "i want the last option",
    "let's go with the last one",
    "the new one sounds better",
)
REJECTS_AFTER_REPEAT = (
    "hmm no this does not work",
    "i still don't like that",
    "no still no good",
    "do you have something else",
)

ASK_ADDRESS = (
    "can you provide the address",
    "do you have its address",
    "may i have the address of the restaurant",
    "{wait} and we need the address, what is it",
)
ASK_PHONE = (
    "do you have its phone number",
    "may i have the phone number of the restaurant",
    "what is the phone number of the restaurant",
    "{wait} and we need the phone number, what is it",
)
HEDGE_ADDRESS = "{wait} if we need the address"
HEDGE_PHONE = "{wait} if we need the phone number"
NEEDED_AFTER_ALL = "yes we need it, what is it please"

THANKS = ("thank you", "thanks", "you rock")
FAREWELLS = ("no thank you", "no thanks")

BOT_HELLO = "hello what can i help you with today"
BOT_ON_IT = "i'm on it"
BOT_READY = "whenever you're ready"
BOT_LOOK = "ok let me look into some options for you"
BOT_UPDATE = "sure is there anything else to update"
BOT_OPTION = "what do you think of this option: {name}"
BOT_ANOTHER = "sure let me find another option for you"
BOT_REPEAT = "the option was {name}"
BOT_SORRY = "i am sorry, i don't have an answer to that question"
BOT_RESERVE = "great let me do the reservation"
BOT_ITEM = "here it is {value}"
BOT_ANYTHING = "is there anything i can help you with"
BOT_WELCOME = "you're welcome"
API_CALL = "api_call"
"""Followed by the slot values in the order of the api_call, blank-separated."""

ANSWER_TYPES = {
    "hello": BOT_HELLO,
    "on-it": BOT_ON_IT,
    "ready": BOT_READY,
    "look": BOT_LOOK,
    "update-ack": BOT_UPDATE,
    "another": BOT_ANOTHER,
    "sorry": BOT_SORRY,
    "reserve": BOT_RESERVE,
    "anything": BOT_ANYTHING,
    "welcome": BOT_WELCOME,
}
"""Names of the bot's fixed sentences; the others depend on a value (`answer_type`)."""


def answer_type(utterance: str, slots: Sequence[RequestSlot] = SLOTS_EXTRA) -> str:
    """Return the kind of a bot utterance: `api_call`, `option`, `repeat`, `phone`, `address`, `ask-<slot>`, ...

    Anything that is no bot utterance of the inventory is `"other"`; questions are those of `slots`.

    >>> answer_type("where should it be")
    'ask-location'
    """
    for slot in slots:
        if utterance == slot.question:
            return f"ask-{slot.name}"
    for name, text in ANSWER_TYPES.items():
        if utterance == text:
            return name
    for name, text in (("option", BOT_OPTION), ("repeat", BOT_REPEAT)):
        if utterance.startswith(text.removesuffix("{name}")):
            return name
    if utterance.startswith(API_CALL + " "):
        return "api_call"
    if utterance.startswith(BOT_ITEM.removesuffix("{value}")):
        return "phone" if utterance.endswith("_phone") else "address" if utterance.endswith("_address") else "other"
    return "other"
