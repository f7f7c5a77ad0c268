"""Handing in at a site that is none, or answers oddly; and folders that cannot be packed."""

from __future__ import annotations

import json
import os
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from duologue.cli.main import cli
from duologue.core.errors import DuologueError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("httpx", reason="the client of sites is optional")

ENTRY: dict[str, Any] = {
    "id": "e1", "phase": "test", "name": "r.json", "state": "scored", "reason": "", "chosen": False, "value": 0.5,
    "summary": {"rank_by": "score"}, "problems": [], "more": 1,
}  # fmt: skip


@contextmanager
def site(answer: bytes, status: int) -> Iterator[str]:
    """A server that gives one answer to everything."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def status(address: str, token: str = "x.y") -> tuple[int, str]:
    return run("submit", "--track", "t", "--status", "--site", address, "--token", token)


def run(*words: str) -> tuple[int, str]:
    """Return exit code and words as the command line has them."""
    done = CliRunner().invoke(cli, words)
    if isinstance(done.exception, DuologueError):
        return done.exception.exit_code, str(done.exception)
    assert done.exception is None, done.exception
    return done.exit_code, done.output


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        ({"error": "nothing here"}, 404, "refuses: nothing here"),
        ({"error": {"message": "not yours"}}, 403, "refuses: not yours"),
        ({"error": {"message": 3}}, 500, "refuses: 500"),
        ([], 404, "refuses: 404"),
        ({}, 302, "refuses: 302"),
        ({}, 200, "missing required field 'entries'"),
        ([1], 200, "Expected 'object', got 'array'"),
        ({"entries": [{}]}, 200, "missing required field"),
        ({"entries": [{**ENTRY, "value": "0.5"}]}, 200, "Expected 'float | null', got 'str'"),
        ({"entries": [{**ENTRY, "problems": [3]}]}, 200, "Expected 'object', got 'int'"),
    ],
)
def test_an_answer_that_no_site_gives_is_told(answer: Any, code: int, said: str) -> None:
    with site(json.dumps(answer).encode(), code) as address:
        exit_code, told = status(address)
    assert exit_code == 1
    assert said in told


@pytest.mark.parametrize("answer", [b"<html>", b"[" * 100_000, b"\xff", b" " * (65 << 20)], ids=range(4))
def test_what_is_no_json_is_told(answer: bytes) -> None:
    with site(answer, 200) as address:
        exit_code, told = status(address)
    assert exit_code == 1
    assert "does not answer as it should" in told or "sends more than 64 MB" in told


def test_entries_are_told_whatever_else_a_site_says_of_them() -> None:
    hidden = {**ENTRY, "id": "e2", "summary": None}
    with site(json.dumps({"entries": [ENTRY, hidden]}).encode(), 200) as address:
        assert status(address) == (0, "e1 test r.json, scored, score 0.5000\ne2 test r.json, scored\n")


def test_a_token_that_a_site_repeats_is_not_shown() -> None:
    answer = json.dumps({"error": {"message": "Bearer name.hush%2F+hush is no token; name.hush/hush neither"}}).encode()
    with site(answer, 401) as address:
        assert status(address, "name.hush/hush") == (
            1,
            "the site refuses: Bearer name.hush%2F+hush is no token; [token] neither",
        )


@pytest.mark.parametrize("address", ["http://[", "http://a\x00b", "x"])
def test_an_address_or_a_token_that_is_none_is_refused(address: str) -> None:
    assert status(address)[0] in {1, 2}
    exit_code, told = status("http://127.0.0.1:9", "secret\nword")
    assert exit_code == 2
    assert "secret" not in told


def test_a_name_that_no_archive_holds_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / os.fsdecode(b"\xff.json")).write_text("[]")
    words = ["--track", "t", "--site", "http://127.0.0.1:9", "--token", "x"]
    assert run("submit", str(folder), *words) == (
        2, "'\\udcff.json' is no UTF-8, which names in an archive are; call the file otherwise",
    )  # fmt: skip
