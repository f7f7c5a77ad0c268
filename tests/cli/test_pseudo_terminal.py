"""A talk on a terminal: what a person types and sees."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest
from tests import endpoint_stub
from tests.command import DUOLOGUE
from tests.endpoint_stub import Stub

if TYPE_CHECKING:
    from pathlib import Path


class TypedTalk:
    """A command on a pseudo-terminal of its own."""

    def __init__(self, *words: str) -> None:
        self._own, other = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "PYTHONUTF8": "1", "COLUMNS": "120"}
        environment.pop("NO_COLOR", None)
        self.process = subprocess.Popen(
            [str(DUOLOGUE), *words], stdin=other, stdout=other, stderr=other, env=environment, close_fds=True
        )
        os.close(other)
        self.seen = ""

    def wait_for(self, text: str, seconds: float = 60) -> None:
        """Read until the text was printed after what was seen before."""
        begun, stop = len(self.seen), time.monotonic() + seconds
        raw = b""
        while text not in self.seen[begun:]:
            ready, _, _ = select.select([self._own], [], [], max(0.0, stop - time.monotonic()))
            assert ready, f"{text!r} was not printed; seen: {self.seen[begun:]!r}"
            raw += os.read(self._own, 65536)
            self.seen = self.seen[:begun] + raw.decode("utf-8", errors="ignore").replace("\r\n", "\n")

    def type(self, text: str) -> None:
        """Type a line."""
        os.write(self._own, f"{text}\n".encode())

    def close(self) -> int:
        """Wait for the end and return the exit code."""
        code = self.process.wait(timeout=60)
        os.close(self._own)
        return code


def test_a_call_on_a_terminal(tmp_path: Path) -> None:
    talk = TypedTalk("chat", "mobilecs/dialogue", "--system", "rule-agent", "--save", str(tmp_path / "c.json"))
    talk.wait_for("you> ")
    assert "1. ask for 晴空套餐 业务费用 (fee)" in talk.seen
    assert "    user    持有套餐 (plan held)     晴空套餐" in talk.seen
    talk.type("晴空套餐每个月多少钱")
    talk.wait_for("1 of 3 answered")
    assert "bot: 您好，三十八块钱\n" in talk.seen
    assert "\x1b[2m    query: 晴空套餐 业务费用 (fee) -> 三十八块钱\x1b[0m\n" in talk.seen
    talk.type("再见")
    talk.wait_for("Transcript: ")
    assert talk.close() == 0
    assert (tmp_path / "c.json").is_file()


def test_a_talk_on_a_terminal_goes_on_where_an_endpoint_had_no_answer(tmp_path: Path) -> None:
    pytest.importorskip("httpx", reason="the client of endpoints is optional")
    with Stub(endpoint_stub.busy(), endpoint_stub.says("hello")) as server:
        saved = tmp_path / "c.json"
        talk = TypedTalk("chat", "--url", server.url, "--model", "m", "--save", str(saved))
        talk.wait_for("you> ")
        talk.type("hi")
        talk.wait_for("you> ")
        assert "refuses with status 429: slow down (say it again, or /quit)" in " ".join(talk.seen.split())
        talk.type("hi there")
        talk.wait_for("bot: hello")
        talk.type("bye")
        talk.wait_for("Transcript: ")
        assert talk.close() == 0
    assert [turn["text"] for turn in json.loads(saved.read_bytes())["turns"]] == ["hi there", "hello"]


def test_a_program_that_talks_is_told_by_the_exit_code(duologue: Any, tmp_path: Path) -> None:
    pytest.importorskip("httpx", reason="the client of endpoints is optional")
    with Stub(endpoint_stub.busy(), endpoint_stub.says("hello")) as server:
        done = duologue(
            "chat", "--url", server.url, "--model", "m", "--save", tmp_path / "c.json", said="hi\nho\nbye\n"
        )
    assert (done.code, "refuses with status 429: slow down" in done.err) == (1, True)
