"""Simulated users beside a scripted server of this machine."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

pytest.importorskip("httpx", reason="the client of endpoints is optional")

from tests import chat_engine
from tests import endpoint_stub as stub
from tests.endpoint_stub import Stub

from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Playable
from duologue.core.plugins import load_task
from duologue.core.records import Act, Annotation, Answer, Record, Sample, Turn
from duologue.core.scenes import HANGS_UP, TYPED
from duologue.endpoints.caps import CapReachedError
from duologue.run.simulate import simulate, staged_with
from duologue.run.systems import open_system, open_user
from duologue.systems.endpoint.endpoint import EndpointSystem, EndpointUser
from duologue.systems.endpoint.recipe import EndpointRecipe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import System, TaskInfo, World
    from duologue.core.records import Dialogue
    from duologue.run.simulate import Simulation

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
CALLS = GOLDEN / "mobilecs/dialogue/contract/dialogues.json"
CHATS = GOLDEN / "proactive/contract/sessions.txt"


def user(url: str, **entries: Any) -> EndpointUser:
    given = {"wait": 0.01, "timeout": 5.0, "cache": "", "workers": 1, **entries}
    made = EndpointSystem(EndpointRecipe(url=url, model="m", **given)).as_user()
    assert isinstance(made, EndpointUser)
    return made


def played(
    task: str, system: System, server: Stub, goals: Path | None = None, *, n: int = 2, most: int = 60, **entries: Any
) -> Simulation:
    loaded = load_task(task)
    assert isinstance(loaded, Playable)
    stage = staged_with(loaded.stage(goals, (), n=n, seed=1, max_turns=most), user(server.url, **entries), loaded)
    return simulate(loaded, system, stage, name="x", seed=1)


def says(words: str, *, hang_up: bool = False) -> str:
    return json.dumps({"say": words, "hang_up": hang_up}, ensure_ascii=False)


def heard(asked: dict[str, Any], name: str) -> list[str]:
    """Return the lines of a speaker in the question that is asked last."""
    return re.findall(rf"^{name}: (.*)$", asked["messages"][-1]["content"], re.MULTILINE)


def guest(asked: dict[str, Any]) -> str:
    """Play a guest who answers what is asked, in its own words, and takes the first restaurant."""
    card = dict(re.findall(r"^(\w[\w ]*): (.*)$", asked["messages"][-1]["content"], re.MULTILINE))
    bot = heard(asked, "Bot")
    last = bot[-1] if bot else ""
    replies = {
        "": "Hi there, can you book a table for me?",
        "cuisine": f"I'd love {card['cuisine']} food.",
        "where": f"Somewhere in {card['location']}!",
        "how many": f"We are {card['number']} people",
        "price": f"{card['price']}, please",
        "atmosphere": f"{card['atmosphere']}",
        "option": "yes please",
        "reservation": "what is the phone number?" if "phone" in card["to ask of the restaurant"] else "the address?",
        "phone": "and the address?" if "address" in card["to ask of the restaurant"] else "thanks",
        "address": "thank you",
    }
    if "is there anything" in last:
        return says("No, that was all. Bye", hang_up=True)
    return says(next((words for cue, words in reversed(replies.items()) if cue in last), "thanks"))


def typed(dialogue: Dialogue) -> list[str]:
    acts = [act for turn in dialogue.turns if turn.annotation is not None for act in turn.annotation.acts]
    return [act.args[0] for act in acts if act.name == TYPED]


@pytest.mark.slow
def test_a_guest_who_types_freely_books_a_table() -> None:
    with Stub(brain=guest) as server:
        found = played("restaurant", open_system(load_task("restaurant"), "solver"), server, n=4)
    scores = {one.name: one.value for one in found.report.scores}
    assert (scores["success"], scores["calls-as-wanted"], scores["user-leaks"]) == (1, 1, 0)
    assert found.ended_by == {"over": 4}
    assert typed(found.dialogues[0])[0] == "Hi there, can you book a table for me?"
    assert found.dialogues[0].turns[0].text == "hello"
    assert scores["user-not-understood"] == 0
    assert found.report.signature.prompts["user"].startswith("restaurant en v1 ")
    assert found.report.meta["usage"]["user"]["calls"] == len(server.asked)
    names = [turn.text for turn in found.dialogues[0].turns if turn.speaker == "api"]
    first = server.asked[0]["messages"]
    assert not any(line.split()[1] in json.dumps(first) for line in names)
    assert "api_call" not in json.dumps(server.asked)


def test_what_a_guest_makes_up_is_a_leak_and_odd_words_are_handed_on() -> None:
    loaded = load_task("restaurant")
    assert isinstance(loaded, Playable)
    name = next(iter(loaded.stage(None, (), n=1, seed=1, max_turns=4).worlds.values())).entities()[0]  # type: ignore[attr-defined]  # a knowledge base
    script = [says("well well"), says(f"Is {name.replace('_', ' ')} free?"), "{ broken", says("", hang_up=True)]
    with Stub(*[stub.says(words) for words in script]) as server:
        found = played("restaurant", open_system(loaded, "solver"), server, n=1)
    (dialogue,) = found.dialogues
    assert typed(dialogue)[0] == "well well"
    assert dialogue.turns[2].text == "well well"
    counts = dict(zip(found.report.columns, found.report.items[0][1], strict=True))
    assert (counts["leaks"], counts["not understood"]) == (1, 2)
    assert [one.rule for one in found.report.problems] == ["answers-unread", "booking-failed", "user-leak"]
    assert name in found.report.problems[2].message
    assert found.report.meta["usage"]["user"]["unparsable"] == 1
    assert "<silence>" in [turn.text for turn in dialogue.turns]
    assert found.ended_by == {"over": 1}


def test_a_listener_sees_neither_goal_nor_knowledge_and_its_leaks_are_counted_as_those_of_people() -> None:
    with Stub(stub.says(says("哦，是吗？")), stub.says("我: 真的吗\n对方: 是的"), stub.says(says("拜拜"))) as server:
        found = played("proactive", _Leader(), server, CHATS, n=1)
    (dialogue,) = found.dialogues
    assert dialogue.goal is not None
    told = json.dumps(server.asked, ensure_ascii=False)
    assert not any(topic in told for topic in dialogue.goal.topics)
    assert not any(str(fact.object) in told for fact in dialogue.knowledge if len(str(fact.object)) > 3)
    said = ["".join(turn.text.split()) for turn in dialogue.turns if turn.speaker == "user"]
    assert said == ["哦，是吗？", "真的吗", "拜拜"]
    assert found.ended_by == {"user": 1}  # the agent had the last word
    assert found.report.meta["usage"]["user"]["dropped"] == 1
    assert found.people is not None
    figures = [{one.name: one.value for one in report.scores} for report in (found.report, found.people)]
    assert [one["user-leaks"] for one in figures] == [0, 0]
    goal = dialogue.goal.topics[1]
    with Stub(stub.says(says(f"你想说{goal}吧"))) as server:
        leaky = played("proactive", _Leader(), server, CHATS, n=1, most=4)
    assert {one.name: one.value for one in leaky.report.scores}["goal-given-away"] == 1
    assert any(one.rule == "user-leak" for one in leaky.report.problems)


def test_a_caller_has_the_goal_card_alone_and_ends_the_call_with_its_last_words() -> None:
    with Stub(stub.says(says("你好，我想问一下")), stub.says(says("谢谢，再见", hang_up=True))) as server:
        found = played("mobilecs/dialogue", open_system(load_task("mobilecs/dialogue"), "rule-agent"), server, CALLS)
    assert found.ended_by == {"over": 2}
    last = found.dialogues[0].turns[-1]
    assert (last.speaker, last.text) == ("user", "谢谢，再见")
    card = server.asked[0]["messages"][1]["content"]
    assert "你想知道：" in card
    names = {one.name for one in found.report.scores}
    assert {"success", "user-leaks"} <= names
    assert not names & {"reward", "hallucinated-values"}
    facts = [one for one in found.dialogues[0].knowledge if one.relation not in {"name", "type"}]
    secret = next(str(one.object) for one in facts if isinstance(one.object, str) and one.object not in card)
    with Stub(stub.says(says(f"是{secret}对吧"))) as server:
        agent = open_system(load_task("mobilecs/dialogue"), "rule-agent")
        leaky = played("mobilecs/dialogue", agent, server, CALLS, most=2)
    assert any(secret in one.message for one in leaky.report.problems if one.rule == "user-leak")


@pytest.mark.slow
def test_a_real_engine_plays_a_guest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUOLOGUE_ENDPOINT_KEY", chat_engine.KEY)
    url = chat_engine.serve(chat_engine.english_weights())
    loaded = load_task("restaurant")
    assert isinstance(loaded, Playable)
    guest = user(url, timeout=300.0, reply_tokens=40, structure="schema")
    stage = staged_with(loaded.stage(None, (), n=1, seed=1, max_turns=6), guest, loaded)
    found = simulate(loaded, open_system(loaded, "solver"), stage, name="x", seed=1)
    usage = found.report.meta["usage"]["user"]
    assert usage["calls"] >= 1
    assert usage["unparsable"] < usage["calls"]
    assert typed(found.dialogues[0])
    assert {"success", "user-leaks"} <= {one.name for one in found.report.scores}


def test_what_the_errors_of_a_user_say_to_set_is_set_with_user_set() -> None:
    agent = open_system(load_task("mobilecs/dialogue"), "rule-agent")
    with Stub() as server, pytest.raises(CapReachedError, match=r"give more with --user-set max_calls="):
        played("mobilecs/dialogue", agent, server, CALLS, max_calls=1)


def test_a_user_takes_no_examples_and_other_systems_play_none() -> None:
    with pytest.raises(UsageError, match="a user takes none"):
        EndpointSystem(EndpointRecipe(url="http://127.0.0.1:9/v1", model="m", shots=1, examples="x")).as_user()
    with pytest.raises(UsageError, match="'solver' plays no users; --user endpoint"):
        open_user(load_task("restaurant"), "solver")
    loaded = load_task("restaurant")
    assert isinstance(loaded, Playable)
    bare = loaded.stage(None, (), n=1, seed=1, max_turns=4)._replace(with_user=None)
    with pytest.raises(UsageError, match="judged by the plan of its own user"):
        staged_with(bare, user("http://127.0.0.1:9/v1"), loaded)


class _Leader:
    """An agent that talks about nothing."""

    Recipe: type[Record] = Record
    seen = "nothing"

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Nothing is prepared."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        return [Answer(text=f"嗯 ， 第 {len(sample.history)} 句 话 。") for sample in samples]


def test_a_user_who_has_hung_up_is_asked_nothing_and_so_is_forecast() -> None:
    one, task = user("http://127.0.0.1:9/v1"), load_task("proactive")
    one.prepare(task.info, 1, {})
    bye = Turn(speaker="user", text="bye", annotation=Annotation(acts=(Act(speaker="user", name=HANGS_UP),)))
    gone = Sample(id="a", dialogue_id="a", history=(bye,))
    assert one.forecast([gone])["calls"] == 0
    assert one.forecast([msgspec.structs.replace(gone, history=())])["calls"] == 1
