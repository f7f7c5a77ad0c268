from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.restaurant.knowledge.kb import RestaurantIndex
from duologue.challenges.restaurant.live.free_user import UNCLEAR, counted, found_leaks, judge
from duologue.challenges.restaurant.live.judge import BookingSet
from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.ontology import schema_of
from duologue.challenges.restaurant.simulator.booking_user import BookingGoal
from duologue.challenges.restaurant.simulator.dialogue_generator import DialogueGenerator
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.core.errors import UsageError
from duologue.core.records import Act, Annotation, Dialogue, Turn
from duologue.core.scenes import TYPED
from duologue.knowledge.base import KnowledgeBase
from duologue.run.saved import formulas_of

if TYPE_CHECKING:
    from collections.abc import Sequence

BASE = KnowledgeBase("kb1", make_kb(1, 1))
NAME, OTHER = BASE.entities()[:2]
WANTED = {slot.name: str(BASE.objects(NAME, slot.name)[0]) for slot in templates.SLOTS}
ITEMS = {one: {item: str(BASE.objects(one, item)[0]) for item in ("phone", "address")} for one in BASE.entities()}
CALL = f"api_call {' '.join(WANTED.values())}"


@pytest.fixture(scope="module")
def bookings() -> BookingSet:
    values = {slot.name: tuple(sorted(map(str, BASE.values(slot.name)))) for slot in templates.SLOTS}
    schema = schema_of(1, values, extra=False)
    generator = DialogueGenerator(schema, RestaurantIndex(schema, list(BASE)), Generation(), subtask=5, train=False)
    return BookingSet({"a": BookingGoal(WANTED, {}, 1, ("phone",))}, generator, BASE, 1, ITEMS)


def user(text: str, typed: str = "", *more: str) -> Turn:
    acts = [Act(speaker="user", name=TYPED, args=(typed or text,)), *(Act(speaker="user", name=one) for one in more)]
    return Turn(speaker="user", text=text, annotation=Annotation(acts=tuple(acts)))


def bot(text: str) -> Turn:
    return Turn(speaker="system", text=text)


def of(turns: Sequence[Turn]) -> Dialogue:
    return Dialogue(id="a", turns=tuple(turns))


BOOKED = [user("hello"), bot(CALL), Turn(speaker="api", text="x"), bot(f"How about {NAME}?"), user("it's perfect")]


def test_table_calls_and_items_are_those_of_the_dialogue(bookings: BookingSet) -> None:
    found = counted(of([*BOOKED, bot(f"here it is {ITEMS[NAME]['phone']}")]), bookings)
    assert {name for name, count in found.items() if not count} == {"not understood", "leaks"}
    assert (found["replies"], found["user inputs"]) == (3, 2)


def test_another_table_another_call_and_an_item_told_before_the_choice_count_for_nothing(bookings: BookingSet) -> None:
    early = [bot(f"{NAME} has {ITEMS[NAME]['phone']}"), *BOOKED]
    assert (counted(of(early), bookings)["told"], counted(of(early), bookings)["successes"]) == (0, False)
    wrong = [bot("api_call thai"), bot(f"{OTHER}?"), user("i'll take it"), user("it's perfect", "ok", UNCLEAR)]
    found = counted(of(wrong), bookings)
    assert (found["calls"], found["right calls"], found["not understood"]) == (1, 0, 1)
    assert found["tables"] == (OTHER in BASE.find(WANTED))


def test_names_phones_and_addresses_that_the_bot_has_not_said_are_leaks(bookings: BookingSet) -> None:
    spoken = f"is {NAME.replace('_', ' ')} free, or {OTHER}?"
    turns = [user("hello", spoken), bot(f"api_call {OTHER}"), user(NAME), user(ITEMS[NAME]["phone"])]
    (first, second) = found_leaks(of(turns), bookings)
    assert (first.turn, set(first.values)) == (0, {NAME, OTHER})
    assert (second.turn, second.values) == (3, (ITEMS[NAME]["phone"],))
    report = judge([of(turns)], bookings, base_hash="0" * 64)
    assert {"user-leaks", "user-not-understood"} <= {one.name for one in formulas_of(report)}  # for comparisons
    assert [one.rule for one in report.problems] == ["booking-failed", "user-leak", "user-leak"]
    assert spoken in report.problems[1].message


def test_nothing_to_judge_is_refused(bookings: BookingSet) -> None:
    with pytest.raises(UsageError, match="no dialogues"):
        judge([], bookings, base_hash="")
