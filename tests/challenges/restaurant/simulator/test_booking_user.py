from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.restaurant.knowledge.kb import RestaurantIndex
from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.ontology import schema_of_part
from duologue.challenges.restaurant.schema.utterance_parser import parse_utterance
from duologue.challenges.restaurant.simulator.booking_user import PATIENCE, BookingGoal, BookingUser, draw_goal
from duologue.challenges.restaurant.simulator.dialogue_generator import DialogueGenerator
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA = schema_of_part("tst1")
GENERATOR = DialogueGenerator(SCHEMA, RestaurantIndex(SCHEMA, make_kb(1, 1)), Generation(), 5, train=False)
ITEMS = {
    name: {item: f"{name}_{item}" for item in ("phone", "address")}
    for name in ("good_inn", "odd_cow", *GENERATOR.restaurants.names)
}
FIRST = {"cuisine": "thai", "location": "rome", "number": "two", "price": "cheap", "atmosphere": "casual"}


def user(seed: int = 1, options: int = 2, items: tuple[str, ...] = ("phone",)) -> BookingUser:
    made = BookingUser(BookingGoal(FIRST, {"price": "moderate"}, options, items), GENERATOR, ITEMS, Rng("user", seed))
    made.first_utterance()
    return made


def told(caller: BookingUser, said: Sequence[str | None]) -> list[str | None]:
    return [caller.step(text) for text in said]


def test_goals_are_those_of_full_dialogues() -> None:
    goals = [draw_goal(GENERATOR, Rng("goal", number)) for number in range(100)]
    for goal in goals:
        matches = GENERATOR.matches(goal.final)
        assert goal.options == min(len(matches), 4) >= 1
        assert all(goal.first[slot] != new for slot, new in goal.changes.items())
        assert GENERATOR.on_this_side(tuple(goal.first.values()))
    assert len({goal.items for goal in goals}) == 4
    assert len({len(goal.changes) for goal in goals}) == 5


def test_a_call_is_not_heard_and_brings_the_update() -> None:
    caller = user()
    requested = told(caller, ["hello", templates.BOT_ON_IT])
    assert parse_utterance(str(requested[0])).kind == "request"
    assert requested[1] == templates.SILENCE
    assert caller.wanted == FIRST
    update = parse_utterance(str(caller.step(None)))
    assert (update.kind, update.values["new"]) == ("update", "moderate")
    assert caller.wanted == FIRST | {"price": "moderate"}
    assert told(caller, [templates.BOT_UPDATE, templates.BOT_LOOK, None]) == [
        "no",
        templates.SILENCE,
        templates.SILENCE,
    ]


def test_slots_are_given_when_they_are_asked_for_one_or_several() -> None:
    caller = user()
    caller.step("hello")
    both = str(caller.step("Where should it be, and how many people?"))
    assert "rome" in both
    assert "two" in both
    said = [str(caller.step("What is your budget?")) for _ in range(3)]
    assert any(parse_utterance(text).kind == "answer" and "cheap" in text for text in said)
    assert caller.step("do you have any dietary restrictions") == "no"
    assert caller.unclear == 0


def test_the_last_option_is_taken_and_items_are_asked_for_twice_at_most() -> None:
    for seed in range(30):
        caller = user(seed, options=1, items=("phone", "address"))
        said = told(caller, ["hello", None, "Changed.", "How about Good Inn?", "It is booked."])
        assert said[3] in templates.ACCEPTS
        assert caller.chosen == "good_inn"
        if said[4] in templates.UNANSWERABLE or "if we need" in str(said[4]):
            caller.step("take your time")
        told(caller, ["I do not know."])
        assert caller.told == []
        while (answer := caller.step("the phone is good_inn_phone, the address is good_inn_address")) is not None:
            assert answer not in templates.FAREWELLS or caller.told
        assert set(caller.told) <= {"phone", "address"}
        assert "address" in caller.told


def test_earlier_and_newest_options_are_taken_as_they_were_meant() -> None:
    taken: set[str | None] = set()
    for seed in range(60):
        caller = user(seed, options=4)
        told(caller, ["hello", None, "Changed."])
        said = caller.step("good_inn")
        for name in ("odd_cow", *GENERATOR.restaurants.names[:2]):
            while said in templates.UNANSWERABLE:
                said = caller.step("no idea")
            if caller.chosen is None:
                said = caller.step(f"what do you think of this option: {name}")
            if said in templates.ASK_FIRST:
                said = caller.step("the option was good_inn")
                assert said not in templates.TAKE_REPEATED or caller.chosen == "good_inn"
        taken.add(caller.chosen)
    assert {"good_inn", "odd_cow"} < taken


def test_a_bot_without_further_options_gets_the_newest_taken() -> None:
    caller, said = next(
        (one, text)
        for one in map(user, range(30))
        if (text := told(one, ["hello", None, "Changed.", "good_inn"])[-1]) in templates.REJECTS
    )
    assert said in templates.REJECTS
    assert caller.step("There is nothing else.") in templates.TAKE_NEWEST
    assert caller.chosen == "good_inn"


@pytest.mark.parametrize("useless", ["blah", "hold on", "do you have any dietary restrictions"])
def test_a_useless_bot_is_left(useless: str) -> None:
    caller = user()
    said = told(caller, ["hello"] + [useless] * (PATIENCE + 1))
    assert said[-1] is None
    assert None not in said[:-1]
    assert caller.unclear == (PATIENCE + 1 if useless == "blah" else 0)
    assert caller.step("hello") is None
