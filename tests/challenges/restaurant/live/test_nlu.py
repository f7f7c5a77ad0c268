from __future__ import annotations

import msgspec
import pytest

from duologue.challenges.restaurant.formats.files import turns_of
from duologue.challenges.restaurant.live.nlu import GOODBYES, LanguageUnderstanding
from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.utterance_parser import FIXED_TEXTS, parse_utterance
from duologue.challenges.restaurant.systems.solver.solver import BookingState
from duologue.core.records import Fact
from duologue.knowledge.base import KnowledgeBase

VALUES = {
    "cuisine": ["italian", "thai"],
    "location": ["rome", "new_york"],
    "number": ["two", "four"],
    "price": ["cheap", "moderate"],
    "atmosphere": ["business", "casual"],
    "restrictions": ["glutenfree", "vegan"],
}
BASE = KnowledgeBase(
    "small",
    [
        Fact(subject=f"the_business_pig_{place}", relation=slot, object=values[place])
        for slot, values in VALUES.items()
        for place in (0, 1)
    ],
)
NLU = LanguageUnderstanding(BASE, templates.SLOTS_EXTRA)
START = ["hi", templates.BOT_HELLO]
ASKED = [*START, "may i have a table", templates.BOT_ON_IT, "<silence>", templates.ATMOSPHERE.question]
CALLED = [*ASKED, "i am looking for a casual atmosphere", "api_call thai rome two cheap casual", "x r_rating 4"]
OPTION = [*CALLED, "<silence>", "what do you think of this option: x"]
BOOKED = [*OPTION, "it's perfect", templates.BOT_RESERVE]


def understand(text: str, utterances: list[str]) -> tuple[str, ...]:
    state = BookingState()
    for turn in turns_of(utterances):
        state.observe(turn)
    found = NLU.understand(text, state)
    return found.utterances or ("!" + found.remark,)


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ([], "HELLO!!", ["hello"]),
        ([], "good morning", ["good morning"]),
        ([], "Can I get a table?", ["may i have a table"]),
        (START, "somewhere cheap in New York for 2", ["may i have a table in a cheap price range in new_york for two"]),
        (START, "in rome", ["may i have a table in rome"]),
        (START, "instead could it be in rome", ["may i have a table in rome"]),
        (START, "may i have a table for 2", ["may i have a table for two"]),
        (START, "a table at the_business_pig_1", ["may i have a table at the_business_pig_1"]),
        (START, "i love thai food, but i also like variety.", ["!not-understood"]),
        (ASKED, "thai, business", ["i am looking for a business atmosphere", "i'd like thai food"]),
        (ASKED, "gluten free", ["i eat glutenfree"]),
        (ASKED, "i like rome, but i always go there!", ["i am not very fond of rome, but it was nice last time"]),
        (ASKED, "may i have a table in rome", ["may i have a table in rome"]),
        (ASKED, "Business please", ["i am looking for a business atmosphere"]),
        (ASKED, templates.WAITS[0] + " and she wants cheap, let's do that", ["i am looking for a cheap restaurant"]),
        (ASKED, "thai or italian", ["!several-values"]),
        (ASKED, "not thai", ["!not-understood"]),
        (ASKED, "in berlin", ["!unknown-value"]),
        (ASKED, "", ["!your-turn"]),
        (CALLED, "", ["<silence>"]),
        (CALLED, "in rome", ["instead could it be in rome"]),
        (CALLED, "Actually, I would prefer for 4 people", ["instead could it be for four"]),
        (OPTION, "OK", ["it's perfect"]),
        (OPTION, "great, book it", ["it's perfect"]),
        (BOOKED, "book another table", ["may i have a table"]),
        (OPTION, "nope", ["!no-more-options"]),
        (OPTION, "It's perfect!", ["it's perfect"]),
        (OPTION, "yes let's go with that previous one", ["it's perfect"]),
        (OPTION, "what is the phone number", ["!nothing-chosen"]),
        (BOOKED, "what's the phone number please?", ["do you have its phone number"]),
        (BOOKED, "hello, phone?", ["do you have its phone number"]),
        (BOOKED, "Thank you so much", ["thank you"]),
        (BOOKED, "may i have a table at somewhere", ["!unknown-restaurant"]),
    ],
)  # fmt: skip
def test_free_text_is_put_in_the_words_of_the_challenge(before: list[str], text: str, expected: list[str]) -> None:
    assert list(understand(text, before)) == expected


def test_what_is_said_as_in_the_challenge_stays_as_it_is() -> None:
    for text in ("with a cheap price range", "i like rome, but i always go there", "with thai cuisine"):
        exact = parse_utterance(text).kind != "unknown"
        assert (understand(text, ASKED) == (text,)) is exact


@pytest.mark.parametrize("text", sorted(GOODBYES))
def test_goodbyes_end_the_conversation_anywhere(text: str) -> None:
    found = NLU.understand(f" {text.upper()}! ", BookingState())
    assert found.goodbye
    assert found.remark == "goodbye"


def test_every_fixed_kind_can_be_said() -> None:
    for kind in FIXED_TEXTS:
        assert parse_utterance(NLU.canonical(kind)).kind == kind


def test_a_slot_that_the_knowledge_base_lacks_has_no_known_values() -> None:
    facts = [fact for fact in BASE if fact.relation != "restrictions"]
    nlu = LanguageUnderstanding(KnowledgeBase("five", facts), templates.SLOTS)
    found = nlu.understand("may i have a table with vegan menu options", BookingState())
    assert (found.remark, found.details) == ("unknown-value", {"slot": "restrictions", "value": "vegan"})
    found = nlu.understand("may i have a table with thai menu options", BookingState())
    assert found.utterances == ("may i have a table with thai cuisine",)


def test_a_slot_whose_answers_all_name_another_value_is_answered() -> None:
    answers = ("{wait} and she wants {new}, not {o}", "no {o} today, {new} please")
    cuisine = msgspec.structs.replace(
        templates.CUISINE, answers=tuple(templates.UtteranceTemplate(text=one) for one in answers)
    )
    nlu = LanguageUnderstanding(BASE, (cuisine, *templates.SLOTS_EXTRA[1:]))
    state = BookingState()
    for turn in turns_of(ASKED):
        state.observe(turn)
    assert nlu.understand("something thai", state).utterances == ("no italian today, thai please",)
