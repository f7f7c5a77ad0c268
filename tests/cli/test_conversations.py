"""`simulate` and `chat` with the small agent of `tests/golden/proactive/plugin`, found as any plug-in is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.command import DUOLOGUE

from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.core.records import Dialogue, Report
from duologue.run.partners import conversable, kept_system

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.command import Outcome

    Call = Callable[..., Outcome]

PROACTIVE = Path(__file__).resolve().parents[1] / "golden" / "proactive"
GOALS = PROACTIVE / "small-sessions.txt"


@pytest.fixture
def call(duologue: Any) -> Call:
    """Run the command where the small agent is installed."""

    def run(*words: object, said: str = "") -> Outcome:
        outcome: Outcome = duologue(*words, said=said, PYTHONPATH=str(PROACTIVE / "plugin"), COLUMNS="120")
        return outcome

    return run


def test_conversations_are_simulated_and_the_figures_are_one_json_object(call: Call, tmp_path: Path) -> None:
    out, report = tmp_path / "dialogues.jsonl", tmp_path / "x.report.json"
    words = ("simulate", "proactive", "--system", "leader", "--goals", GOALS, "--n", 5, "--seed", 1, "--json")
    outcome = call(*words, "--out", out, "--report", report)
    assert outcome.code == 0, outcome.err
    found = json.loads(outcome.out)
    assert (found["task"], found["variant"], found["n"], found["seed"]) == ("proactive", "conversation", 2, 1)
    completion = found["scores"]["goal-completion"]
    assert completion["value"] == 2
    assert completion["low"] is completion["high"] is None  # two dialogues are too few for an interval
    assert found["scores"]["topics-in-order"]["value"] == 1
    assert found["scores"]["dialogues-with-repeats"]["value"] == 0
    assert found["people"].keys() == found["scores"].keys()
    assert isinstance(found["problems"], list)
    assert found["latency_ms"]["replies"] >= 8
    assert found["notes"][1].startswith("5 conversations were asked for; small-sessions.txt holds 2")
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [list(row) for row in rows] == [["goal", "knowledge", "conversation"]] * 2
    assert msgspec.json.decode(report.read_bytes(), type=Report).scores[0].name == "goal-completion"
    again = tmp_path / "again.jsonl"
    assert call(*words, "--out", again).code == 0
    assert again.read_bytes() == out.read_bytes()


def test_conversations_of_another_run_are_written_over_with_force_alone(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "dialogues.jsonl"
    out.write_text("somebody's work", "utf-8")
    words = ("simulate", "proactive", "--system", "leader", "--goals", GOALS, "--quiet", "--out", out)
    refused = call(*words)
    assert (refused.code, out.read_text("utf-8")) == (2, "somebody's work")
    assert "is there already; choose another --out, or write over it with --force" in refused.err
    assert call(*words, "--force").code == 0
    played = out.read_bytes()
    assert len(played.splitlines()) == 2
    assert call(*words, "--seed", 2).code == 2
    assert out.read_bytes() == played
    out.write_bytes(b"")
    assert call(*words).code == 0
    assert out.read_bytes() == played
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_what_a_stopped_run_had_written_is_no_other_run(call: Call, tmp_path: Path) -> None:
    out, report = tmp_path / "dialogues.jsonl", tmp_path / "gone" / "x.report.json"
    report.parent.write_text("where a folder is expected", "utf-8")
    words = ("simulate", "proactive", "--system", "leader", "--goals", GOALS, "--quiet", "--out", out)
    assert call(*words, "--report", report).code == 1
    assert out.is_file()
    assert call(*words).code == 0
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_tables_are_booked_without_any_file(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "played.json"
    words = ("simulate", "restaurant", "--system", "solver", "--n", 3, "--seed", 1)
    outcome = call(*words, "--out", out, "--json")
    assert outcome.code == 0, outcome.err
    found = json.loads(outcome.out)
    assert (found["task"], found["n"], found["ended_by"]) == ("restaurant", 3, {"over": 3})
    assert found["scores"]["success"]["value"] == 1
    assert len(json.loads(out.read_bytes())) == 3
    assert "tables-as-wanted" in call(*words).out


def test_calls_are_simulated_and_judged_by_the_official_success(call: Call, tmp_path: Path) -> None:
    goals, out = PROACTIVE.parent / "mobilecs/dialogue/contract/dialogues.json", tmp_path / "calls.json"
    words = ("simulate", "mobilecs/dialogue", "--system", "rule-agent", "--goals", goals, "--seed", 1, "--json")
    outcome = call(*words, "--out", out)
    assert outcome.code == 0, outcome.err
    found = json.loads(outcome.out)
    assert (found["variant"], found["n"], found["people"]) == ("conversation", 4, None)
    assert found["scores"]["success"]["value"] == found["scores"]["strict-success"]["value"] == 1
    assert found["ended_by"] == {"over": 4}
    assert len(json.loads(out.read_bytes())) == 4
    trained = json.loads(call(*words, "--users", goals).out)
    assert (trained["n"], trained["ended_by"]) == (4, {"over": 4})
    assert any("has learned from 4 dialogues" in note for note in trained["notes"])


def test_without_json_there_are_tables_and_notes(call: Call) -> None:
    outcome = call("simulate", "proactive", "--system", "leader", "--goals", GOALS, "--users", GOALS, "--max-turns", 8)
    assert outcome.code == 0, outcome.err
    assert "goal-completion" in outcome.out
    assert "ended by: " in outcome.out
    assert "replies, each in" in outcome.out
    assert "(--users)" in outcome.out


@pytest.mark.parametrize(
    ("words", "said", "code"),
    [
        (("simulate", "conversation", "--system", "solver", "--goals", "x"), "no simulated user", 2),
        (("simulate", "proactive", "--system", "leader"), "say whose goals are played: --goals FILE", 2),
        (("simulate", "mobilecs/dialogue", "--system", "rule-agent"), "say whose goals are played: --goals FILE", 2),
        (
            ("simulate", "proactive", "--system", "random", "--goals", GOALS),
            "'random' does not serve task 'proactive'",
            2,
        ),
        (("simulate", "proactive", "--system", "leader", "--goals", "nowhere"), "no such file", 1),
        (("simulate", "proactive", "--system", "leader", "--goals", GOALS, "--n", "0"), "--n", 2),
        (("chat", "proactive"), "say whom to talk to in task 'proactive'", 2),
        (("chat", "mobilecs/extraction", "--system", "leader"), "no live partner", 2),
        (("chat", "proactive", "--system", "random"), "wants text; systems that do: endpoint, http, hub, leader", 2),
    ],
)
def test_a_wrong_call_says_what_is_wrong(call: Call, words: tuple[object, ...], said: str, code: int) -> None:
    outcome = call(*words)
    assert outcome.code == code
    assert said in outcome.err
    assert "Traceback" not in outcome.err


def test_a_person_talks_with_an_agent_that_leads(call: Call, tmp_path: Path) -> None:
    saved = tmp_path / "chat.json"
    outcome = call(
        "chat", "proactive", "--system", "leader", "--trace", "--save", saved, said="还行\n好的\n/quit\n没有人听\n"
    )
    assert outcome.code == 0, outcome.err
    assert "leads the talk from 灯塔下的信" in outcome.out
    assert "bot: 你平时喜欢看电影吗？" in outcome.out
    assert "    used: 灯塔下的信 | 类型 | 剧情" in outcome.out
    assert "plan: 灯塔下的信 reached, 沈一帆 not yet; facts used 1 of 9" in outcome.out
    dialogue = msgspec.json.decode(saved.read_bytes(), type=Dialogue)
    assert [turn.speaker for turn in dialogue.turns] == ["system", "user", "system", "user", "system"]


def test_what_the_agent_keeps_to_itself_is_shown_with_trace_alone(call: Call, tmp_path: Path) -> None:
    words = ("chat", "proactive", "--system", "leader", "--save", tmp_path / "chat.json")
    outcome = call(*words, said="还行\n/quit\n")
    assert outcome.code == 0, outcome.err
    assert "The agent begins and leads the dialogue" in outcome.out
    assert "bot: 你平时喜欢看电影吗？" in outcome.out
    assert not any(word in outcome.out for word in ("goal:", "used", "plan:", "沈一帆"))
    refused = call("chat", "restaurant", "--trace", said="")
    assert refused.code == 2
    assert "all else is shown without it" in refused.err


def test_the_goal_of_a_talk_comes_from_a_file_and_remarks_may_be_chinese(call: Call, tmp_path: Path) -> None:
    words = ("chat", "proactive", "--system", "leader", "--goals", GOALS, "--lang", "zh", "--trace")
    outcome = call(*words, "--save", tmp_path / "c.json", said="再见\n")
    assert "机器人将把话题从《云海之旅》" in outcome.out
    assert "机器人: 你平时喜欢看电影吗？" in outcome.out


def test_quit_leaves_the_restaurant_too(call: Call, tmp_path: Path) -> None:
    outcome = call("chat", "restaurant", "--save", tmp_path / "c.json", said="hi\n/quit\nbye\n")
    assert outcome.code == 0
    assert outcome.out.count("you> ") == 2


def test_show_and_training_take_sessions_with_further_keys_and_nothing_said(call: Call, tmp_path: Path) -> None:
    row = json.loads(GOALS.read_text("utf-8").splitlines()[0])
    beginnings = tmp_path / "beginnings.jsonl"
    rows = [{"id": f"t{number}", **row, "conversation": [], "samples": [["test_1", 0, 0]]} for number in range(2)]
    beginnings.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows), encoding="utf-8")
    outcome = call("show", "proactive", beginnings)
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith("session: t0\ngoal: START -> 云 海 之 旅 -> 山 路\n")
    assert outcome.out.endswith("topics: 2\n")
    same = tmp_path / "other" / GOALS.name
    same.parent.mkdir()
    shutil.copy(GOALS, same)
    given = load_task("proactive").load_training((beginnings, GOALS))
    assert len(given) == len({one.sample.dialogue_id for one in given}) + 2 == 4
    outcome = call("train", "proactive", "--system", "leader", "--train", GOALS, "--train", beginnings, "--out", same)
    assert "does not learn" in outcome.err


def test_a_line_that_is_not_utf8_is_asked_for_again_and_the_talk_goes_on(tmp_path: Path) -> None:
    said = "你好\n".encode("gb18030") + "还行\n/quit\n".encode()
    command = [str(DUOLOGUE), "chat", "proactive", "--system", "leader", "--save", str(tmp_path / "c.json")]
    environment = {**os.environ, "PYTHONPATH": str(PROACTIVE / "plugin"), "PYTHONUTF8": "1"}
    done = subprocess.run(command, input=said, capture_output=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert b"(this line is not UTF-8 and was not read; set the terminal to UTF-8)" in done.stdout
    dialogue = msgspec.json.decode((tmp_path / "c.json").read_bytes(), type=Dialogue)
    assert [turn.text for turn in dialogue.turns if turn.speaker == "user"] == ["还 行"]


def test_a_plug_in_that_fails_is_named_with_its_package(call: Call, tmp_path: Path) -> None:
    words = ("run", "proactive", "--system", "leader", "--set", "broken=true")
    outcome = call(*words, GOALS, "--out", tmp_path / "out.txt")
    assert outcome.code == 1
    assert "the system 'leader' of the package 'leader' (leader:Leader) fails (AssertionError: )" in outcome.err
    assert "fault of duologue" not in outcome.err


def test_an_empty_path_and_a_folder_are_no_result_file(call: Call) -> None:
    words = ("run", "proactive", "--system", "leader", GOALS, "--out")
    outcome = call(*words, "")
    assert (outcome.code, "it is empty; name a file or folder" in outcome.err) == (2, True)
    outcome = call(*words, ".")
    assert (outcome.code, "'.' is a folder; name a file" in outcome.err) == (2, True)


def test_a_name_that_the_system_refuses_is_said_in_plain_english(call: Call, tmp_path: Path) -> None:
    """Wherever a path is looked at first: the system may refuse it before any reader or writer of ours is asked."""
    long = "x" * 300
    for words in (
        ("data", "extract", "subtitles", long, "--out", tmp_path / "out"),
        ("data", "import", "dialogues", GOALS, "--store", long),
        ("show", "proactive", long),
    ):
        outcome = call(*words)
        assert outcome.code == 1, outcome.err
        assert outcome.err.rstrip().endswith(f"{long}: the name is too long") or f"{long}/" in outcome.err, outcome.err
        assert "should not have happened" not in outcome.err


def test_whatever_speaks_the_api_is_talked_to(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.endpoints.servers import TOKEN, solver

    kept = tmp_path / "talk.json"
    with solver() as address:
        monkeypatch.setenv("DUOLOGUE_ENDPOINT_KEY", TOKEN)
        outcome = call("chat", "--url", address, "--save", kept, said="hello\n/quit\n")
        other = call("chat", "--url", address, "--model", "gpt", said="hello\n")
    assert outcome.code == 0, outcome.err
    assert f"restaurant/solver at {address}/v1" in outcome.out
    assert "bot: hello what can i help you with today" in outcome.out
    assert TOKEN not in outcome.out + outcome.err + kept.read_text("utf-8")
    assert len(msgspec.json.decode(kept.read_bytes(), type=Dialogue).turns) == 2
    assert (other.code, "There is no model 'gpt'" in other.err) == (1, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "say what to talk in: TASK"),
        (("restaurant", "--model", "m"), "give its address with --url"),
        (("restaurant", "--url", "http://127.0.0.1:9", "--seed", 2), "leave TASK, --seed out"),
        (("--url", "nowhere"), "expected an address"),
    ],
)
def test_a_talk_is_with_a_system_or_with_an_endpoint(call: Call, words: tuple[object, ...], said: str) -> None:
    refused = call("chat", *words)
    assert refused.code == 2
    assert said in refused.err


def test_talks_that_begin_in_one_second_have_transcripts_of_their_own(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    begun = datetime(2026, 11, 30, 1, 2, 3, tzinfo=UTC)
    monkeypatch.setattr("duologue.cli.chat.datetime", type("Stopped", (), {"now": staticmethod(lambda tz: begun)}))
    for words in ("hi", "hello"):
        assert call("chat", "restaurant", said=f"{words}\n/quit\n").code == 0
    saved = [json.loads(path.read_text("utf-8")) for path in (tmp_path / "workspace/chats").iterdir()]
    assert {one["turns"][0]["text"] for one in saved} == {"hi", "hello"}
    assert len({one["id"] for one in saved}) == 2
    assert all(one["id"].startswith("restaurant-20261130-010203-") for one in saved)


def test_a_system_lasts_under_the_name_that_is_given_or_that_of_the_default() -> None:
    task = conversable("restaurant")
    found = [kept_system(task, name) for name in (None, "solver", "random")]
    assert found == [("solver", ()), ("solver", ()), ("random", ())]
    with pytest.raises(UsageError, match="say whom to talk to in task 'conversation'"):
        kept_system(conversable("conversation"), None)
