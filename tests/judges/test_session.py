"""Sessions beside a scripted judge of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("httpx", reason="the client of endpoints is optional")

from tests import endpoint_stub as stub
from tests.endpoint_stub import Stub
from tests.judges.judge_stub import by_length, is_pair, longer_wins, obeys

from duologue.core.errors import BotError, UsageError
from duologue.core.plugins import load_task
from duologue.endpoints.recorded_calls import NotRecordedError
from duologue.judges.pairs import PairsReport
from duologue.judges.points import PointsReport
from duologue.judges.recipe import JudgeRecipe
from duologue.judges.session import JudgeSession

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.judges.results import JudgedFiles
    from duologue.judges.session import Kind

CONVERSATION = load_task("conversation")


def brain(asked: dict[str, Any]) -> str:
    return longer_wins(asked) if is_pair(asked) else by_length(asked)


def recipe(url: str, **entries: Any) -> JudgeRecipe:
    return JudgeRecipe(url=url, model="m", **{"cache": "", "wait": 0.01, **entries})


def test_all_that_was_asked_is_replayed_to_the_same_result(files: JudgedFiles, tmp_path: Path) -> None:
    calls = str(tmp_path / "calls.jsonl")
    with Stub(brain=brain) as server:
        session = JudgeSession(CONVERSATION, files, recipe(server.url, record=calls, workers=3))
        told = session.forecast()
        made = session.run()
        assert told["calls"] == len(server.asked) == 24 + 3 + 30
        again = JudgeSession(CONVERSATION, files, recipe(server.url, replay=calls, workers=1))
        assert again.forecast()["kept"] == told["calls"]
        replayed = again.run()
        assert (replayed.ratings, replayed.report) == (made.ratings, made.report)
        with pytest.raises(NotRecordedError, match="0 of 57 calls are done"):
            JudgeSession(CONVERSATION, files, recipe(server.url, replay=calls), seed=2).run()
        assert len(server.asked) == 57
    assert isinstance(made.report, PointsReport)
    assert {one.system for one in made.ratings} == {"short", "long"}


def test_a_run_that_a_cap_ends_goes_on_where_it_was(files: JudgedFiles, tmp_path: Path) -> None:
    calls = str(tmp_path / "calls.jsonl")
    with Stub(brain=brain) as server:
        with pytest.raises(BotError, match="max_calls=20"):
            JudgeSession(CONVERSATION, files, recipe(server.url, record=calls, max_calls=20)).run()
        made = JudgeSession(CONVERSATION, files, recipe(server.url, record=calls)).run()
        assert len(server.asked) == 57
    with Stub(brain=brain) as other:
        assert JudgeSession(CONVERSATION, files, recipe(other.url)).run().ratings == made.ratings


def test_pairs_are_of_two_results(files: JudgedFiles) -> None:
    with Stub(brain=brain) as server:
        made = JudgeSession(CONVERSATION, files, recipe(server.url), kind="pairs").run()
        assert isinstance(made.report, PairsReport)
        assert len(made.preferences) == 12
        with pytest.raises(UsageError, match="expected two RESULTs, found 1"):
            JudgeSession(CONVERSATION, files._replace(results=files.results[:1]), recipe(server.url), kind="pairs")


def test_answers_that_cannot_be_read_are_counted_with_the_calls(files: JudgedFiles) -> None:
    with Stub(
        brain=lambda asked: "hard to say" if asked["messages"][-1]["content"].count("2") else brain(asked)
    ) as server:
        points = JudgeSession(CONVERSATION, files, recipe(server.url)).run()
        asked = [one["messages"][-1]["content"] for one in server.asked]
        assert points.usage["calls"] == len(asked)
        assert 0 < points.usage["unparsable"] == sum("2" in one for one in asked) < len(asked)
        pairs = JudgeSession(CONVERSATION, files, recipe(server.url), kind="pairs").run()
        asked = [one["messages"][-1]["content"] for one in server.asked[len(asked) :]]
        assert pairs.usage["unparsable"] == sum("2" in one for one in asked)


def test_a_judge_that_obeys_what_it_judges_is_found_out(files: JudgedFiles) -> None:
    with Stub(brain=obeys) as server:
        made = JudgeSession(CONVERSATION, files, recipe(server.url)).run()
    assert isinstance(made.report, PointsReport)
    assert made.report.appended.value == made.report.alone.value == 4.0


def test_of_many_items_some_are_drawn_that_all_systems_have(files: JudgedFiles) -> None:
    session = JudgeSession(CONVERSATION, files, recipe("http://127.0.0.1:9/v1"), n=5)
    short, long = (set(items) for items in session.systems.values())
    assert short == long
    assert len(short) == 5
    other = JudgeSession(CONVERSATION, files, recipe("http://127.0.0.1:9/v1"), n=5, seed=2)
    assert set(other.systems["short"]) != short


@pytest.mark.parametrize(
    "step", [stub.says("I will not judge."), stub.refuses, stub.says('{"quality": 9}'), stub.says("<think>4")]
)
def test_what_cannot_be_read_is_counted_and_never_guessed(files: JudgedFiles, step: stub.Step) -> None:
    with Stub(step) as server:
        made = JudgeSession(CONVERSATION, files, recipe(server.url)).run()
    assert made.ratings == ()
    assert isinstance(made.report, PointsReport)
    assert made.report.unread == {"quality": 24}


def test_faults_of_the_server_are_survived(files: JudgedFiles) -> None:
    faults = [stub.busy(), stub.broken, stub.cut, stub.not_json, stub.hang_up, stub.refuses_forms]
    with Stub(*faults, brain=lambda _: "Well: {'quality': 3} or rather {\"quality\": 3}") as server:
        made = JudgeSession(CONVERSATION, files, recipe(server.url, workers=1, tries=6)).run()
    assert {one.value for one in made.ratings} == {3.0}
    assert len(made.ratings) == 24


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["points", "pairs"])
def test_a_real_engine_judges_by_schema(files: JudgedFiles, monkeypatch: pytest.MonkeyPatch, kind: Kind) -> None:
    from tests.chat_engine import KEY, english_weights, serve

    url = serve(english_weights())
    monkeypatch.setenv("DUOLOGUE_ENDPOINT_KEY", KEY)
    given = recipe(url, reply_tokens=24, workers=1, timeout=300.0, repeats=0.0, injections=0)
    session = JudgeSession(CONVERSATION, files, given, kind=kind, n=2)
    made = session.run()
    assert len(made.ratings) + len(made.preferences) == (4 if kind == "points" else 2)
    assert "estimated" not in made.usage
