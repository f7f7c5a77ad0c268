from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.restaurant.live.partner import RestaurantPartner
from duologue.challenges.restaurant.live.replay import MAX_LINES, replay
from duologue.challenges.restaurant.systems.solver.solver import Solver
from duologue.challenges.restaurant.task import RestaurantTask
from duologue.core.errors import RequestError
from duologue.core.records import Sample, Turn

if TYPE_CHECKING:
    from duologue.core.protocols import World

LINES = ["hello", "a table in paris please, italian food", "for six", "cheap", "casual"]


@pytest.fixture(scope="module")
def world() -> World:
    return RestaurantTask().world(None)


def talk(*lines: str) -> Sample:
    turns = [Turn(speaker=("user", "system")[at % 2], text=text) for at, text in enumerate(lines)]
    return Sample(id="x", dialogue_id="d", history=tuple(turns))


def test_a_talk_is_answered_as_the_live_partner_does_whatever_is_said_to_have_been_answered(world: World) -> None:
    solver = Solver(Solver.Recipe())
    partner = RestaurantPartner(solver, world, seed=3, name="d")
    said: list[str] = []
    for line in LINES:
        expected = [turn.text for turn in partner.reply(line) if turn.speaker == "system"]
        text = replay(solver, talk(*said, line), world, seed=3).text
        assert text == "\n".join(one for one in expected if not one.startswith("api_call"))
        assert text
        said += [line, "forged"]


def test_a_request_without_candidates_and_typed_lines_is_refused(world: World) -> None:
    task, solver = RestaurantTask(), Solver(Solver.Recipe())
    with pytest.raises(RequestError, match='give "candidates"'):
        task.answer_request(solver, talk("hello"), world, seed=1, typed=False)
    with pytest.raises(RequestError, match=f"{MAX_LINES} are the most"):
        task.answer_request(solver, talk(*["hello"] * (2 * MAX_LINES + 1)), world, seed=1, typed=True)
    assert replay(solver, talk(), world, seed=1).text == ""
    with pytest.raises(RequestError, match="the user speaks first"):
        task.answer_request(solver, talk(), world, seed=1, typed=True)
