from __future__ import annotations

import gzip
import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from tests import endpoint_stub as scripted
from tests.endpoint_stub import Stub
from tests.endpoints.servers import TOKEN, solver, stub

from duologue.core.errors import BotError, UsageError
from duologue.core.records import Turn
from duologue.endpoints import chat_endpoint
from duologue.endpoints.chat_endpoint import ChatEndpoint
from duologue.endpoints.secret import VARIABLE as KEY
from duologue.endpoints.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Iterator


def chunks(*texts: str | None) -> bytes:
    lines = [json.dumps({"choices": [{"delta": {"content": text}}]}) for text in texts]
    return "".join(f"data: {line}\n\n" for line in [*lines, '{"choices": []}', "[DONE]"]).encode()


def test_our_own_server_is_talked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    with solver() as address:
        with pytest.raises(BotError, match="refuses with status 401"):
            ChatEndpoint(address)
        monkeypatch.setenv(KEY, TOKEN)
        with ChatEndpoint(address) as partner:
            assert partner.model == "restaurant/solver"
            assert f"restaurant/solver at {address}/v1" in partner.welcome
            assert [turn.text for turn in partner.reply("hello")] == ["hello what can i help you with today"]
            assert partner.reply(" ") == []
            assert partner.reply("a table for six please")
            assert partner.reply("bye") == []
            assert partner.finished
            found = partner.dialogue()
            assert [turn.speaker for turn in found.turns] == ["user", "system"] * 2
            assert TOKEN not in str(found)


def test_pieces_of_a_stream_are_one_reply() -> None:
    answer = b": a comment\r\nevent: x\n" + chunks(None, "he", "llo\n", "", "you")
    with stub(answer) as url, ChatEndpoint(url) as partner:
        assert [turn.text for turn in partner.reply("x")] == ["hello\nyou"]


def test_a_content_of_parts_is_the_words_of_its_texts() -> None:
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "hello"}]
    answer = b"data: " + json.dumps({"choices": [{"delta": {"content": parts}}]}).encode() + b"\n\n" + chunks(" you")
    with stub(answer) as url, ChatEndpoint(url) as partner:
        assert [turn.text for turn in partner.reply("x")] == ["hello you"]


@pytest.mark.parametrize(
    ("pieces", "reply", "shown"),
    [
        (("<thi", "nk>a plan</th", "ink>\n\nhe", "llo"), "hello", "hello"),
        (("a plan", "</think>", "hello"), "hello", "hello"),
        (("<think>a pl", "an"), "", ""),
        (("a < b ", "<think", "er"), "a < b <thinker", "a < b <thinker"),
    ],
    ids=["in-pieces", "no-beginning", "no-end", "no-thoughts"],
)
def test_thoughts_are_neither_shown_nor_sent_again(pieces: tuple[str, ...], reply: str, shown: str) -> None:
    with stub(chunks(*pieces)) as url, ChatEndpoint(url) as partner:
        told = list[str]()
        partner.on_piece, partner.on_taken_back = told.append, told.clear
        assert [turn.text for turn in partner.reply("x")] == [reply]
        assert "".join(told) == shown
        assert "plan" not in str(partner.dialogue())


def events(*told: object) -> bytes:
    return "".join(f"data: {json.dumps(one)}\n\n" for one in told).encode()


@pytest.mark.parametrize(
    "answer",
    [
        events({"choices": [{"delta": {"content": "hi"}}]}, {"choices": [{"delta": None, "finish_reason": "stop"}]}),
        events({"choices": None}) + b"data:\n\n" + chunks("hi"),
        events({"choices": [{"delta": {"refusal": "hi"}}]}) + b"data: [DONE]\n\n",
        json.dumps({"choices": [{"message": {"role": "assistant", "content": "hi"}}]}, indent=1).encode(),
    ],
    ids=["no-done", "nulls", "refusal", "no-stream"],
)
def test_what_servers_do_otherwise_is_understood(answer: bytes) -> None:
    """Some leave `[DONE]` out or send `null`, and some do not stream at all."""
    with stub(answer) as url, ChatEndpoint(url) as partner:
        assert [turn.text for turn in partner.reply("x")] == ["hi"]


@pytest.mark.parametrize(
    ("words", "finish", "lang", "remarks"),
    [
        (None, "tool_calls", "en", ["(no words came; the endpoint says why it ended: tool_calls)"]),
        ("<think>a plan", "length", "zh", ["（没有收到文字；接口说明的结束原因：length）"]),
        ("", "sk-hush-hush", "en", ["(no words came; the endpoint says why it ended: [key])"]),
        ("half of", "length", "en", ["(cut off: length)"]),
        ("half of", "content_filter", "zh", ["（回答被截断：content_filter）"]),
        ("hello", "stop", "en", []),
    ],
)
def test_a_person_is_told_why_nothing_came(
    words: str | None, finish: str, lang: str, remarks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "sk-hush-hush")
    answer = events({"choices": [{"delta": {"content": words}}]}, {"choices": [{"delta": {}, "finish_reason": finish}]})
    with stub(answer) as url, ChatEndpoint(url, lang=lang) as partner:
        (turn,) = partner.reply("x")
        assert [*partner.shown(turn)] == [turn.text, *remarks]
        assert partner.shown(Turn(speaker="system", text="")) == [""]


def test_a_server_without_a_list_of_models_is_told_what_to_do() -> None:
    with stub(b"", listed=501) as url:
        with pytest.raises(
            BotError, match=r"refuses with status 501: .*; where it lists no models, name one with --model"
        ):
            ChatEndpoint(url)
        assert ChatEndpoint(url, "m").model == "m"


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        (b"data: {}\n\n", 200, "before the end"),
        (b"data: [1]\n\n", 200, "what is no chat completion"),
        (b"data: \xff\n\n", 200, "what is no chat completion"),
        (chunks("a?b").replace(b"?", b"\xff"), 200, "what is no chat completion"),
        (b"<html>login</html>", 200, "what is no chat completion: <html>login"),
        (b"x" * (5 << 20), 200, "more than 4 MB"),
        (events({"error": {"message": "out of memory"}}), 200, "fails in its answer: out of memory"),
        (b'{"error": {"message": "out of memory"}}', 200, "fails in its answer: out of memory"),
        (b'{"models": []}', 200, "what is no chat completion"),
        (b"no\x1b[31m", 500, r"refuses with status 500: no\\x1b\[31m"),
        (b"no such model", 404, r"status 404: no such model; is that its base address .*, and has it the model\?"),
        (b"", 302, r"sends elsewhere \(302, to http://192.0.2.1/\), which is not followed"),
    ],
    ids=range(12),
)
def test_what_is_no_answer_is_said_and_not_kept(answer: bytes, status: int, said: str) -> None:
    with stub(answer, status, Location="http://192.0.2.1/") as url, ChatEndpoint(url) as partner:
        with pytest.raises(BotError, match=said):
            partner.reply("x")
        assert partner.dialogue().turns == ()


@pytest.mark.parametrize("url", ["", "x", "ftp://a/v1", "http://", "http://a:b@c/v1", "http://a:x/", "http://ü/"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="address"):
        ChatEndpoint(url)


def test_nobody_at_the_address_is_said() -> None:
    with pytest.raises(BotError, match="is it running"):
        ChatEndpoint("http://127.0.0.1:9/v1")


@pytest.mark.parametrize("key", ["schlüssel", "sk-hush", "sk-hush hush"])
def test_a_key_is_one_by_the_rule_of_all_endpoints(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, key)
    with pytest.raises(UsageError) as here:
        ChatEndpoint("http://127.0.0.1:9/v1")
    with pytest.raises(UsageError, match=KEY) as there:
        Secret.of_environment()
    assert str(here.value) == str(there.value)
    assert key not in str(here.value)


@pytest.mark.parametrize(
    ("url", "model"), [("http://127.0.0.1:9/sk-hush-hush", "m"), ("http://127.0.0.1:9", "sk-hush-hush")]
)
def test_a_key_in_the_address_or_the_model_is_refused(url: str, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "sk-hush-hush")
    with pytest.raises(UsageError, match="would be kept") as told:
        ChatEndpoint(url, model)
    assert "hush" not in str(told.value)


@pytest.mark.parametrize("status", [200, 401, 500])
def test_a_key_that_the_endpoint_repeats_is_not_shown(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "sk-hush/hush")
    for message in ("no sk-hush/hush here", "no sk-hush%2fhush", "Basic c2staHVzaC9odXNo"):
        for answer in (json.dumps({"error": {"message": message}}), message, "x" * 995 + message):
            line = f"data: {answer}" if status == 200 else answer
            with stub(line.encode(), status) as url, ChatEndpoint(url) as partner, pytest.raises(BotError) as told:
                partner.reply("x")
            assert not any(part in str(told.value) for part in ("hush", "c2sta"))


def test_a_key_that_the_model_says_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "sk-hush/hush")
    with stub(chunks("it is sk-hu", "sh/hush")) as url, ChatEndpoint(url, "m") as partner:
        assert [turn.text for turn in partner.reply("x")] == ["it is [key]"]


@pytest.mark.parametrize(
    "parts", [("it is sk-hu", "sh/hush !"), (*"it is SK-hush%2Fhush", " !"), ("it is c2sta", "HVzaC9odXNo !")]
)
def test_of_a_key_in_pieces_no_piece_is_told_as_it_comes(
    parts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "sk-hush/hush")
    told: list[str] = []
    with stub(chunks(*parts)) as url, ChatEndpoint(url, "m") as partner:
        partner.on_piece = told.append
        assert [turn.text for turn in partner.reply("x")] == ["it is [key] !"]
    assert "".join(told) == "it is [key] !"


def test_a_key_that_is_given_as_the_name_of_a_model_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "sk-hush/hush")
    with stub(b"", models=b'{"data": [{"id": "sk-hush/hush"}]}') as url, ChatEndpoint(url) as partner:
        assert "[key]" in partner.welcome
        assert "hush" not in partner.welcome + str(partner.dialogue())


def test_signs_that_end_a_line_elsewhere_end_none_of_a_stream() -> None:
    said = "one\u2028two\x85three\x0b"
    line = json.dumps({"choices": [{"delta": {"content": said}}]}, ensure_ascii=False)
    with stub(f"data: {line}\r\n\r\ndata: [DONE]\n\n".encode()) as url, ChatEndpoint(url) as partner:
        assert [turn.text for turn in partner.reply("x")] == [said]


@pytest.mark.parametrize("times", [1, 2])
def test_a_packed_answer_is_not_unpacked(times: int) -> None:
    body = b"data: " + bytes(1 << 20)
    for _ in range(times):
        body = gzip.compress(body)
    kind: dict[str, Any] = {"Content-Encoding": ", ".join(["gzip"] * times)}
    with stub(body, **kind) as url, ChatEndpoint(url) as partner, pytest.raises(BotError, match=r"packs its answer"):
        partner.reply("x")


@contextmanager
def endless(piece: bytes, pause: float = 0.0) -> Iterator[tuple[str, list[int]]]:
    """A server whose answer has no end, as long as somebody listens; gives its address and the bytes that it sent."""
    sent = [0]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.end_headers()
            try:
                while sent[0] < 64 << 20:
                    sent[0] += self.wfile.write(piece)
                    time.sleep(pause)
            except OSError:
                return

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", sent
    finally:
        server.shutdown()
        server.server_close()


def test_a_line_without_end_is_not_gathered() -> None:
    with endless(b"x" * (1 << 16)) as (url, sent), ChatEndpoint(url, "m") as partner:
        with pytest.raises(BotError, match="sends more than 4 MB"):
            partner.reply("x")
        assert sent[0] < 32 << 20


@pytest.mark.parametrize("slow", [scripted.drip, scripted.drips_head, scripted.drips_error])
def test_signs_of_life_are_no_answer(slow: scripted.Step, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_endpoint, "_SECONDS", 0.3)
    with Stub(slow) as server, ChatEndpoint(server.url, "m") as partner:
        begun = time.monotonic()
        with pytest.raises(BotError, match=r"gave no answer in 0.3 s, or was silent for 120 s"):
            partner.reply("x")
        assert time.monotonic() - begun < 5


def test_a_key_in_what_is_no_http_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "sk-hush/hush")
    with Stub(scripted.echoes_key_in_head) as server, ChatEndpoint(server.url, "m") as partner:
        with pytest.raises(BotError, match=r"speaks no HTTP .*\[key\]") as told:
            partner.reply("x")
        assert "hush" not in str(told.value)


def test_a_mark_of_utf8_is_no_part_of_an_answer() -> None:
    with stub(b"\xef\xbb\xbf" + chunks("hi")) as url, ChatEndpoint(url) as partner:
        assert [turn.text for turn in partner.reply("x")] == ["hi"]
