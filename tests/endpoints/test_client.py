"""The client beside a real server of this machine that misbehaves as servers do."""

from __future__ import annotations

import gzip
import json
import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx", reason="the client of endpoints is optional")

from tests import endpoint_stub as stub
from tests.endpoint_stub import Stub

from duologue.core.errors import BotError, UsageError
from duologue.endpoints.caps import CapReachedError, SpendingCaps
from duologue.endpoints.client import EndpointClient, FormRefusedError, _seconds
from duologue.endpoints.secret import Secret
from duologue.systems.endpoint.recipe import EndpointRecipe

KEY = "sk-never-shown-123"
CERTIFICATE = Path(__file__).with_name("self_signed.pem")
"""Of 127.0.0.1, with its key: openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500."""
BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}]}).encode()


def client(url: str, key: str = "", **entries: Any) -> EndpointClient:
    recipe = EndpointRecipe(url=url, model="m", cache="", **{"wait": 0.01, "timeout": 5.0, **entries})
    return EndpointClient(recipe, Secret(key), SpendingCaps(recipe))


def test_a_call_is_posted_with_the_key_and_told_with_its_time() -> None:
    with Stub() as server:
        made = client(server.url, KEY).complete(BODY)
    assert made.text == "we are sorry , please send us a message"
    assert (made.finish, made.told, made.prompt_tokens) == ("stop", True, 1)
    assert made.milliseconds > 0
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert server.headers[0]["path"] == "/v1/chat/completions"


@pytest.mark.parametrize("ending", ["", "/", "/chat/completions"])
def test_the_address_may_be_that_of_the_interface_or_of_the_call(ending: str) -> None:
    with Stub() as server:
        client(server.url + ending).complete(BODY)
    assert server.headers[0]["path"] == "/v1/chat/completions"
    assert "Authorization" not in server.headers[0]


@pytest.mark.parametrize("ending", ["", "/"])
def test_without_a_path_the_usual_one_is_meant(ending: str) -> None:
    with Stub() as server:
        client(server.url.removesuffix("/v1") + ending).complete(BODY)
    assert server.headers[0]["path"] == "/v1/chat/completions"


def test_the_whole_address_of_the_call_is_taken_as_it_stands() -> None:
    with Stub() as server:
        client(server.url.removesuffix("/v1") + "/chat/completions").complete(BODY)
    assert server.headers[0]["path"] == "/chat/completions"


def test_an_address_without_its_end_is_told_what_may_be_wrong() -> None:
    with (
        Stub(stub.sends(b"404 page not found", 404)) as server,
        pytest.raises(BotError, match=r"most end in /v1") as told,
    ):
        client(server.url.removesuffix("/v1") + "/api").complete(BODY)
    assert "404 page not found" in str(told.value)


@pytest.mark.parametrize(
    "fault", [stub.busy(), stub.broken, stub.cut, stub.hang_up, stub.not_json, stub.no_choices], ids=range(6)
)
def test_what_may_be_over_soon_is_tried_again(fault: stub.Step) -> None:
    with Stub(fault, fault, stub.answers) as server:
        assert client(server.url).complete(BODY).text
    assert len(server.asked) == 3


def test_a_server_says_how_long_to_wait_in_seconds_or_as_a_date() -> None:
    with Stub(stub.busy("1"), stub.answers) as server:
        begun = time.monotonic()
        client(server.url).complete(BODY)
        assert time.monotonic() - begun > 0.9
    assert 50 < (_seconds(formatdate(time.time() + 60, usegmt=True)) or 0) <= 60
    assert [_seconds(told) for told in ("7", " 2.5 ", "1e3", ".", "９")] == [7.0, 2.5, None, None, None]
    assert (_seconds(formatdate(0)), _seconds("soon"), _seconds(""), _seconds("-3")) == (0.0, None, None, None)
    with Stub(stub.busy("3600")) as server, pytest.raises(BotError, match="asks to come back in 3600 s"):
        client(server.url).complete(BODY)
    assert len(server.asked) == 1


def test_a_server_that_stays_broken_is_given_up_and_its_words_are_told() -> None:
    with Stub(stub.broken) as server, pytest.raises(BotError, match=r"status 500: .*out of memory.*\(3 tries\)"):
        client(server.url, tries=3).complete(BODY)
    assert len(server.asked) == 3
    with pytest.raises(BotError, match="cannot be reached"):
        client("http://127.0.0.1:9/v1", tries=1).complete(BODY)


@pytest.mark.parametrize("slow", [stub.drip, stub.drips_head])
def test_slow_bytes_are_no_answer(slow: stub.Step) -> None:
    with Stub(slow, stub.answers, slow, stub.answers) as server:
        asked = client(server.url, timeout=0.3, tries=1)
        for _ in range(2):  # with a new connection, and with one that has served
            begun = time.monotonic()
            with pytest.raises(BotError, match=r"gave no answer in 0.3 s"):
                asked.complete(BODY)
            assert 0.2 < time.monotonic() - begun < 3
            assert asked.complete(BODY).text


def test_connections_are_kept_and_as_many_as_calls_at_the_same_time() -> None:
    with Stub(delay=0.05) as server, ThreadPoolExecutor(4) as pool:
        asked = client(server.url)
        assert all(one.text for one in pool.map(lambda _: asked.complete(BODY), range(12)))
        assert server.connections <= 4


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refusal_is_not_asked_twice(status: int) -> None:
    told_so = pytest.raises(BotError, match=f"refuses with status {status}: .*no such model")
    with Stub(stub.sends(b'{"error": "no such model"}', status)) as server, told_so as told:
        client(server.url).complete(BODY)
    assert ("DUOLOGUE_ENDPOINT_KEY" in str(told.value)) == (status == 401)
    assert len(server.asked) == 1


@pytest.mark.parametrize("field", ["max_tokens", "temperature"])
def test_a_field_that_a_server_refuses_can_be_left_out_and_that_is_told(field: str) -> None:
    asked = json.dumps({"model": "m", "messages": [], "max_tokens": 9, "temperature": 0.0}).encode()
    words = json.dumps({"error": {"message": f"Unsupported parameter: '{field}' is not supported with this model."}})
    with Stub(stub.sends(words.encode(), 400)) as server, pytest.raises(BotError, match="refuses with") as told:
        client(server.url).complete(asked)
    assert f"""--set 'omit=["{field}"]'""" in str(told.value)
    assert ("extra.max_completion_tokens=" in str(told.value)) == (field == "max_tokens")
    with Stub(stub.sends(b'{"error": "the prompt is odd"}', 400)) as server, pytest.raises(BotError) as told:
        client(server.url).complete(asked)
    assert "omit" not in str(told.value)


@pytest.mark.parametrize(
    ("status", "said", "finish"),
    [
        (400, "This model's maximum context length is 4096 tokens", "prompt_too_long"),
        (400, "the request exceeds the available context size, try increasing it", "prompt_too_long"),
        (413, "Range of input length should be [1, 6000]", "prompt_too_long"),
        (
            400,
            "The response was filtered due to the prompt triggering our content management policy",
            "prompt_filtered",
        ),
        (400, "Input data may contain inappropriate content.", "prompt_filtered"),
    ],
)
def test_a_prompt_that_is_refused_for_itself_is_a_refusal_and_others_go_on(status: int, said: str, finish: str) -> None:
    refusing = stub.sends(json.dumps({"error": {"message": said}}).encode(), status)
    with Stub(refusing, stub.answers) as server:
        asked = client(server.url)
        found = asked.complete(BODY)
        assert (found.text, found.refusal, found.finish, found.prompt_tokens) == ("", said, finish, 0)
        assert asked.complete(BODY).text


@pytest.mark.parametrize("odd", [b'{"foo": 1}', b"<html>gateway</html>", b'{"choices": []}'])
def test_an_odd_answer_amid_good_ones_is_told_and_a_server_that_gives_no_others_is_given_up(odd: bytes) -> None:
    answers = [stub.answers, *3 * [stub.sends(odd)], stub.answers, *5 * 3 * [stub.sends(odd)], stub.answers]
    with Stub(*answers) as server:
        asked = client(server.url, tries=3, wait=0.001)
        assert asked.complete(BODY).text
        found = asked.complete(BODY)
        assert (found.text, found.refusal, found.finish, found.told) == (
            "",
            odd.decode().replace(": ", ":"),
            "no_completion",
            False,
        )
        assert found.prompt_tokens > 0
        assert asked.complete(BODY).text
        assert [asked.complete(BODY).finish for _ in range(4)] == 4 * ["no_completion"]
        with pytest.raises(BotError, match=r"what is no chat completion: .* \(3 tries\)"):
            asked.complete(BODY)
    with Stub(stub.sends(odd)) as server, pytest.raises(BotError, match="what is no chat completion"):
        client(server.url, tries=1).complete(BODY)
    assert len(server.asked) == 1


def test_a_server_that_fails_in_its_answer_is_given_up_at_once() -> None:
    failing = stub.sends(b'{"error": {"message": "overloaded"}}')
    with Stub(stub.answers, failing) as server:
        asked = client(server.url, tries=1)
        assert asked.complete(BODY).text
        with pytest.raises(BotError, match="fails in its answer: overloaded"):
            asked.complete(BODY)


def test_whether_a_server_runs_is_asked_where_it_did_not_answer() -> None:
    with Stub(stub.broken) as server, pytest.raises(BotError) as told:
        client(server.url, tries=1).complete(BODY)
    assert "is it running" not in str(told.value)
    with Stub(stub.hang_up) as server, pytest.raises(BotError, match="is it running"):
        client(server.url, tries=1).complete(BODY)


def test_a_stream_that_was_not_asked_for_is_put_together() -> None:
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"role": "assistant"}}]},
        {"choices": [{"index": 0, "delta": {"content": "good "}}, {"index": 1, "delta": {"content": "bad"}}]},
        {"choices": [{"index": 0, "delta": {"content": "day"}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}},
    ]
    lines = [": a comment", *(f"data: {json.dumps(one)}" for one in chunks), "data: [DONE]"]
    body = "\r\n\r\n".join(lines).encode()
    with Stub(stub.sends(body)) as server:
        made = client(server.url).complete(BODY)
    assert (made.text, made.finish, made.told, made.prompt_tokens) == ("good day", "stop", True, 7)
    unfinished = "\n\n".join([*lines[:3], lines[-1]]).encode()  # some leave the reason out
    with Stub(stub.sends(unfinished)) as server:
        assert client(server.url).complete(BODY).text == "good "
    cut = "\n\n".join(lines[:3]).encode()
    for broken in (cut, b'data: {"choices": [\n\ndata: [DONE]', b"data: [DONE]", b"data: [1]", b"data: \xff"):
        with Stub(stub.sends(broken)) as server, pytest.raises(BotError, match="no chat completion"):
            client(server.url, tries=1).complete(BODY)


def test_a_mark_of_utf8_before_the_answer_is_no_part_of_it() -> None:
    body = json.dumps(stub.completion("hello", json.loads(BODY))).encode()
    with Stub(stub.sends(b"\xef\xbb\xbf" + body)) as server:
        assert client(server.url).complete(BODY).text == "hello"


def test_a_server_that_sends_elsewhere_is_not_followed() -> None:
    elsewhere = stub.sends(b"", 302, Location="http://127.0.0.1:9/")
    with Stub(elsewhere) as server, pytest.raises(BotError, match="sends elsewhere"):
        client(server.url, KEY).complete(BODY)


def test_a_packed_answer_is_not_unpacked() -> None:
    body = gzip.compress(gzip.compress(bytes(1 << 20)))
    packed = stub.sends(body, 200, **{"Content-Encoding": "gzip, gzip"})
    with Stub(packed) as server, pytest.raises(BotError, match=r"packs its answer \(gzip, gzip\)"):
        client(server.url).complete(BODY)
    assert server.headers[0]["Accept-Encoding"] == "identity"


def test_a_form_that_is_refused_is_told_apart() -> None:
    body = json.dumps({**json.loads(BODY), "response_format": {"type": "json_object"}}).encode()
    with Stub(stub.refuses_forms) as server, pytest.raises(FormRefusedError):
        client(server.url).complete(body)


def test_the_key_is_taken_out_of_answers_and_errors_however_it_is_spelled() -> None:
    with Stub(stub.echoes_key(), stub.echoes_key(401), stub.echoes_key(500)) as server:
        asked = client(server.url, KEY, tries=1)
        assert asked.complete(BODY).text == "your key is [key] [key]"
        for _ in range(2):
            with pytest.raises(BotError) as told:
                asked.complete(BODY)
            assert KEY not in str(told.value)
            assert "[key]" in str(told.value)


def test_tries_count_as_calls() -> None:
    with Stub(stub.broken) as server, pytest.raises(CapReachedError, match="max_calls=2"):
        client(server.url, max_calls=2).complete(BODY)
    assert len(server.asked) == 2


@pytest.mark.parametrize("url", ["ftp://x/v1", "http://x/v1?key=abc", "http://a:b@x/v1", "x"])
def test_odd_addresses_are_refused_before_anything_is_sent(url: str) -> None:
    with pytest.raises(UsageError, match="--set url="):
        client(url)


def test_huge_answers_are_cut_off() -> None:
    with Stub(stub.sends(b" " * (5 << 20))) as server, pytest.raises(BotError, match="more than 4 MB"):
        client(server.url).complete(BODY)


def events(*told: object) -> bytes:
    return "".join(f"data: {json.dumps(one)}\n\n" for one in told).encode()


@pytest.mark.parametrize(
    ("chunks", "text"),
    [
        ([{"delta": {"content": [{"type": "text", "text": "hello"}]}, "finish_reason": "stop"}], "hello"),
        ([{"delta": {"refusal": "no, "}}, {"delta": {"refusal": "never"}, "finish_reason": "stop"}], ""),
    ],
)
def test_chunks_say_what_messages_say(chunks: list[dict[str, Any]], text: str) -> None:
    with Stub(stub.sends(events(*({"choices": [one]} for one in chunks)))) as server:
        made = client(server.url).complete(BODY)
    assert (made.text, made.refusal) == (text, "" if text else "no, never")


def test_an_error_amid_a_stream_is_no_answer() -> None:
    words = {"choices": [{"delta": {"content": "half of"}}]}
    for error, told in (({"message": f"out of memory {KEY}"}, r"out of memory \[key\]"), ("no", "no")):
        body = events(words, {"error": error}) + b"data: [DONE]\n\n"
        with Stub(stub.sends(body)) as server, pytest.raises(BotError, match=f"fails in its answer: {told} \\(2 tries"):
            client(server.url, KEY, tries=2).complete(BODY)


def test_a_redirect_is_told_with_its_address_and_not_followed() -> None:
    with Stub() as other, Stub(stub.sends(b"", 308, Location=f"{other.url}/{KEY}")) as server:
        with pytest.raises(BotError, match=rf"sends elsewhere \(308, to {other.url}/\[key\]\), which is not followed"):
            client(server.url, KEY).complete(BODY)
        assert not other.asked


def test_a_server_whose_encryption_is_not_as_it_should_be_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with Stub() as server:
        with pytest.raises(BotError, match=r"speaks no https \(.*\); should its address begin with http://\?$"):
            client(server.url.replace("http:", "https:"), KEY).complete(BODY)
        assert (server.connections, server.asked) == (1, [])
    with Stub(certificate=CERTIFICATE) as server:
        url = server.url.replace("http:", "https:")
        with pytest.raises(BotError, match=r"not trusted \(self-signed certificate\); .* with SSL_CERT_FILE=FILE$"):
            client(url, KEY).complete(BODY)
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        assert client(url, KEY).complete(BODY).text
        assert server.connections == 2


def test_a_proxy_is_asked_for_https_alone_and_told_where_it_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    with Stub() as proxy, Stub() as server:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url.removesuffix("/v1").replace("//", "//me:hunter22@"))
        assert client(server.url, KEY).complete(BODY).text
        counts = [proxy.connections]
        with pytest.raises(BotError, match=r"cannot be reached by the proxy of the environment: 501") as told:
            client("https://127.0.0.1:9/v1", KEY, tries=1).complete(BODY)
        assert "hunter22" not in str(told.value)
        counts.append(proxy.connections)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        with pytest.raises(BotError, match=r"cannot be reached: .*refused"):
            client("https://127.0.0.1:9/v1", KEY, tries=1).complete(BODY)
    assert [*counts, proxy.connections] == [0, 1, 1]


@pytest.mark.parametrize(
    ("fault", "calls"),
    [(stub.drip, 1), (stub.cut, 1), (stub.not_json, 1), (stub.no_choices, 1), (stub.broken, 3), (stub.busy(), 3)],
    ids=range(6),
)
def test_a_try_that_may_have_been_answered_counts_for_the_caps(fault: stub.Step, calls: int) -> None:
    with Stub(fault) as server:
        asked = client(server.url, tries=3, timeout=0.3, reply_tokens=10, max_tokens_total=20 + len(BODY) // 3)
        with pytest.raises(CapReachedError if calls == 1 else BotError):
            asked.complete(BODY)
    assert len(server.asked) == calls


def test_a_call_that_was_not_sent_costs_nothing() -> None:
    asked = client("http://127.0.0.1:9/v1", tries=3, reply_tokens=10, max_tokens_total=20 + len(BODY) // 3)
    with pytest.raises(BotError, match=r"cannot be reached: .* \(3 tries\)"):
        asked.complete(BODY)
