"""A caller beside a scripted server of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

pytest.importorskip("httpx", reason="the client of endpoints is optional")

from tests import endpoint_stub as stub
from tests.endpoint_stub import Stub

from duologue.core.errors import BotError, UsageError
from duologue.endpoints.account import Account, summary_lines
from duologue.endpoints.caller import ChatCaller, CompletionRequest
from duologue.endpoints.recorded_calls import NotRecordedError
from duologue.endpoints.secret import VARIABLE
from duologue.endpoints.settings import EndpointSettings
from duologue.endpoints.workers import as_made

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = {"type": "object", "properties": {"points": {"type": "integer"}}}
ASKED = CompletionRequest([("user", "how many?")], seed=3, schema=SCHEMA)


def caller(url: str, **entries: Any) -> ChatCaller:
    return ChatCaller(EndpointSettings(url=url, model="m", **{"wait": 0.01, "cache": "", **entries}))


def test_a_request_is_sent_with_its_schema_and_put_on_the_account() -> None:
    account = Account()
    with Stub() as server:
        made = caller(server.url, extra={"top_p": 0.5}, omit=("seed",)).ask(ASKED, account)
    (asked,) = server.asked
    assert made.text == '{"points": 1}'
    assert asked["response_format"]["json_schema"]["schema"] == SCHEMA
    assert asked["top_p"] == 0.5
    assert "seed" not in asked
    assert (account.counts["calls"], account.counts.get("kept", 0)) == (1, 0)


def test_what_was_no_chat_completion_is_asked_for_again_by_the_next_run_and_is_recorded(tmp_path: Path) -> None:
    record = tmp_path / "calls.jsonl"
    with Stub(stub.answers, stub.no_choices, stub.answers) as server:
        for entries in ({"record": str(record)}, {}):
            made = caller(server.url, cache=str(tmp_path / "cache"), tries=1, **entries)
            said = [made.ask(ASKED._replace(seed=number), Account()).text for number in range(2)]
            assert said == ['{"points": 1}', "" if entries else '{"points": 1}']
        assert len(server.asked) == 3
        replayed = caller(server.url, replay=str(record))
        assert replayed.ask(ASKED._replace(seed=1), Account()).finish == "no_completion"


def test_tries_are_told_beside_calls_as_the_cap_counts_them() -> None:
    account = Account()
    with Stub(stub.broken, stub.busy(), stub.answers) as server:
        made = caller(server.url, max_calls=4)
        for number in range(2):
            made.ask(ASKED._replace(seed=number), account)
        told = account.summary(made.caps)
        with pytest.raises(BotError, match=r"max_calls=4 is reached after 4 calls of this run, tries included"):
            made.ask(ASKED._replace(seed=2), Account())
    assert len(server.asked) == 4
    assert (told["calls"], told["kept"], told["sent_again"]) == (2, 0, 2)
    line = summary_lines(told, 2)[0]
    assert line.startswith(
        "calls: 2 (0 of them kept from before), requests sent for the others: 4, tries included, tok"
    )


def test_a_form_that_is_refused_is_tried_once_and_the_best_one_stays_the_first_to_be_looked_up(tmp_path: Path) -> None:
    with Stub(stub.refuses_forms) as server:
        made = caller(server.url, cache=str(tmp_path))
        accounts = [Account() for _ in range(3)]
        for number, account in enumerate(accounts):
            made.ask(ASKED._replace(seed=number), account)
        assert len(server.asked) == 4
        assert [one.counts.get("sent_again", 0) for one in accounts] == [1, 0, 0]
        account = Account()
        caller(server.url, cache=str(tmp_path)).ask(ASKED._replace(seed=1), account)
        assert account.counts["kept"] == 1
        with pytest.raises(BotError, match="refuses with status 400"):
            caller(server.url, structure="schema").ask(ASKED, Account())


def test_a_request_for_one_token_asks_for_its_alternatives() -> None:
    (body,) = caller("http://127.0.0.1:9/v1").bodies(CompletionRequest([("user", "?")], seed=1, one_token=True))
    told = msgspec.json.decode(body)
    assert (told["max_tokens"], told["logprobs"], told["top_logprobs"]) == (1, True, 20)


def test_a_forecast_counts_what_is_kept_and_what_answers_may_take(tmp_path: Path) -> None:
    with Stub() as server:
        made = caller(server.url, cache=str(tmp_path), price_out=1000.0, reply_tokens=10)
        made.ask(ASKED, Account())
        told = made.forecast([ASKED, ASKED._replace(seed=4)])
        assert len(server.asked) == 1
    assert (told["calls"], told["kept"], told["most_completion_tokens"]) == (2, 1, 10)
    assert told["cost"] == pytest.approx(0.01)
    assert made.forecast([ASKED], times=18)["kept"] == 0
    twice = [ASKED._replace(seed=4)] * 2
    assert made.forecast(twice)["kept"] == 1
    assert caller(server.url).forecast(twice)["kept"] == 0


def test_a_recording_is_replayed_without_a_call_and_what_it_lacks_is_told(tmp_path: Path) -> None:
    recording = str(tmp_path / "calls.jsonl")
    with Stub(stub.refuses_forms, brain=lambda _: "two") as server:
        made = caller(server.url, record=recording).ask(ASKED, Account())
        before = len(server.asked)
        replayed = caller(server.url, replay=recording)
        account = Account()
        assert replayed.ask(ASKED, account) == made
        assert account.counts["kept"] == 1
        with pytest.raises(
            NotRecordedError, match=r"has no call with the hash \w{12} to http://.* among its 1: another"
        ):
            replayed.ask(ASKED._replace(seed=4), Account())
        assert len(server.asked) == before


@pytest.mark.parametrize("where", ["record", "cache"])
def test_what_is_asked_at_the_same_time_is_asked_once_where_calls_are_kept(tmp_path: Path, where: str) -> None:
    kept, said = str(tmp_path / "calls"), iter(range(9))
    accounts = [Account() for _ in range(3)]
    with Stub(stub.broken, stub.answers, brain=lambda _: str(next(said)), delay=0.2) as server:
        made = caller(server.url, tries=1, **{where: kept})
        with pytest.raises(BotError, match="status 500"):
            made.ask(ASKED, Account())
        found = [text for _, text in as_made(accounts, lambda one: made.ask(ASKED, one).text, 3, made.stop)]
        assert len(server.asked) == 2
        assert sorted(account.counts.get("kept", 0) for account in accounts) == [0, 1, 1]
        assert not made._under_way
        again = caller(server.url, **{"replay" if where == "record" else where: kept}).ask(ASKED, Account()).text
        assert len(server.asked) == 2
    assert found == [again] * 3


def test_what_is_asked_at_the_same_time_is_asked_each_time_where_nothing_is_kept() -> None:
    with Stub(delay=0.1) as server:
        made = caller(server.url)
        assert len(list(as_made([ASKED] * 3, lambda one: made.ask(one, Account()).text, 3, made.stop))) == 3
        assert len(server.asked) == 3


def test_a_recording_has_one_outcome_of_what_two_callers_asked(tmp_path: Path) -> None:
    recording, said = str(tmp_path / "calls.jsonl"), iter(range(9))
    with Stub(brain=lambda _: str(next(said))) as server:
        one = caller(server.url, record=recording)
        first = one.ask(ASKED, Account()).text
        assert caller(server.url, record=recording).ask(ASKED, Account()).text == first
        assert len(server.asked) == 1


def test_the_key_is_in_no_recording(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DUOLOGUE_ENDPOINT_KEY", "sk-never-shown-123")
    recording = tmp_path / "calls.jsonl"
    with Stub(stub.echoes_key()) as server:
        caller(server.url, record=str(recording)).ask(ASKED, Account())
        assert server.headers[0]["Authorization"] == "Bearer sk-never-shown-123"
    assert b"never-shown" not in recording.read_bytes()
    assert b"your key is [key]" in recording.read_bytes()


@pytest.mark.parametrize(
    "entries",
    [{"url": "http://x/sk-hush-hush/v1"}, {"model": "SK-hush-hush"}, {"extra": {"a": [{"sk-hush-hush": None}]}}],
)
def test_a_key_in_the_settings_is_refused_and_not_shown(
    entries: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "sk-hush-hush")
    (name,) = entries
    with pytest.raises(UsageError, match=f"^{name}: the key of {VARIABLE} would be kept") as told:
        ChatCaller(EndpointSettings(**{"url": "http://x/v1", "model": "m", **entries}))
    assert "hush" not in str(told.value)
