"""What the server writes on standard output, byte by byte: messages alone, and no character that a terminal obeys."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.command import DUOLOGUE

from duologue.mcp.wire import spelled_messages

if TYPE_CHECKING:
    from pathlib import Path


def test_messages_keep_their_meaning_without_control_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    below, beside = io.BytesIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(below, encoding="utf-8"))
    monkeypatch.setattr(sys, "stderr", beside)
    message = {"text": "a\x7f\x85\u202e咖啡\x1b\t", "n": [1.5]}
    with spelled_messages():
        text = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", write_through=True)
        text.write(json.dumps(message, ensure_ascii=False) + "\n")
        sys.stdout.write("beside the wire\n")
        text.detach()
    written = below.getvalue().decode()
    assert json.loads(written) == message
    assert written.endswith("\n")
    assert "咖啡" in written
    assert not {"\x7f", "\x85", "\u202e", "\x1b"} & set(written)
    assert beside.getvalue() == "beside the wire\n"


def test_a_name_sent_back_is_spelled_out(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="the protocol's library is optional")
    first = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
    }  # fmt: skip
    asked = [first, {"jsonrpc": "2.0", "id": 2, "method": "\x07\x08\x7f\x9b"}]
    with subprocess.Popen(
        [str(DUOLOGUE), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        written = ""
        for one in asked:
            server.stdin.write(json.dumps(one) + "\n")
            server.stdin.flush()
            written += server.stdout.readline()
        server.stdin.close()
        assert server.wait(60) == 0
    answers = [json.loads(line) for line in written.splitlines()]
    assert [one["id"] for one in answers] == [1, 2]
    assert "\\u007f" in written
    assert not {"\x7f", "\x9b", "\x07"} & set(written)
