"""A chat endpoint on the loopback that does what its script says: good answers, and every fault that servers have.

Tests use `Stub` in a `with` block; `python tests/endpoint_stub.py PORT` serves it for whoever tries the guide.
"""

from __future__ import annotations

import json
import socket
import ssl
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Step = Callable[["Handler", dict[str, Any]], None]
    Brain = Callable[[dict[str, Any]], str]


def filled_in(schema: dict[str, Any]) -> Any:
    """Return the plainest JSON that a schema allows; a list of labels has all of them, the last first."""
    kind = schema["type"]
    if kind == "object":
        return {name: filled_in(part) for name, part in schema["properties"].items()}
    if kind == "array":
        choices = schema["items"].get("enum", [])
        return choices[::-1] if choices and all(len(one) <= 3 and one.isascii() for one in choices) else []
    if kind == "integer":
        return 1
    return schema.get("enum", ["好的。"])[0]


def plain_brain(asked: dict[str, Any]) -> str:
    """Answer by the schema where there is one, with a label where one is wanted, else with a sentence."""
    form = asked.get("response_format", {})
    if form.get("type") == "json_schema":
        return json.dumps(filled_in(form["json_schema"]["schema"]), ensure_ascii=False)
    question = asked["messages"][-1]["content"]
    if "label alone" in question or "只回答它的标号" in question:
        return "A"
    return "we are sorry , please send us a message" if question.isascii() else "好的，我知道了。"


class Stub(ThreadingHTTPServer):
    """A server that does what the next step of its script says, and the last one again and again."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(
        self,
        *steps: Step,
        brain: Brain = plain_brain,
        delay: float = 0.0,
        port: int = 0,
        certificate: Path | None = None,
    ) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.script = list(steps) or [answers]
        self.brain, self.delay = brain, delay
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.answered = 0
        """Calls that were answered in full."""
        self.connections = 0
        self.stopping = False
        self.lock = Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def __enter__(self) -> Self:
        Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping = True
        self.shutdown()
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self.lock:
            self.connections += 1
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that leave are part of the tests."""


class Handler(BaseHTTPRequestHandler):
    server: Stub
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.asked.append(asked)
            self.server.headers.append({**self.headers, "path": self.path})
            step = self.server.script[min(len(self.server.asked), len(self.server.script)) - 1]
        step(self, asked)

    def send(self, body: bytes, status: int = 200, *, length: int | None = None, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def completion(text: str | None, asked: dict[str, Any], **message: Any) -> dict[str, Any]:
    """Return a chat completion with these words, as servers write it."""
    words = sum(len(one["content"].split()) for one in asked["messages"])
    return {
        "id": "stub",
        "object": "chat.completion",
        "model": asked["model"],
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": words, "completion_tokens": len((text or "").split()), "total_tokens": 0},
    }


def answers(handler: Handler, asked: dict[str, Any]) -> None:
    """Answer as the server's brain does."""
    if handler.server.delay:
        time.sleep(handler.server.delay)
    body = completion(handler.server.brain(asked), asked)
    if asked.get("logprobs"):
        told = [{"token": label, "logprob": -1.0 - number} for number, label in enumerate("ABCDEFGHIJ")]
        body["choices"][0]["logprobs"] = {"content": [{"token": "A", "logprob": -1.0, "top_logprobs": told}]}
    handler.send(json.dumps(body).encode())
    with handler.server.lock:
        handler.server.answered += 1


def says(text: str | None, **message: Any) -> Step:
    """Answer with these words."""
    return lambda handler, asked: handler.send(json.dumps(completion(text, asked, **message)).encode())


def sends(body: bytes, status: int = 200, **options: Any) -> Step:
    """Send these bytes."""
    return lambda handler, _: handler.send(body, status, **options)


def busy(retry_after: str = "0") -> Step:
    """Be busy, and say for how long."""
    return sends(b'{"error": {"message": "slow down"}}', 429, Retry_After=retry_after)


broken = sends(b'{"error": {"message": "out of memory"}}', 500)
not_json = sends(b"<html>gateway</html>")
no_choices = sends(b'{"choices": []}')


def cut(handler: Handler, _: dict[str, Any]) -> None:
    """Break off in the middle."""
    handler.send(b'{"choices": [{"mess', length=400)
    handler.close_connection = True


def as_html(handler: Handler, asked: dict[str, Any]) -> None:
    """Answer, and call it a page in other letters."""
    body = json.dumps(completion(handler.server.brain(asked), asked)).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-16\r\nContent-Length: {len(body)}\r\n\r\n"
    handler.wfile.write(head.encode() + body)


def without_length(handler: Handler, asked: dict[str, Any]) -> None:
    """Answer as old servers do: the end of the connection is that of the answer."""
    handler.wfile.write(
        b"HTTP/1.0 200 OK\r\n\r\n" + json.dumps(completion(handler.server.brain(asked), asked)).encode()
    )
    handler.close_connection = True


def closes(handler: Handler, asked: dict[str, Any]) -> None:
    """Answer, and close the connection unsaid."""
    answers(handler, asked)
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def refuses(handler: Handler, asked: dict[str, Any]) -> None:
    """Refuse to answer, as models do that are told to be safe."""
    handler.send(json.dumps(completion(None, asked, refusal="I cannot help with that.")).encode())


def refuses_forms(handler: Handler, asked: dict[str, Any]) -> None:
    """Take no `response_format`."""
    if "response_format" in asked:
        handler.send(b'{"error": {"message": "response_format is not supported"}}', 400)
    else:
        answers(handler, asked)


def echoes_key(status: int = 200) -> Step:
    """Say the key: in the words of the model, or in an error."""

    def step(handler: Handler, asked: dict[str, Any]) -> None:
        key = handler.headers.get("Authorization", "").removeprefix("Bearer ")
        spelled = "".join(f"\\u{ord(sign):04x}" for sign in key)
        if status == 200:
            body = json.dumps(completion(f"your key is {key} KEY", asked)).replace("KEY", spelled)
        else:
            body = f'{{"error": {{"message": "bad key {key} {spelled}"}}}}'
        handler.send(body.encode(), status)

    return step


def echoes_key_in_head(handler: Handler, _: dict[str, Any]) -> None:
    """Say the key where the status should stand."""
    handler.wfile.write(f"garbage {handler.headers['Authorization']}\r\n\r\n".encode())
    handler.close_connection = True


def drip(handler: Handler, _: dict[str, Any], status: int = 200) -> None:
    """Never be silent for long, and never come to an end."""
    handler.send_response(status)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    _dripped(handler, b" ")


def drips_error(handler: Handler, asked: dict[str, Any]) -> None:
    """Never come to the end of an error."""
    drip(handler, asked, 500)


def drips_head(handler: Handler, _: dict[str, Any]) -> None:
    """Never come to the end of the head of the response."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    _dripped(handler, b"x")


def _dripped(handler: Handler, piece: bytes) -> None:
    for _number in range(400):
        if handler.server.stopping:
            return
        handler.wfile.write(piece)
        handler.wfile.flush()
        time.sleep(0.05)


def hang_up(handler: Handler, _: dict[str, Any]) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


if __name__ == "__main__":
    Stub(port=int(sys.argv[1])).serve_forever()
