"""The system beside a scripted server of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("httpx", reason="the client of endpoints is optional")

from tests import chat_engine
from tests import endpoint_stub as stub
from tests.endpoint_stub import Stub

from duologue.core.errors import BotError, UsageError
from duologue.core.plugins import load_task
from duologue.core.protocols import TaskInfo
from duologue.core.records import Answer, Candidate, Sample, Turn
from duologue.systems.endpoint.endpoint import EndpointSystem
from duologue.systems.endpoint.recipe import EndpointRecipe
from duologue.testing import check_system

if TYPE_CHECKING:
    from collections.abc import Sequence

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
TALK = TaskInfo(name="talk", version="1", language="en", answers="text")
CHOICE = TaskInfo(name="choice", version="1", language="en", answers="ranking")
CALL = load_task("mobilecs/dialogue").info


def samples(count: int) -> list[Sample]:
    candidates = tuple(Candidate(id=f"id-{one}", text=one) for one in "abc")
    return [
        Sample(
            id=f"s{number}",
            dialogue_id="d",
            history=(Turn(speaker="user", text=f"number {number}"),),
            candidates=candidates,
        )
        for number in range(count)
    ]


def system(url: str, info: TaskInfo = TALK, **entries: Any) -> EndpointSystem:
    given = {"wait": 0.01, "timeout": 5.0, "cache": "", **entries}
    made = EndpointSystem(EndpointRecipe(url=url, model="m", **given))
    made.prepare(info, 3, {})
    return made


def used(made: EndpointSystem) -> dict[str, Any]:
    return made.usage(made.accounts)


@pytest.mark.parametrize(
    ("info", "entries"),
    [
        (TALK, {}),
        (CHOICE, {}),
        (CHOICE, {"ranking": "pairwise"}),
        (CHOICE, {"ranking": "logprobs"}),
        (CHOICE, {"ranking": "sampled", "draws": 2}),
        (CALL, {}),
    ],
    ids=["text", "listwise", "pairwise", "logprobs", "sampled", "structured"],
)
def test_it_keeps_the_contract_of_systems(info: TaskInfo, entries: dict[str, Any], tmp_path: Path) -> None:
    with Stub() as server:
        check_system(system(server.url, info, cache=str(tmp_path), **entries), samples(4), info)


def test_a_request_holds_the_prompt_the_seed_and_what_the_recipe_adds() -> None:
    with Stub() as server:
        made = system(server.url, CALL, extra={"top_p": 0.5, "max_completion_tokens": 9}, omit=("max_tokens",))
        made.answer(samples(1))
    (asked,) = server.asked
    assert asked["messages"][0]["role"] == "system"
    assert "number 0" in asked["messages"][-1]["content"]
    assert (asked["seed"], asked["temperature"], asked["top_p"], asked["max_completion_tokens"]) == (3, 0.0, 0.5, 9)
    assert "max_tokens" not in asked
    assert asked["response_format"]["json_schema"]["strict"] is True
    assert made.prompt_mark.startswith("mobilecs/dialogue zh v1 ")


def test_a_server_without_forms_is_asked_in_words_from_then_on(tmp_path: Path) -> None:
    words = 'Sure: {"reply": "好", "staff_intents": ["通知", "nonsense"]}'
    with Stub(stub.refuses_forms, brain=lambda _: words) as server:
        made = system(server.url, CALL, workers=1, cache=str(tmp_path))
        answers = made.answer(samples(3))
        assert len(server.asked) == 4
        assert [answer.text for answer in answers] == ["好"] * 3
        assert used(made)["dropped"] == 3
        again = system(server.url, CALL, workers=1, cache=str(tmp_path))
        assert again.answer(samples(3)) == answers
        assert len(server.asked) == 4  # what was asked in words is found before a form is tried
    with Stub(stub.refuses_forms) as server, pytest.raises(BotError, match="refuses with status 400"):
        system(server.url, CALL, structure="schema").answer(samples(1))


@pytest.mark.parametrize("step", [stub.says("I'd rather not."), stub.refuses, stub.says("<think>hm"), stub.says("")])
def test_what_cannot_be_read_is_counted_and_becomes_the_empty_answer(step: stub.Step) -> None:
    with Stub(step) as server:
        made = system(server.url, CALL)
        (answer,) = made.answer(samples(1))
    assert answer.text == ""
    assert answer.annotation is not None
    assert answer.annotation.acts == ()
    assert used(made)["unparsable"] == 1
    assert "not as asked: 1 of 1 answers that could not be read and count as empty" in "\n".join(
        made.usage_lines(used(made), 1)
    )


def test_calls_are_made_at_the_same_time_and_answers_stand_in_order() -> None:
    def number_of(asked: dict[str, Any]) -> str:
        return asked["messages"][-1]["content"].partition("number ")[2].split()[0]  # type: ignore[no-any-return]

    with Stub(brain=number_of, delay=0.05) as server:
        made = system(server.url, workers=8)
        assert [answer.text for answer in made.answer(samples(20))] == [str(number) for number in range(20)]
    assert used(made)["calls"] == 20


def test_the_same_call_is_never_made_twice(tmp_path: Path) -> None:
    with Stub() as server:
        first = system(server.url, CHOICE, cache=str(tmp_path)).answer(samples(3))
        assert len(server.asked) == 6
        second = system(server.url, CHOICE, cache=str(tmp_path))
        assert second.answer(samples(3)) == first
        assert len(server.asked) == 6
        told = used(second)
        assert (told["calls"], told["kept"]) == (6, 6)
        system(server.url, CHOICE, cache=str(tmp_path), temperature=0.5).answer(samples(1))
        assert len(server.asked) == 8
    assert not any(b"Bearer" in path.read_bytes() for path in tmp_path.rglob("*.json"))


@pytest.mark.parametrize("ranking", ["listwise", "pairwise", "logprobs"])
def test_a_recording_gives_the_same_answers_without_a_call(ranking: str, tmp_path: Path) -> None:
    recording = str(tmp_path / "calls.jsonl")
    with Stub() as server:
        first = system(server.url, CHOICE, ranking=ranking, workers=4, record=recording).answer(samples(5))
        made = len(server.asked)
        again = system(server.url, CHOICE, ranking=ranking, workers=2, replay=recording)
        assert again.answer(samples(5)) == first
        assert used(again)["kept"] == used(again)["calls"] == made
        with pytest.raises(BotError, match=r"calls\.jsonl has no call with the hash"):
            again.answer(samples(6))
        assert len(server.asked) == made


def test_the_key_is_in_no_answer_and_in_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DUOLOGUE_ENDPOINT_KEY", "sk-never-shown-123")
    with Stub(stub.echoes_key()) as server:
        made = system(server.url, cache=str(tmp_path))
        (answer,) = made.answer(samples(1))
        assert server.headers[0]["Authorization"] == "Bearer sk-never-shown-123"
    assert answer.text == "your key is [key] [key]"
    assert not any(b"never-shown" in path.read_bytes() for path in tmp_path.rglob("*.json"))
    assert "never-shown" not in str(vars(made)) + str(used(made))


def test_a_cap_ends_the_run_and_what_is_answered_is_told() -> None:
    with Stub() as server:
        made, kept = system(server.url, max_calls=5, workers=2), list[int]()
        with pytest.raises(BotError, match="the cap max_calls=5 is reached"):
            kept.extend(place for place, _, _ in made.answer_each(samples(20)))
    assert len(kept) == len(server.asked) == 5


def test_order_bias_is_reported() -> None:
    with Stub(brain=lambda _: "A") as server:
        made = system(server.url, CHOICE, ranking="pairwise")
        made.answer(samples(10))
    told = used(made)
    assert told["order_bias"]["2"]["shares"] == [1.0, 0.0]
    assert told["flips"] == told["pairs"] == 20


def test_each_draw_is_a_call_of_its_own_with_another_seed(tmp_path: Path) -> None:
    with Stub() as server:
        made = system(server.url, CHOICE, ranking="sampled", draws=3, permutations=2, cache=str(tmp_path), workers=1)
        assert made.forecast(samples(1))["calls"] == 6
        (answer,) = made.answer(samples(1))
        assert sorted(answer.ranking or ()) == ["id-a", "id-b", "id-c"]
        assert len({one["seed"] for one in server.asked}) == 3
        assert {one["temperature"] for one in server.asked} == {1.0}
        assert used(made)["calls"] == len(server.asked) == 6
        again = made.forecast(samples(1))
    assert (again["calls"], again["kept"]) == (6, 6)


def test_an_endpoint_without_logprobs_is_refused_with_what_to_do() -> None:
    with Stub(stub.says("A")) as server, pytest.raises(BotError, match="gives no logprobs"):
        system(server.url, CHOICE, ranking="logprobs").answer(samples(1))


def test_a_forecast_asks_nothing_and_knows_what_is_kept(tmp_path: Path) -> None:
    with Stub() as server:
        made = system(server.url, CHOICE, cache=str(tmp_path), price_out=1000.0, reply_tokens=10)
        made.answer(samples(2))
        before = len(server.asked)
        told = made.forecast(samples(6))
        assert len(server.asked) == before
        assert (told["calls"], told["kept"], told["most_completion_tokens"]) == (12, 4, 80)
        assert told["cost"] == pytest.approx(0.08)
        pairs = system(server.url, CHOICE, ranking="pairwise").forecast(samples(1))
        asked = system(server.url, CHOICE, ranking="pairwise")
        asked.answer(samples(1))
        assert used(asked)["calls"] == pairs["calls"] == 4
    assert made.forecast([])["calls"] == 0


def few_shot(how: str, server: Stub, count: int) -> Sequence[dict[str, Any]]:
    examples = GOLDEN / "conversation/contract/evaluation.txt"
    info = load_task("conversation").info
    made = system(server.url, info, examples=str(examples), shots=count, choose=how)
    made.answer(samples(1))
    assert made.seen.endswith(f"; {count} examples of evaluation.txt in each prompt")
    assert ", examples " in made.prompt_mark
    return server.asked[-1]["messages"]  # type: ignore[no-any-return]  # decoded JSON


@pytest.mark.parametrize("how", ["seed", "similar"])
def test_examples_stand_before_the_question(how: str) -> None:
    with Stub() as server:
        messages = few_shot(how, server, 3)
    assert [one["role"] for one in messages] == ["system", *("user", "assistant") * 3, "user"]


def test_a_single_candidate_is_not_asked_about() -> None:
    one = Sample(id="s", dialogue_id="d", candidates=(Candidate(id="x", text="x"),))
    none = Sample(id="t", dialogue_id="d")
    assert system("http://127.0.0.1:9/v1", CHOICE).answer([one, none]) == [Answer(ranking=("x",)), Answer(ranking=())]


@pytest.mark.slow
def test_a_real_engine_answers_by_schema_and_tells_probabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUOLOGUE_ENDPOINT_KEY", chat_engine.KEY)
    url = chat_engine.serve(chat_engine.english_weights())
    patient: dict[str, Any] = {"timeout": 300.0, "workers": 1}
    talk = system(url, reply_tokens=4, **patient)
    (answer,) = talk.answer(samples(1))
    assert answer.text
    assert "estimated" not in used(talk)  # the server told the tokens
    for way in ("listwise", "logprobs", "sampled"):
        ranked = system(
            url, CHOICE, ranking=way, permutations=1, draws=2, reply_tokens=40, structure="schema", **patient
        )
        (answer,) = ranked.answer(samples(1))
        assert sorted(answer.ranking or ()) == ["id-a", "id-b", "id-c"]
        assert used(ranked)["unparsable"] == 0


@pytest.mark.slow
def test_a_real_engine_answers_in_chinese(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DUOLOGUE_ENDPOINT_KEY", chat_engine.KEY)
    url = chat_engine.serve(chat_engine.chinese_weights(tmp_path))
    task = load_task("proactive")
    example = next(iter(task.load(GOLDEN / "proactive/small-samples.txt")))
    talk = system(url, task.info, timeout=300.0, workers=1, reply_tokens=24)
    (answer,) = talk.answer([example.sample])
    assert any("\u4e00" <= sign <= "\u9fff" for sign in answer.text or "")
    assert used(talk)["unparsable"] == 0


def test_it_must_be_prepared() -> None:
    with pytest.raises(UsageError, match="call prepare first"):
        EndpointSystem(EndpointRecipe.tiny()).answer(samples(1))
