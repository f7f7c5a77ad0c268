from __future__ import annotations

from duologue.challenges.restaurant.formats.files import turns_of
from duologue.challenges.restaurant.live.candidates import CALLS, candidate_calls, candidate_utterances
from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.systems.solver.solver import BookingState
from duologue.core.records import Fact, Turn
from duologue.knowledge.base import KnowledgeBase

BASE = KnowledgeBase(
    "small",
    [Fact(subject=name, relation=item, object=f"{name}_{item}") for name in "xyz" for item in ("phone", "address")],
)
SLOT_OF = {
    **dict.fromkeys(("thai", "italian", "french", "indian"), "cuisine"),
    **dict.fromkeys(("rome", "paris"), "location"),
    "two": "number",
    "cheap": "price",
    "casual": "atmosphere",
    "vegan": "restrictions",
}


def inventory(utterances: list[str]) -> list[str]:
    turns, state = list(turns_of(utterances)), BookingState()
    for turn in turns:
        state.observe(turn)
    return [candidate.text for candidate in candidate_utterances(turns, state, BASE, SLOT_OF)]


def test_at_the_start_there_are_the_fixed_sentences_and_five_questions() -> None:
    texts = inventory(["hi"])
    assert len(texts) == len(set(texts)) == 15
    assert templates.BOT_HELLO in texts
    assert templates.RESTRICTIONS.question not in texts
    assert templates.RESTRICTIONS.question in inventory(["may i have a table with vegan menu options"])


def test_calls_take_the_values_named_so_far_the_latest_first() -> None:
    said = ["may i have a table in rome for two in a cheap price range", "ok", "with a casual atmosphere"]
    assert candidate_calls(list(turns_of(said)), templates.SLOTS, SLOT_OF) == []
    said += ["ok", "i love thai food", "ok", "in rome or paris"]
    assert candidate_calls(list(turns_of(said)), templates.SLOTS, SLOT_OF) == [
        "api_call thai paris two cheap casual",
        "api_call thai rome two cheap casual",
    ]
    said += ["ok", "italian, indian, french, then thai"]
    texts = candidate_calls(list(turns_of(said)), templates.SLOTS, SLOT_OF)
    assert texts[0] == "api_call thai paris two cheap casual"
    assert len(texts) == 6, "three latest cuisines in two places"
    assert not any("italian" in text for text in texts)


def test_calls_are_not_too_many() -> None:
    slot_of = {f"{slot.name}{place}": slot.name for slot in templates.SLOTS_EXTRA for place in range(5)}
    turns = [Turn(speaker="user", text=" ".join(slot_of))]
    texts = candidate_calls(turns, templates.SLOTS_EXTRA, slot_of)
    assert len(texts) == len(set(texts)) == CALLS
    assert texts[0] == "api_call cuisine4 location4 number4 price4 atmosphere4 restrictions4"


def test_listed_restaurants_can_be_proposed_repeated_and_described() -> None:
    texts = inventory(
        ["x r_rating 1", "y r_rating 2", "hi", "what do you think of this option: y", "no i don't like it"]
    )
    assert {text for text in texts if ":" in text or text.startswith(("the option", "here"))} == {
        "what do you think of this option: x",
        "what do you think of this option: y",
        "the option was y",
        *("here it is x_phone", "here it is x_address", "here it is y_phone", "here it is y_address"),
    }


def test_a_restaurant_asked_for_by_name_can_be_described() -> None:
    texts = inventory(["may i have a table at z"])
    assert "here it is z_phone" in texts
    assert "here it is x_phone" not in texts
