from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from tests.endpoint_stub import Stub

from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Playable, Stage
from duologue.core.plugins import load_task, make_system
from duologue.core.records import Candidate, Dialogue, Fact, Goal, Sample, Turn
from duologue.core.scenes import TYPED, Scene, SystemView, UserView
from duologue.run.conversation_forecast import (
    ConversationForecast,
    _all,
    _cut,
    _longest,
    _tokens_of_a_call,
    conversation_lines,
    forecast_conversations,
)
from duologue.run.simulate import simulate, staged_with
from duologue.systems.endpoint.endpoint import EndpointSystem
from duologue.systems.endpoint.recipe import EndpointRecipe

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
CALLS = GOLDEN / "mobilecs/dialogue/contract/dialogues.json"
SESSIONS = GOLDEN / "proactive/small-sessions.txt"


def endpoint(url: str = "http://127.0.0.1:9", **entries: float) -> EndpointSystem:
    given = {"url": f"{url}/v1", "model": "m", "cache": "", "wait": 0.0, **entries}
    return EndpointSystem(msgspec.convert(given, EndpointRecipe))


def stage_of(task: str, goals: Path | None, n: int, max_turns: int | None = None) -> Stage:
    loaded = load_task(task)
    assert isinstance(loaded, Playable)
    return loaded.stage(goals, (), n=n, seed=1, max_turns=max_turns)


def figures(one: ConversationForecast, name: str) -> tuple[float, float, float]:
    assert one.likely is not None
    return one.least[name], one.likely[name], one.most[name]


def test_what_a_user_takes_lies_between_the_bounds(tmp_path: Path) -> None:
    task, stage = load_task("restaurant"), stage_of("restaurant", None, 7, 24)
    with Stub() as server:
        user = endpoint(server.url.removesuffix("/v1")).as_user()
        asked = staged_with(stage, user, task)
        (found,) = forecast_conversations(task, make_system("solver"), asked, stage, name="solver", seed=1)
        assert not server.asked
        played = simulate(task, make_system("solver"), asked, name="solver", seed=1)
    taken = played.report.meta["usage"]["user"]
    least, likely, most = figures(found, "calls")
    assert (found.part, least, most) == ("user", 7, 7 * 12)
    assert least <= likely <= most
    assert least <= taken["calls"] <= most
    assert found.least["prompt_tokens"] < found.most["prompt_tokens"]


def test_a_system_is_forecast_by_one_of_our_own_in_its_place() -> None:
    task, stage = load_task("mobilecs/dialogue"), stage_of("mobilecs/dialogue", CALLS, 4)
    dear = endpoint(reply_tokens=100, price_out=10_000.0)
    (found,) = forecast_conversations(task, dear, stage, stage, name="endpoint", seed=1)
    least, likely, most = figures(found, "calls")
    assert least == 4 < likely < most
    assert "system 'rule-agent' with the task's own user" in found.source
    lines = conversation_lines([found])
    assert lines[0].startswith("system: 4 conversations take at least 4 calls, likely about ")
    assert lines[1].endswith("400 out, cost at most about 4.00")
    assert lines[-1] == "nothing was asked and nothing written; the tokens of prompts are estimated from their bytes"


def test_where_we_have_no_system_people_tell_how_long_conversations_are() -> None:
    task, stage = load_task("proactive"), stage_of("proactive", SESSIONS, 3)
    (found,) = forecast_conversations(task, endpoint(), stage, stage, name="endpoint", seed=1)
    spoken = sum(
        turn.speaker == "system" for one in stage.human_dialogues for turn in one.turns[: stage.scenes[0].max_turns]
    )
    assert figures(found, "calls")[1] == spoken
    assert "dialogues of people" in found.source
    bare = stage._replace(human_dialogues=())
    (bounds,) = forecast_conversations(task, endpoint(), bare, bare, name="endpoint", seed=1)
    assert bounds.likely is None
    assert "bounds alone" in "\n".join(conversation_lines([bounds]))
    assert bounds.most["calls"] == found.most["calls"]


def test_both_partners_are_forecast_and_more_conversations_in_proportion() -> None:
    task = load_task("restaurant")
    few, many = (stage_of("restaurant", None, n, 8) for n in (5, 50))
    shorter, longer = (
        forecast_conversations(
            task, endpoint(), staged_with(one, endpoint().as_user(), task), one, name="endpoint", seed=1
        )
        for one in (few, many)
    )
    assert [one.part for one in shorter] == ["system", "user"]
    assert [one.most["calls"] * 10 for one in shorter] == [one.most["calls"] for one in longer]
    assert all(one.least["calls"] <= (one.likely or {})["calls"] <= one.most["calls"] for one in shorter)


def test_partners_that_cost_nothing_have_no_forecast() -> None:
    task, stage = load_task("restaurant"), stage_of("restaurant", None, 1)
    with pytest.raises(UsageError, match="'solver' costs nothing by the call"):
        forecast_conversations(task, make_system("solver"), stage, stage, name="solver", seed=1)
    with pytest.raises(UsageError, match="no goal to play"):
        forecast_conversations(task, endpoint(), stage._replace(scenes=()), stage, name="endpoint", seed=1)


def test_a_partner_that_speaks_second_has_a_bound_too() -> None:
    task, stage = load_task("proactive"), stage_of("proactive", SESSIONS, 2, 5)
    second = [msgspec.structs.replace(one, first="user") for one in stage.scenes]
    (found,) = forecast_conversations(task, endpoint(), stage._replace(scenes=second), stage, name="endpoint", seed=1)
    assert found.most["calls"] == 4


def test_five_conversations_are_played_at_most() -> None:
    task = load_task("restaurant")
    for n, played in ((3, 3), (5, 5), (7, 5)):
        stage = stage_of("restaurant", None, n, 8)
        asked = staged_with(stage, endpoint().as_user(), task)
        (found,) = forecast_conversations(task, make_system("solver"), asked, stage, name="solver", seed=1)
        assert found.source == f"as in {played} conversations of the system with the task's own user, played for this"
        assert found.conversations == n
        assert found.least["calls"] == pytest.approx(n)


def test_words_that_are_the_same_in_the_longest_conversations_are_not_asked_once(tmp_path: Path) -> None:
    task, stage = load_task("proactive"), stage_of("proactive", SESSIONS, 2, 5)
    kept = EndpointSystem(msgspec.structs.replace(endpoint().recipe, cache=str(tmp_path / "calls")))
    user, keeping = endpoint().as_user(), kept.as_user()
    one, other = (
        forecast_conversations(task, endpoint(), staged_with(stage, who, task), stage, name="endpoint", seed=1)[1]
        for who in (user, keeping)
    )
    assert one.most == other.most
    assert other.most["kept"] == 0


def test_the_longest_words_are_those_of_a_call_or_of_what_was_played() -> None:
    def heard(*texts: tuple[str, str]) -> Sample:
        return Sample(id="x", dialogue_id="x", history=tuple(Turn(speaker=who, text=text) for who, text in texts))

    assert _longest("system", [], 10.0) == {"system": "x" * 30, "user": "x" * 30}
    played = [[heard(("user", "a" * 99)), heard(("user", "好"), ("api", "ab"))], [], [heard(("user", "ab"))]]
    assert _longest("system", played, 1.0) == {"system": "xxx", "user": "xxx", "api": "xx"}
    assert _longest("user", [[heard(("user", "abcd"))]], 1.0) == {"user": "xxxx", "system": "xxxx"}


def test_tokens_of_a_call_are_those_of_new_calls() -> None:
    counts = {"calls": 4.0, "kept": 1.0, "most_completion_tokens": 300.0}
    assert _tokens_of_a_call(counts) == 100.0
    assert _tokens_of_a_call({**counts, "kept": 4.0}) == 0.0


@pytest.mark.parametrize(
    ("first", "calls", "part", "before"),
    [
        ("system", False, "system", [0, 2, 4]),
        ("system", False, "user", [1, 3]),
        ("user", False, "system", [1, 3]),
        ("user", False, "user", [0, 2, 4]),
        (None, False, "system", [0, 2, 4]),
        ("user", True, "system", [1, 2, 3, 4]),
        ("user", True, "user", [0, 2, 4]),
    ],
)
def test_a_conversation_that_goes_on_to_its_last_turn_asks_a_partner_at_each_of_its_turns(
    first: Literal["user", "system"] | None, part: str, before: list[int], *, calls: bool
) -> None:
    told: Any = first and first.encode().decode()  # as what is read from a file: no constant of ours
    scene = Scene(id="s", max_turns=5, first=told, api=(lambda _: ()) if calls else None)
    asked = _all(scene, part, [], {"system": "ss", "user": "u"})
    assert [len(one.history) for one in asked] == before
    for one in asked:  # the other side has just spoken, and both take turns
        speakers = [turn.speaker for turn in one.history]
        assert part not in speakers[-1:]
        assert all(left != right for left, right in pairwise(speakers))
        assert {turn.text for turn in one.history} <= {"ss", "u"}


def test_what_a_call_returned_and_the_most_candidates_stand_in_the_longest_conversation_too() -> None:
    offered = tuple(Candidate(id=str(number), text="x") for number in range(3))
    line = Turn(speaker="api", text="from the base")
    played = [
        Sample(id="1", dialogue_id="s", history=(Turn(speaker="user", text="hi"),), candidates=offered),
        Sample(id="2", dialogue_id="s", history=(Turn(speaker="user", text="hi"), line), candidates=offered[:1]),
    ]
    scene = Scene(id="s", max_turns=4, api=lambda _: (), after_call="user")
    asked = _all(scene, "system", played, {"system": "ss", "user": "u"})
    assert [one.history[0] for one in asked] == [line] * 2
    assert [len(one.history) for one in asked] == [2, 4]
    assert [one.candidates for one in asked] == [offered] * 2


def test_a_dialogue_of_people_asks_each_partner_what_it_would_know_at_its_turns() -> None:
    fact, goal = Fact(subject="a", relation="b", object="c"), Goal(topics=("buy",))
    speakers: list[str] = msgspec.json.decode(b'["user", "system", "user", "system", "user", "system"]')  # as in a file
    turns = tuple(Turn(speaker=who, text=text) for who, text in zip(speakers, "abcdef", strict=True))
    scene = Scene(id="s", max_turns=4, system=SystemView(knowledge=(fact,), world="w"), user=UserView(goal=goal))
    system, user = (_cut(Dialogue(id="s", turns=turns), scene, part) for part in ("system", "user"))
    assert [[turn.text for turn in one.history] for one in system] == [["a"], ["a", "b", "c"]]
    assert [[turn.text for turn in one.history] for one in user] == [[], ["a", "b"]]
    assert {(one.knowledge, one.world, one.goal) for one in system} == {((fact,), "w", None)}
    assert {(one.knowledge, one.world, one.goal) for one in user} == {((), None, goal)}
    assert all(turn.annotation is None for one in system for turn in one.history)
    (typed,) = [turn.annotation for turn in user[1].history if turn.annotation is not None]
    assert [(act.speaker, act.name, act.args) for act in typed.acts] == [("user", TYPED, ("a",))]


def test_calls_that_are_kept_are_told_where_there_are_any() -> None:
    counts = {"calls": 1200.0, "kept": 0.0, "prompt_tokens": 10.0, "most_completion_tokens": 20.0, "cost": 0.0}
    lines = conversation_lines([ConversationForecast("user", 1000, {**counts, "kept": 1000.0}, None, counts, "")])
    assert lines[:3] == [
        "user: 1,000 conversations take at least 1,200 calls, at most 1,200",
        "user, at least: about 10 tokens in, at most 20 out, 1,000 calls kept from before",
        "user, at most: about 10 tokens in, at most 20 out",
    ]
