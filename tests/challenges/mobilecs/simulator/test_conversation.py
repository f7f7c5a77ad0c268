from __future__ import annotations

from typing import Any

from duologue.challenges.mobilecs.simulator.call_plan import CallPlanner
from duologue.challenges.mobilecs.simulator.catalogue import make_catalogue, split_by_type
from duologue.challenges.mobilecs.simulator.conversation import Conversation
from duologue.challenges.mobilecs.simulator.line import IntentLabel, Line
from duologue.challenges.mobilecs.simulator.utterance import SpanMark
from duologue.core.rng import Rng

PLANNER = CallPlanner(split_by_type(make_catalogue(1, 0.4)))


def spoken(number: int, turns: int = 10) -> tuple[Any, list[Line]]:
    rng = Rng("spoken", number)
    plan = PLANNER.plan(rng, rng.unit())
    return plan, Conversation(plan, rng, turns=turns, argument_rate=1.0).realise()


def test_a_call_says_all_that_its_plan_has() -> None:
    for number in range(150):
        plan, lines = spoken(number, 3 + number % 12)
        said = {(mark, line.text.text[start:end]) for line in lines for start, end, mark in line.text.spans}
        for entity in plan.entities:
            for name in entity.names:
                assert (SpanMark(entity.number, entity.product.type, is_mention=True), name.text) in said
            for value in entity.values:
                assert (SpanMark(entity.number, value.slot, is_mention=False), value.text.text) in said
        for value in plan.user_values:
            assert (SpanMark(None, value.slot, is_mention=False), value.text.text) in said


def test_a_call_has_as_many_turns_as_asked_for_and_ends_with_the_user() -> None:
    for number in range(40):
        _, lines = spoken(number, 2 + number)
        assert len(lines) == 2 * (2 + number) + 2
        assert lines[0].labels == [IntentLabel("问候")]


def test_of_a_telling_call_a_value_is_of_the_service_named_last() -> None:
    planner = CallPlanner(PLANNER.products, telling=True)
    values = right = 0
    for number in range(80):
        rng = Rng("telling", number)
        plan = planner.plan(rng, rng.unit())
        named = None
        for line in Conversation(plan, rng, turns=10, argument_rate=1.0).realise():
            for _, _, mark in sorted(line.text.spans, key=lambda span: (span[0], not span[2].is_mention)):
                if mark.is_mention:
                    named = mark.entity
                elif mark.entity is not None:
                    values += 1
                    right += mark.entity == named
    assert right >= 0.98 * values
