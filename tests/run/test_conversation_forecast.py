from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.endpoint_stub import Stub

from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Playable, Stage
from duologue.core.plugins import load_task, make_system
from duologue.core.records import Sample, Turn
from duologue.run.conversation_forecast import (
    ConversationForecast,
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
