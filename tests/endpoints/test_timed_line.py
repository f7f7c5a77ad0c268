"""Connections beside a real server that is slow in every part of its response."""

from __future__ import annotations

import time

import pytest

pytest.importorskip("httpx", reason="the client of endpoints is optional")

import httpx
from tests import endpoint_stub as stub
from tests.endpoint_stub import Stub

from duologue.endpoints.timed_line import TimedLine

BODY = b'{"model": "m", "messages": [{"role": "user", "content": "hi"}]}'


def read(line: TimedLine, server: Stub) -> bytes:
    with line.post(f"{server.url}/chat/completions", BODY) as response:
        data: bytes = response.read()
    return data


@pytest.mark.parametrize("slow", [stub.drip, stub.drips_head])
def test_a_call_ends_when_its_time_is_over_wherever_it_stands(slow: stub.Step) -> None:
    with Stub(slow, stub.answers, slow, stub.answers) as server:
        line = TimedLine({}, 0.3, verify=True, proxies=False)
        for _ in range(2):  # with a new connection, and with one that has served
            begun = time.monotonic()
            with pytest.raises(httpx.HTTPError):
                read(line, server)
            assert line.late
            assert 0.2 < time.monotonic() - begun < 3
            assert read(line, server)
            assert not line.late


def test_its_timer_cuts_no_later_call() -> None:
    with Stub() as server:
        line = TimedLine({}, 0.2, verify=True, proxies=False)
        begun = time.monotonic()
        while time.monotonic() - begun < 1:
            assert read(line, server)
            line._cut(0)  # one that was under way when its call ended
        assert server.connections == 1
